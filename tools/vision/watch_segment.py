"""`watch_segment`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from longtake.language.terms import document_terms
from longtake.memory.closer_readings import VERSIONS
from longtake.memory.layers import LayerRecipe
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.endpoints.caption_engine import VisualQuestionEngine
from longtake.preprocess.engines.text.text_engines import Box
from longtake.tools.core.frames import Frames
from longtake.tools.core.refinement import earlier_reading, keep_reading, started_from
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.visual_questions import ShownFrames, ask_about, read_pictures, seen_by

WINDOW = 10.0
TELLING = 5  # terms; a shorter answer ("Yes.", "Two.") is meaningless without its question and isn't stored
_SMALLEST = 0.02  # share of the picture that a crop keeps at least


@tool(capabilities=("visual_question",), group="extras")
def watch_segment(
    context: ToolContext,
    timestamp: Timestamp,
    question: Annotated[
        str, Field(description="What to find out by looking, as a full question.", min_length=1, max_length=2000)
    ],
    spans: Annotated[
        tuple[Timestamp, ...],
        Field(description="More spans to look at in the same call, or the parts of `timestamp` to look at."),
    ] = (),
    pictures: Annotated[
        int | None,
        Field(description="How many pictures in all, at most 64; by default as many as are needed."),
    ] = None,
    crop: Annotated[
        tuple[float, ...],
        Field(description="Left, top, width and height of the part to enlarge, from 0 to 1."),
    ] = (),
) -> ToolResult:
    """Ask a vision model about up to 64 pictures; `crop`: left, top, width, height, 0-1.

    They are chosen for the question where the index can tell, else evenly and where the picture changes.
    """
    whole, *parts = (context.span(each, window=WINDOW) for each in (timestamp, *spans))
    # Whoever names parts of a span wants those.
    within = parts and all(whole.span.shared(each.span) == each.span.length for each in parts)
    read = parts if within else [whole, *parts]
    spans_read = [parsed.span for parsed in read]
    notes = [note for parsed in read for note in parsed.notes]
    point = read[0].point if len(read) == 1 else None
    part = _part(crop)
    if context.frames is not None:
        shown = read_pictures(context, spans_read, pictures, asked=question, crop=part, point=point)
        return _frames(context, context.frames, shown, notes)
    engine: VisualQuestionEngine = context.engines.load("visual_question")
    recipe = _recipe(context, engine)
    # A part, or a number of pictures, makes it another look, which is not stored.
    usual = len(read) == 1 and part is None and pictures is None
    stored = earlier_reading(context, recipe, read[0].span, asked=question) if usual else None
    if stored:
        told = f"{engine.id} was shown {len(stored.facts['frames'])} frames of {stored.span}, not the video"
        notes += [told, "it was asked before; this is the stored answer"]
        return _result(stored.found, stored.facts["frames"], (read[0].span,), notes)
    chosen = read_pictures(context, spans_read, pictures, asked=question, crop=part, point=point)
    where = ", ".join(map(str, chosen.spans))
    if not chosen.pictures:
        raise ToolError("unavailable", f"No frame can be read in {where}.", "Ask for another span.")
    reply, chosen = ask_about(context, question, chosen)
    times = [clock(picture.time, decimals=2) for picture in chosen.pictures]
    notes.append(f"{engine.id} was shown {chosen.where}, not the video")
    if reply.unsure:
        notes.append(f"it can't tell: {reply.unsure}")
    found = seen_by(context, engine, reply.said)
    if usual and sum(len(document_terms(item.text)) for item in found) >= TELLING:
        facts = {"frames": times, "question": context.question}
        notes += keep_reading(context, recipe, read[0].span, found, asked=question, facts=facts)
    return _result(found, times, chosen.spans, notes)


def _frames(context: ToolContext, frames: Frames, shown: ShownFrames, notes: Sequence[str]) -> ToolResult:
    """The pictures themselves, for a controller that sees: each is evidence at its time."""
    part = ", ".join(f"{side:.2g}" for side in shown.crop or ())
    enlarged = f" (enlarged: {part})" if shown.crop else ""
    found = [
        Moment(
            video=context.video.id,
            span=TimeSpan(start=picture.time, end=picture.time),
            modality="visual",
            text=f"the picture at {clock(picture.time, decimals=2)}{enlarged}",
            engine="frames",
            frame=frames.keep(context.video.id, picture.time, picture.jpeg, shown.crop),
        )
        for picture in shown.pictures
    ]
    return _result(tuple(found), [], shown.spans, [*notes, shown.where])


def _part(crop: Sequence[float]) -> Box | None:
    """The part of the picture that a crop names; None for all of it."""
    if not crop:
        return None
    match [min(1.0, max(0.0, side)) for side in crop]:
        case [left, top, width, height] if width >= _SMALLEST and height >= _SMALLEST:
            left, top = min(left, 1 - _SMALLEST), min(top, 1 - _SMALLEST)
            return (left, top, min(width, 1 - left), min(height, 1 - top))
    raise ToolError(
        "bad_arguments",
        f"crop: {list(crop)!r} is no part of the picture.",
        "Give left, top, width and height from 0 to 1, such as [0.5, 0, 0.5, 0.5] for the upper right quarter.",
    )


def _recipe(context: ToolContext, engine: VisualQuestionEngine) -> LayerRecipe:
    """Everything that determines an answer except the question and the span. The layers determine the frames."""
    settings = context.settings.visual_question.model_dump(include={"base_url", "pictures", "megabytes"})
    capability = "visual_question"
    chosen_by = started_from(context, "changes", "sections", "frame_vectors", "detections")
    return LayerRecipe(capability, VERSIONS[capability], engine.id, settings, chosen_by)


def _result(
    found: tuple[Moment, ...], frames: Sequence[str], spans: Sequence[TimeSpan], notes: Sequence[str]
) -> ToolResult:
    return ToolResult(
        tool="watch_segment",
        output={"frames": list(frames)},
        evidence=found,
        looked_at=tuple(spans),
        notes=tuple(notes),
    )
