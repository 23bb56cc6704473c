"""`find_moments`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.media.brief_frames import BriefFrames, find_frames
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, evidence_of, examined, unexamined
from longtake.tools.core.tool_context import ToolContext

WINDOW = 20.0
MOST = 40  # strongest moments whose frames are checked in the file
_IN_WORDS = {"flash": "flash: the picture or a part of it changes and returns", "object": "something small passes"}


@tool(group="extras", quiet=("kind",))
def find_moments(
    context: ToolContext,
    timestamp: Timestamp,
    kind: Annotated[
        Literal["flash", "object"] | None,
        Field(
            description="`flash`: something appears and disappears; `object`: something small passes. All by default."
        ),
    ] = None,
) -> ToolResult:
    """Flashes and brief things, exactly.

    Each has its first and last frame.
    """
    parsed = context.span(timestamp, window=WINDOW)
    layer = context.video.layer("moments")
    if layer is None:
        raise ToolError(
            "unavailable", "The picture of this video wasn't analysed.", "Index it again if it has a picture."
        )
    items = [item for item in context.video.items("moments", parsed.span) if kind in (None, item["kind"])]
    notes = [*parsed.notes, *unexamined(layer, parsed.span)]
    found = list(_refined(context, items, notes))
    evidence = tuple(
        evidence_of(item, _described(item, frames), "visual", layer, context.video.id).model_copy(update=_span(frames))
        for item, frames in found
    )
    if not items:
        notes.append(f"no {kind or 'brief change'} in {parsed.span}, at the file's own frame rate")
    return ToolResult(
        tool="find_moments",
        output={"moments": [_row(item, frames) for item, frames in found]},
        evidence=evidence,
        looked_at=examined(layer, parsed.span),
        notes=tuple(notes),
    )


def _refined(
    context: ToolContext, items: list[dict[str, Any]], notes: list[str]
) -> Iterator[tuple[dict[str, Any], BriefFrames | None]]:
    """All items, the strongest with exact frames from the file."""
    strongest = sorted(items, key=lambda item: -item["strength"])[:MOST]
    if len(strongest) < len(items):
        notes.append(f"the frames of the {MOST} strongest of {len(items)} were looked up in the file")
    media = None
    if items:
        try:
            media = context.video.media()
        except MediaError as error:
            notes.append(f"the times are from the index: {error}")
    for item in items:
        frames = find_frames(*media, item, context.budget.check) if media and item in strongest else None
        yield item, frames


def _row(item: dict[str, Any], frames: BriefFrames | None) -> dict[str, Any]:
    row = {"kind": item["kind"], "start": item["start"], "end": item["end"], "box": item["box"]}
    if frames:
        exact = {"start": round(frames.first, 3), "end": round(frames.end, 3)}
        row |= exact | {"last_frame": round(frames.last, 3), "frames": frames.frames}
    return row


def _described(item: dict[str, Any], frames: BriefFrames | None) -> str:
    words = _IN_WORDS[item["kind"]]
    if frames is None:
        return words
    many = "one frame" if frames.frames == 1 else f"{frames.frames} frames"
    return f"{words}, {many} from {clock(frames.first, decimals=3)} to {clock(frames.last, decimals=3)}"


def _span(frames: BriefFrames | None) -> dict[str, Any]:
    return {"span": TimeSpan(start=round(frames.first, 3), end=round(frames.end, 3))} if frames else {}
