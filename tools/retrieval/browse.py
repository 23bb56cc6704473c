"""`browse`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field

from longtake.errors import LibraryError
from longtake.language.text import as_sentence, shortened, words_of
from longtake.memory.records import Modality, Moment
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.layers.layer_moments import WORDED
from longtake.preprocess.layers.sections import Section, sections_of
from longtake.preprocess.layers.segments import Segment, segments_of
from longtake.preprocess.layers.speaker_lines import named
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, evidence_of, examined
from longtake.tools.core.tool_context import ToolContext, VideoHandle

WINDOW = 60.0
PAGE = 5000  # characters that a page may have
# Letters that a model reads beside what a moment says: id, times and kind, which cues of a passage and texts that stand
# together share.
_BESIDE: dict[Modality, int] = {"speech": 20, "scene_text": 5, "visual": 45}
_LINES = 600.0  # seconds of a span from which its lines don't fit on a page
_SECTION, _ROW = 320, 240  # characters of a section and of a segment


@tool(group="extras")
def browse(
    context: ToolContext,
    timestamp: Timestamp,
    level: Annotated[
        Literal["section", "segment", "moment"] | None,
        Field(description="How fine; by default as fine as fits on a page."),
    ] = None,
    page: Annotated[int, Field(description="Page of a long list, from 1.")] = 1,
    speaker: Annotated[str | None, Field(description="Only what this person says.")] = None,
) -> ToolResult:
    """What a span holds: sections, segments or moments, in order.

    Segments are parts of some seconds. Without a level it is the finest that fits on a page.
    """
    parsed = context.span(timestamp, window=WINDOW)
    video, span = context.video, parsed.span
    turns = _turns(video, speaker) if speaker else None
    level = "moment" if speaker else level
    sections, segments = list[Section](), list[Segment]()
    with suppress(LibraryError):
        sections = [each for each in sections_of(video.library, video.record) if _within(each, span)]
    with suppress(LibraryError):
        segments = [each for each in segments_of(video.library, video.record) if _within(each, span)]
    notes = list(parsed.notes)
    seen = joined(part for name in WORDED if (layer := video.layer(name)) for part in examined(layer, span))
    if level == "moment" or (level is None and (span.length <= _LINES or not (sections or segments))):
        if not seen:
            raise ToolError("unavailable", f"Nothing that is said or shown was examined in {span}.")
        found = _moments(context, span, turns)
        pages = _pages([item.text + " " * _BESIDE[item.modality] for item in found])
        if level == "moment" or len(pages) < 2 or not segments:
            first, last = _page(pages, page, notes)
            notes += [] if found else [f"nothing is said or shown as text in {span}"]
            shown = [item.span for item in found[first:last]]
            return ToolResult(
                tool="browse",
                output=_output(),
                evidence=tuple(found[first:last]),
                looked_at=tuple(shown) if speaker else seen if len(pages) < 2 else _looked_at(seen, shown),
                notes=tuple(notes),
            )
    parts: Sequence[Section | Segment] = sections
    rows = [_row(each, f"{as_sentence(each.title)} {each.text}", _SECTION) for each in sections]
    name = "sections"
    if level != "section" or not rows:
        finer = [_row(each, each.brief(room := _room(each)), room) for each in _once(segments)]
        if level == "segment" or not rows or (finer and len(_pages(finer)) == 1):
            name, rows, parts = "segments", finer, segments
    if not rows:
        raise ToolError("unavailable", f"{video.record.name} has no {level}s.", "Ask for the level `moment`.")
    first, last = _page(_pages(rows), page, notes)
    told = [TimeSpan(start=each.start, end=each.end) for each in parts[first:last]]
    return ToolResult(
        tool="browse",
        output=_output() | {name: rows[first:last]},
        evidence=(),
        looked_at=_looked_at(seen, told),
        notes=tuple(notes),
    )


def _looked_at(seen: Sequence[TimeSpan], shown: Sequence[TimeSpan]) -> tuple[TimeSpan, ...]:
    """What was examined of the time from the first to the last thing shown."""
    if not shown:
        return ()
    start, end = shown[0].start, max(span.end for span in shown)
    return tuple(
        TimeSpan(start=max(start, span.start), end=min(end, span.end))
        for span in seen
        if span.start < end and span.end > start
    )


def _output() -> dict[str, list[str]]:
    return {"sections": [], "segments": []}


def _within(part: Section | Segment, span: TimeSpan) -> bool:
    """Whether a part begins in a span, or the span in it."""
    return span.start <= part.start < span.end or part.start <= span.start < part.end


def _turns(video: VideoHandle, speaker: str) -> tuple[TimeSpan, ...]:
    """When somebody speaks, by a part of the name, or by a name that the user gave.

    Raises:
        ToolError: if nobody of this name is known to speak.
    """
    turns = video.items("speakers")
    asked = set(words_of(speaker).split())
    given = [item for item in video.items("entities") if asked <= set(words_of(item["name"]).split())]
    also = {words_of(alias) for item in given if "speaks" in item["found"] for alias in item["aliases"]}
    names = {str(turn["speaker"]): words_of(named(str(turn["speaker"]))) for turn in turns}
    meant = {name for name, words in names.items() if asked <= set(words.split()) or words in also}
    if not meant:
        known = ", ".join(map(named, names)) or "none is known"
        raise ToolError("bad_arguments", f"Nobody called {speaker!r} is known to speak.", f"Speakers: {known}.")
    theirs = (turn for turn in turns if str(turn["speaker"]) in meant)
    return joined(TimeSpan(start=turn["start"], end=turn["end"]) for turn in theirs)


def _moments(context: ToolContext, span: TimeSpan, turns: Sequence[TimeSpan] | None) -> list[Moment]:
    """What is said and shown in a span, or only what is said in turns."""
    video = context.video
    found = [
        evidence_of(item, item["text"], modality, layer, video.id)
        for name, modality in WORDED.items()
        if (layer := video.layer(name)) and (turns is None or modality == "speech")
        for item in video.items(name, span)
    ]
    if turns is not None:
        found = [item for item in found if 2 * sum(map(item.span.shared, turns)) > item.span.length]
    return sorted(found, key=lambda item: item.span.start)


def _row(part: Section | Segment, text: str, most: int) -> str:
    return f"{TimeSpan(start=part.start, end=part.end)} {shortened(' '.join(text.split()), most)}"


def _once(segments: Sequence[Segment]) -> list[Segment]:
    """The segments; a text that stays on screen is told of the first of them alone."""
    before = ["", *(each.shown for each in segments)]
    return [
        each._replace(shown="") if each.shown == text else each for text, each in zip(before, segments, strict=False)
    ]


def _room(segment: Segment) -> int:
    """Letters of a segment's row: more where a text appears, which is told once."""
    return _ROW + min(len(segment.shown), _ROW)


def _pages(rows: Sequence[str]) -> list[int]:
    """At which row each page ends."""
    ends, room = list[int](), PAGE
    for number, row in enumerate(rows):
        room -= len(row)
        if room < 0 and number > (ends[-1] if ends else 0):
            ends.append(number)
            room = PAGE - len(row)
    return [*ends, len(rows)]


def _page(ends: Sequence[int], page: int, notes: list[str]) -> tuple[int, int]:
    """The first row of a page and the first after it; if there are several pages, a note says so."""
    number = min(max(1, page), len(ends))
    if len(ends) > 1:
        more = f": go on with page {number + 1}" if number < len(ends) else ""
        notes.append(f"page {number} of {len(ends)}{more}")
    return (ends[number - 2] if number > 1 else 0), ends[number - 1]
