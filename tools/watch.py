"""`watch_segment`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.visual_question import VisualQuestionEngine
from longtake.tools.context import ToolContext
from longtake.tools.registry import Timestamp, tool
from longtake.tools.result import ToolError, ToolResult
from longtake.tools.visual_questions import ask_about, read_pictures

WINDOW = 10.0


@tool(capabilities=("visual_question",), group="extras")
def watch_segment(
    context: ToolContext,
    timestamp: Timestamp,
    question: Annotated[
        str, Field(description="What to find out by looking, as a full question.", min_length=1, max_length=2000)
    ],
) -> ToolResult:
    """Put a question about what is seen to a vision-language model that is shown frames, more where more changes."""
    parsed = context.span(timestamp, window=WINDOW)
    engine: VisualQuestionEngine = context.engines.load("visual_question")
    pictures = read_pictures(context, parsed.span)
    if not pictures:
        raise ToolError("unavailable", f"No frame can be read in {parsed.span}.", "Ask for another span.")
    reply = ask_about(context, question, pictures)
    times = [clock(picture.time, decimals=2) for picture in pictures]
    notes = [*parsed.notes, f"{engine.id} was shown {len(pictures)} frames of {parsed.span}, not the video"]
    if reply.untold:
        notes.append(f"it cannot tell: {reply.untold}")
    shown = TimeSpan(start=pictures[0].time, end=max(pictures[-1].time, parsed.span.end))
    evidence = (Evidence(video=context.video.id, span=shown, modality="visual", content=reply.text, engine=engine.id),)
    return ToolResult(
        tool="watch_segment",
        output={"answer": reply.text, "frames": times},
        evidence=evidence if reply.text else (),
        looked_at=(parsed.span,),
        notes=tuple(notes),
    )
