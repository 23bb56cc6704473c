"""`browse`."""

from __future__ import annotations

from longtake.errors import LibraryError
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.layers.sections import sections_of
from longtake.tools.core.evidence import evidence_of, examined
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext

WINDOW = 60.0
_SEVERAL = 3  # sections from which a span is listed by section
_LAYERS: dict[str, Modality] = {
    "subtitles": "speech",
    "speech": "speech",
    "scene_text": "scene_text",
    "captions": "visual",
}


@tool(group="extras")
def browse(context: ToolContext, timestamp: Timestamp) -> ToolResult:
    """What a span holds, in order.

    A long span is listed by section; a section, or a part of one, line by line.
    """
    parsed = context.span(timestamp, window=WINDOW)
    video, span = context.video, parsed.span
    try:
        sections = [each for each in sections_of(video.library, video.record) if span.start <= each.start < span.end]
    except LibraryError:
        sections = []
    if len(sections) >= _SEVERAL:
        listed = [f"{TimeSpan(start=each.start, end=each.end)} {each.title}" for each in sections]
        return ToolResult(
            tool="browse", output={"sections": listed}, evidence=(), looked_at=(span,), notes=parsed.notes
        )
    found: list[Evidence] = []
    seen: list[TimeSpan] = []
    for name, modality in _LAYERS.items():
        if layer := video.layer(name):
            seen += examined(layer, span)
            found += [evidence_of(item, item["text"], modality, layer, video.id) for item in video.items(name, span)]
    if not seen:
        raise ToolError("unavailable", f"Nothing that is said or shown was examined in {span}.")
    found.sort(key=lambda item: item.span.start)
    notes = parsed.notes if found else (*parsed.notes, f"nothing is said or shown as text in {span}")
    return ToolResult(
        tool="browse", output={"sections": []}, evidence=tuple(found), looked_at=joined(seen), notes=notes
    )
