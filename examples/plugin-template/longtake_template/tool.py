"""A tool that counts how often a word is said."""

from typing import Annotated

from pydantic import Field

from longtake.language.words import words
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, evidence_of, examined
from longtake.tools.core.tool_context import ToolContext


@tool(group="extras")
def count_word(
    context: ToolContext,
    timestamp: Timestamp,
    word: Annotated[str, Field(description="One word, such as 'dome'.")],
) -> ToolResult:
    """Count how often a word is said in a segment of the video."""
    parsed, video = context.span(timestamp, window=60.0), context.video
    layer = video.layer("subtitles") or video.layer("speech")
    if layer is None:
        raise ToolError("unavailable", "This video has no transcript.", "Put subtitles next to it and index it again.")
    counts = [(item, words(item["text"].lower()).count(word.lower())) for item in video.items(layer.name, parsed.span)]
    total = sum(count for _, count in counts)
    where = {"start": parsed.span.start, "end": parsed.span.end}
    finding = evidence_of(where, f"The word “{word}” is said {total} times.", "speech", layer, video.id)
    lines = (evidence_of(item, item["text"], "speech", layer, video.id) for item, count in counts if count)
    return ToolResult(
        tool="count_word",
        output={"count": total},
        evidence=(finding, *lines),
        notes=parsed.notes,
        looked_at=examined(layer, parsed.span),
    )
