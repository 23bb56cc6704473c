"""`browse`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from longtake.errors import LibraryError
from longtake.language.text import as_sentence, shortened, words_of
from longtake.memory.records import Modality, Moment
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.layers.layer_moments import WORDED
from longtake.preprocess.layers.sections import Section, sections_of
from longtake.preprocess.layers.segments import Segment, segments_of
from longtake.preprocess.layers.speaker_lines import introduced, named, words_said
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
    person = _speaker(video, speaker) if speaker else None
    level = "moment" if person else level
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
        found = _moments(context, span, person)
        pages = _pages([item.text + " " * _BESIDE[item.modality] for item in found])
        if level == "moment" or len(pages) < 2 or not segments:
            first, last = _page(pages, page, notes)
            if person and not person.trusted:
                notes.append("speakers are told apart by voice, and similar voices may be mixed up")
            if not found:
                notes.append(f"{person.name} says nothing" if person else "nothing is said or shown as text")
                notes[-1] += f" in {span}"
            shown = [item.span for item in found[first:last]]
            return ToolResult(
                tool="browse",
                output=_output(),
                evidence=tuple(found[first:last]),
                looked_at=_own(shown, span) if person else seen if len(pages) < 2 else _looked_at(seen, shown),
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


def _own(shown: Sequence[TimeSpan], span: TimeSpan) -> tuple[TimeSpan, ...]:
    """What was shown of a span, and nothing between: others may speak there."""
    return tuple(TimeSpan(start=max(each.start, span.start), end=min(each.end, span.end)) for each in shown)


def _output() -> dict[str, list[str]]:
    return {"sections": [], "segments": []}


def _within(part: Section | Segment, span: TimeSpan) -> bool:
    """Whether a part begins in a span, or the span in it."""
    return span.start <= part.start < span.end or part.start <= span.start < part.end


class _Speaker(NamedTuple):
    """Who is meant: a name, the names that cues may have, and the turns."""

    name: str
    cues: frozenset[str]
    turns: tuple[TimeSpan, ...]
    trusted: bool  # no turn was found by voice

    def says(self, item: Mapping[str, Any]) -> bool:
        """Whether an item is theirs, by its name or, if it has none, because most of it is in their turns."""
        if name := item.get("speaker"):
            return name in self.cues
        span = TimeSpan(start=item["start"], end=item["end"])
        first = bisect_left(self.turns, span.start, key=lambda turn: turn.end)
        end = bisect_right(self.turns, span.end, key=lambda turn: turn.start)
        return 2 * sum(map(span.shared, self.turns[first:end])) > span.length


def _speaker(video: VideoHandle, asked: str) -> _Speaker:
    """Who is called so: by the name that the video or the user gives, or by a part of it.

    Raises:
        ToolError: if nobody is known to speak, or if not exactly one speaker is called so.
    """
    turns, words = video.items("speakers"), words_said(video.items)
    if not turns:
        raise ToolError("unavailable", f"Who speaks in {video.record.name} isn't known.")
    own: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for turn in turns:
        own[str(turn["speaker"])].append(turn)
    speaking = [item for item in video.items("entities") if "speaks" in item["found"]]
    given = {words_of(item["name"]): item for item in speaking}
    given |= {words_of(alias): item for item in speaking for alias in item["aliases"]}
    names: dict[str, list[str]] = {}
    for speaker, theirs in own.items():
        called = [named(speaker)]
        if speaker.isdecimal() and (name := introduced(theirs, words)):
            called.insert(0, name)
        entity = next((given[each] for each in map(words_of, called) if each in given), None)
        names[speaker] = [entity["name"], *entity["aliases"], *called] if entity else called
    wanted = words_of(asked)
    parts = set(wanted.split())
    meant = (
        [speaker for speaker, called in names.items() if words_of(called[0]) == wanted]
        or [speaker for speaker, called in names.items() if wanted in map(words_of, called)]
        or [speaker for speaker, called in names.items() if parts <= set(words_of(" ".join(called)).split())]
    )
    found = dict.fromkeys(names[speaker][0] for speaker in meant)
    if len(found) != 1:
        known = ", ".join(dict.fromkeys(called[0] for called in names.values()))
        why = f"{asked!r} may be {' or '.join(found)}." if found else f"Nobody called {asked!r} is known to speak."
        raise ToolError("bad_arguments", why, f"Speakers: {known}.")
    theirs = [turn for speaker in meant for turn in own[speaker]]
    spans = joined(TimeSpan(start=turn["start"], end=turn["end"]) for turn in theirs)
    return _Speaker(next(iter(found)), frozenset(meant), spans, all(turn["trusted"] for turn in theirs))


def _moments(context: ToolContext, span: TimeSpan, speaker: _Speaker | None) -> list[Moment]:
    """What is said and shown in a span, or only what a speaker says."""
    video = context.video
    found = [
        evidence_of(item, item["text"], modality, layer, video.id)
        for name, modality in WORDED.items()
        if (layer := video.layer(name)) and (speaker is None or modality == "speech")
        for item in video.items(name, span)
        if speaker is None or speaker.says(item)
    ]
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
