"""`transcribe_speech`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.speech import SpeechSegment
from longtake.tools.context import ToolContext
from longtake.tools.evidence import evidence_of, examined, unexamined
from longtake.tools.registry import Timestamp, tool
from longtake.tools.result import ToolError, ToolResult

WINDOW = 30.0
REMEDY = "Put subtitles beside the file (NAME.srt or NAME.vtt) and index it again."


@tool(capabilities=("speech",))
def transcribe_speech(
    context: ToolContext,
    timestamp: Timestamp,
    language: Annotated[
        str | None, Field(description="Language code such as 'en'; the first there is by default.")
    ] = None,
) -> ToolResult:
    """Write down what is said in a segment of the video, with times."""
    parsed = context.span(timestamp, window=WINDOW)
    span, video = parsed.span, context.video
    layer = video.layer("subtitles")
    if layer is None:
        raise ToolError("unavailable", _why_no_words(context, span), REMEDY)
    notes = (*parsed.notes, *unexamined(layer, span))
    segments: list[SpeechSegment] = context.engines.load("speech").transcribe(layer.items(), span, language)
    spoken = segments[0].language if segments else None
    if language and segments and not (spoken or "").startswith(language):
        notes = (*notes, f"there are no words in {language!r}; these are in {spoken or 'an unnamed language'}")
    if not segments:
        notes = (*notes, f"the subtitles have no words in {span}")
    evidence = tuple(evidence_of(asdict(segment), segment.text, "speech", layer, video.id) for segment in segments)
    output = {"transcript": " ".join(segment.text for segment in segments), "timestamp": [span.start, span.end]}
    return ToolResult(
        tool="transcribe_speech", output=output, evidence=evidence, looked_at=examined(layer, span), notes=notes
    )


def _why_no_words(context: ToolContext, span: TimeSpan) -> str:
    reason = "the video has no subtitles and no engine here turns speech into words."
    if context.video.layer("sounds") is None:
        return f"T{reason[1:]}"
    voices = [item for item in context.video.items("sounds", span) if item["kind"] == "speech"]
    return f"{'Voices are' if voices else 'No voice is'} heard in {span}, but {reason}"
