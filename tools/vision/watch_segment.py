"""`watch_segment`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from longtake.memory.closer_readings import VERSIONS
from longtake.memory.layers import LayerRecipe
from longtake.memory.records import Evidence
from longtake.memory.search.terms import document_terms
from longtake.memory.timespan import ParsedSpan, TimeSpan, clock
from longtake.preprocess.engines.endpoints.visual_question import VisualQuestionEngine
from longtake.tools.core.refinement import earlier_reading, keep_reading, started_from
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.visual_questions import ask_about, read_pictures

WINDOW = 10.0
TELLING = 5  # terms; a shorter answer ("Yes.", "Two.") is meaningless without its question and isn't stored


@tool(capabilities=("visual_question",), group="extras")
def watch_segment(
    context: ToolContext,
    timestamp: Timestamp,
    question: Annotated[
        str, Field(description="What to find out by looking, as a full question.", min_length=1, max_length=2000)
    ],
) -> ToolResult:
    """Ask a vision-language model about frames of a segment: more where more changes."""
    parsed = context.span(timestamp, window=WINDOW)
    engine: VisualQuestionEngine = context.engines.load("visual_question")
    recipe = _recipe(context, engine)
    reading = earlier_reading(context, recipe, parsed.span, asked=question)
    if reading:
        return _described(
            parsed, engine, reading.found, reading.facts["frames"], ["it was asked before; this is the stored answer"]
        )
    pictures = read_pictures(context, parsed.span)
    if not pictures:
        raise ToolError("unavailable", f"No frame can be read in {parsed.span}.", "Ask for another span.")
    reply = ask_about(context, question, pictures)
    times = [clock(picture.time, decimals=2) for picture in pictures]
    if reply.unsure:
        return _described(parsed, engine, (), times, [f"it can't tell: {reply.unsure}"])
    shown = TimeSpan(start=pictures[0].time, end=max(pictures[-1].time, parsed.span.end))
    found = Evidence(video=context.video.id, span=shown, modality="visual", content=reply.text, engine=engine.id)
    notes: Sequence[str] = ()
    if len(document_terms(reply.text)) >= TELLING:
        notes = keep_reading(context, recipe, parsed.span, [found], asked=question, facts={"frames": times})
    return _described(parsed, engine, (found,), times, notes)


def _recipe(context: ToolContext, engine: VisualQuestionEngine) -> LayerRecipe:
    """Everything that determines an answer except the question and the span. The changes determine the frames."""
    settings = context.settings.visual_question.model_dump(include={"base_url", "pictures", "megabytes"})
    capability = "visual_question"
    return LayerRecipe(capability, VERSIONS[capability], engine.id, settings, started_from(context, "changes"))


def _described(
    parsed: ParsedSpan,
    engine: VisualQuestionEngine,
    found: tuple[Evidence, ...],
    frames: Sequence[str],
    notes: Sequence[str],
) -> ToolResult:
    shown = f"{engine.id} was shown {len(frames)} frames of {parsed.span}, not the video"
    return ToolResult(
        tool="watch_segment",
        output={"answer": " ".join(item.content for item in found), "frames": frames},
        evidence=found,
        looked_at=(parsed.span,),
        notes=(*parsed.notes, shown, *notes),
    )
