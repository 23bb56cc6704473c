"""`integrate_frames`."""

from __future__ import annotations

import hashlib
from typing import Annotated

import cv2
from pydantic import Field

from longtake.memory.layers import write_atomic
from longtake.memory.library import LibraryStore
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_engines import SceneTextEngine, TextBox
from longtake.preprocess.layers.reading import lines_of
from longtake.preprocess.media.frames import Picture
from longtake.preprocess.media.fused_frames import Mode, fuse_frames
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext

WINDOW = 4.0
LONGEST = 20.0  # seconds to fuse
_LARGEST = 4096  # pixels of the long side for text recognition


@tool(capabilities=("scene_text",), group="extras")
def integrate_frames(
    context: ToolContext,
    timestamp: Timestamp,
    mode: Annotated[
        Mode,
        Field(
            description="`maximum` for light text that appears piece by piece, `minimum` for dark text, `mean` against "
            "noise, `mosaic` for scrolling text."
        ),
    ] = "maximum",
) -> ToolResult:
    """Read text that no single frame shows completely, from frames fused into one picture.

    At most 20 seconds are fused.
    """
    parsed = context.span(timestamp, window=WINDOW)
    span = TimeSpan(start=parsed.span.start, end=min(parsed.span.end, parsed.span.start + LONGEST))
    notes = list(parsed.notes)
    if span != parsed.span:
        notes.append(f"only {span} was fused, {LONGEST:g} s being the most")
    engine: SceneTextEngine = context.engines.load("scene_text")
    path, media = context.video.media()
    fused = fuse_frames(path, media, span, mode, context.budget.check)
    if fused is None:
        raise ToolError("unavailable", f"No frame can be read in {span}.", "Ask for another span.")
    height, width = fused.picture.shape[:2]
    lines = lines_of(engine.read(fused.picture, min(_LARGEST, max(height, width))), width / height)
    library = context.video.library
    file = _keep(library, fused.picture) if library.writable else None
    notes.append(f"{fused.frames} frames of {span} fused by {mode}")
    if not lines:
        notes.append("no text in the fused picture")
    return ToolResult(
        tool="integrate_frames",
        output={"texts": [line.text for line in lines], "picture": file},
        evidence=tuple(_evidence(context, span, line, f"{engine.id}/{mode}", file) for line in lines),
        looked_at=(span,),
        notes=tuple(notes),
    )


def _evidence(context: ToolContext, span: TimeSpan, line: TextBox, engine: str, file: str | None) -> Moment:
    """A line of the fused picture, which is its `frame`. Its box refers to that picture, not to the video."""
    return Moment(
        video=context.video.id,
        span=span,
        modality="scene_text",
        text=line.text,
        score=line.confidence,
        engine=engine,
        box=line.box,
        frame=file,
    )


def _keep(library: LibraryStore, picture: Picture) -> str:
    """Save the picture with the trace blobs under its content hash, and return its path relative to the library."""
    data = cv2.imencode(".png", picture)[1].tobytes()
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    path = library.trace_root / "blobs" / digest[:2] / f"{digest}.png"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
    return path.relative_to(library.root).as_posix()
