"""Finds the marks of a draft, the moments that they cite, and makes the citations of an answer from them.

Marks are ids in any brackets (`[m12]`), times in square ones (`[talk.mp4 00:14:07-00:14:12]`), or both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, NamedTuple

from longtake.agent.gathering.moments import GENERIC
from longtake.memory.records import Citation, Moment
from longtake.memory.timespan import CLOCKED, TIME, TimeSpan, clock, parse_time
from longtake.preprocess.layers.speaker_lines import SPEAKERS

_MOST_IDS = 50  # that a range of ids stands for
# In brackets, or an id in the middle of a sentence; "12 m3" is a volume.
_BRACKET = re.compile(r"[^\S\n]*(?:\[([^\[\]]+)\]|【([^【】]+)】|\(([^()]+)\)|(?<![\w.])(?<!\d )(m\d+)(?!\w))")
_ROUND, _BARE = 3, 4  # its groups
QUOTATION = re.compile(r"“[^”\n]*”|(?<!\d)\"[^\"\n]*\"")  # 5" is a length
_CLOCK = CLOCKED.pattern
_STATED = re.compile(
    rf"(?P<between>\bbetween\s+)?(?P<at>{_CLOCK})"
    rf"(?:\s*(?:[-–—]|\bto\b|\buntil\b|(?(between)\band\b|(?!)))\s*(?P<to>{_CLOCK}))?",
    re.IGNORECASE,
)
_PART = re.compile(  # of a mark
    rf"(?:(?:see|at|from|moments?|evidence|ids?)\s+)?"
    rf"(?:(?P<first>m\d+)(?:\s*(?:[-–—]|\bto\b)\s*(?P<last>m?\d+)(?![\d:.]))?\s*[:@]?\s*)?"
    rf"(?:at\s+)?(?:(?P<name>(?!\d+:\d).+?)\s+(?=\d+:))?"
    rf"(?:(?P<at>{TIME})\s*s?(?:\s*(?:[-–—]|\bto\b)\s*(?P<to>{TIME})\s*s?)?)?",
    re.IGNORECASE,
)


class Time(NamedTuple):
    """A time or a span that a draft names, and the video in which it is; without one, any."""

    span: TimeSpan
    video: str = ""

    def told(self, names: Mapping[str, str]) -> str:
        """As the mark of an answer, with the name of its file if there are several."""
        name = f"{names[self.video]} " if len(names) > 1 and self.video in names else ""
        return f"[{name}{self.span if self.span.length else clock(self.span.start)}]"


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A pair of brackets in a draft that cites: its place, the ids and times in it, and how many ids no moment has."""

    start: int
    end: int
    ids: tuple[str, ...]
    times: tuple[Time, ...]
    lost: int


def stated_times(text: str) -> Iterator[TimeSpan]:
    """The clock times and spans in a text."""
    for match in _STATED.finditer(text):
        yield _span(match["at"], match["to"])


def parenthesised_times(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each time in parentheses, with the space before it: no mark, but behind a sentence like one."""
    for match in _BRACKET.finditer(text):
        if match[_ROUND] and _STATED.fullmatch(match[_ROUND].strip()):
            yield match.span()


def marks_in(text: str, moments: Mapping[str, Moment], names: Mapping[str, str]) -> tuple[CitationMark, ...]:
    """The marks of a text. Quotations hold none, except for ids."""
    written = re.search(r"[\[【]\s*m\d", text)  # where ids are as they are shown, a bare number alone is none
    masked = QUOTATION.sub(lambda match: match[0] if _cites_inside(match[0], moments) else "_" * len(match[0]), text)
    found: list[CitationMark] = []
    at = 0
    while match := _BRACKET.search(masked, at):
        kind = match.lastindex or 0
        at = match.start(kind) + 1  # what is no mark may hold one
        inside = match[kind]
        ids = bool(re.search(r"\bm\d", inside))
        mark = mark_of(re.split(r"[,;&]|\band\b", inside), moments, names, numbered=ids or not written)
        if mark is None or (kind == _BARE and not mark.ids):
            continue
        if kind == _ROUND and not ids and not any(time.video for time in mark.times):
            continue  # (21:19) may be a score
        found.append(replace(mark, start=match.start(), end=match.end()))
        at = match.end()
    return tuple(found)


def _cites_inside(quotation: str, moments: Mapping[str, Moment]) -> bool:
    """Whether a quotation holds the id of a moment, which is no part of it."""
    return any(word in moments for word in re.findall(r"\bm\d+\b", quotation))


def mark_of(
    parts: Sequence[str], moments: Mapping[str, Moment], names: Mapping[str, str], *, numbered: bool = True
) -> CitationMark | None:
    """The ids and times in brackets; None if they hold anything else. `numbered` takes a bare number for an id."""
    ids, times, lost = list[str](), list[Time](), 0
    bare = [part for text in parts if (part := re.sub(r"[\[\]()]", " ", text).strip())]
    for part in bare:
        match = _PART.fullmatch(part)
        if part in moments or (part.isdecimal() and numbered and f"m{part}" in moments):
            ids.append(part if part in moments else f"m{part}")
        elif match is None or not (match["first"] or (match["at"] and not match["at"].isdecimal())):
            return None
        else:
            video = _video(match["name"], names)
            if video is None:
                return None
            if match["first"]:
                first = int(match["first"][1:])
                last = int((match["last"] or match["first"]).lower().lstrip("m"))
                own = [f"m{n}" for n in range(first, min(last + 1, first + _MOST_IDS)) if f"m{n}" in moments]
                lost += not own
                ids += own
            if match["at"]:
                times.append(Time(_span(match["at"], match["to"]), video))
    home = moments[ids[0]].video if ids else ""
    placed = tuple(time if time.video else Time(time.span, home) for time in times)
    return CitationMark(-1, -1, tuple(dict.fromkeys(ids)), placed, lost) if bare else None


def _span(start: str, end: str | None) -> TimeSpan:
    first, last = sorted((parse_time(start), parse_time(end or start)))
    return TimeSpan(start=first, end=last)


def _video(written: str | None, names: Mapping[str, str]) -> str | None:
    """The video that a draft names, or none; None if no open one is called so."""
    if written is None or not names:
        return ""
    called = written.casefold()
    for video, name in names.items():
        if called in (video.casefold(), name.casefold(), PurePath(name).stem.casefold()):
            return video
    return None


_LONGEST = 120.0  # seconds of a span that cites; a longer one says which part is meant, and proves nothing by itself
_HALF = 0.5  # share of a moment that lies in a span which cites it, or of a span that a passage of speech fills
_SECOND, _TENTH = 1.0, 0.1  # how far a stated time may be off: a second, or this share of a moment


class Cited(NamedTuple):
    """A cited moment: its id, and the seconds that the draft names itself."""

    id: str
    at: TimeSpan | None


def cites(marks: Sequence[CitationMark], bare: str, moments: Mapping[str, Moment]) -> tuple[tuple[Cited, ...], int]:
    """The moments that a statement cites, and how many of its citations point to nothing.

    It cites by the ids and times in its marks and, with less weight, by the times in its text:

    - A time within a moment whose id is cited tells where in that moment. It cites no second moment there.
    - A time in the text that lies elsewhere cites nothing if there are marks, because it may be a time of day.
    - Nor does it if the writer saw nothing at that time. Moments that only the judge sees have ids with another letter.

    Args:
        marks: those of the statement.
        bare: its text without marks.
        moments: those of the run, by id.
    """
    ids = dict.fromkeys(name for mark in marks for name in mark.ids)
    marked = [time for mark in marks for time in mark.times]
    cited: dict[str, TimeSpan | None] = dict.fromkeys(ids)
    lost = sum(mark.lost for mark in marks)
    for place, time in enumerate([*marked, *map(Time, stated_times(bare))]):
        inside = [
            name
            for name in ids
            if _is_place(moments[name]) and time.video in ("", moments[name].video) and _near(time.span, moments[name])
        ]
        for name in inside:
            whole = time.span.length and _fills(time.span, moments[name])
            cited[name] = cited[name] or (None if whole else time.span)
        found = _at(time, moments)
        if inside and not time.span.length:
            found = found[:1]  # what begins in that second
        if place < len(marked):
            lost += not _is_held(time, moments)
        elif not inside and (ids or marked or not any(name[0] == "m" for name in found)):
            continue
        taken = [moments[name].span for name in inside]
        for name in found:
            if not any(moments[name].span.overlaps(span) for span in taken):
                cited.setdefault(name, time.span)
    return tuple(Cited(name, at) for name, at in cited.items()), lost


def held(mark: CitationMark, moments: Mapping[str, Moment]) -> CitationMark:
    """A mark without the times that point to nothing."""
    return replace(mark, times=tuple(time for time in mark.times if _is_held(time, moments)))


def citations_of(cited: Sequence[Cited], moments: Mapping[str, Moment]) -> tuple[Citation, ...]:
    """Cited moments as an answer publishes them: one citation for a moment, and one for what fills a span.

    A span that cites several moments of a kind is one place: its quote is what they say, in order.
    """
    found: dict[Any, Citation] = {}
    for each in cited:
        moment = moments[each.id]
        span = _part_of(moment.span, each.at)
        own = Citation.of(moment).model_copy(update={"start": round(span.start, 3), "end": round(span.end, 3)})
        place = (each.at, moment.video, moment.modality) if each.at and each.at.length else each.id
        first = found.setdefault(place, own)
        if first is not own:
            quote, end = f"{first.quote} {own.quote}", max(first.end, own.end)
            found[place] = first.model_copy(update={"start": min(first.start, own.start), "end": end, "quote": quote})
    return tuple(dict.fromkeys(found.values()))


def _part_of(moment: TimeSpan, at: TimeSpan | None) -> TimeSpan:
    """The part of a moment that a draft names; the whole moment, unless the part is much shorter and lasts a second."""
    if at is None or not at.overlaps(moment):
        return moment
    start, end = max(moment.start, at.start), min(moment.end, at.end) if at.length else moment.end
    most = at.length and end - start >= _HALF * moment.length
    return moment if most or end - start < _SECOND else TimeSpan(start=start, end=end)


def _is_held(time: Time, moments: Mapping[str, Moment]) -> bool:
    """Whether a cited time points to a moment. A long span counts as well: it tells which part of a video is meant."""
    return time.span.length > _LONGEST or bool(_at(time, moments))


def _at(time: Time, moments: Mapping[str, Moment]) -> list[str]:
    """The ids of the moments that a time of a draft points to.

    For a span, those that it means, in order. For a single time, the moment that begins then, else the shortest around
    it, and all speech of that second. A whole second stands for any time within it: 01:08 reaches up to 01:09.
    """
    span = time.span
    if span.length > _LONGEST:
        return []
    second = span if span.length or span.start % 1 else TimeSpan(start=span.start, end=span.start + _SECOND)
    near = {
        name: moment
        for name, moment in moments.items()
        if _is_place(moment) and time.video in ("", moment.video) and _near(span, moment)
    }
    # Not what is there all the time, such as silence, if anything else is.
    near = {name: moment for name, moment in near.items() if not moment.text.startswith(GENERIC)} or near
    if span.length:
        there = [name for name, moment in near.items() if _fills(span, moment)] or [*near]
        return sorted(there, key=lambda name: near[name].span.start)
    begins = {name for name, moment in near.items() if second.start <= moment.span.start < second.end}
    ranked = sorted(near, key=lambda name: (name not in begins, near[name].span.length))
    there = [name for name in ranked if second.overlaps(near[name].span)]
    return [name for name in there if name == there[0] or near[name].modality == "speech"] or ranked[:1]


def _fills(span: TimeSpan, moment: Moment) -> bool:
    """Whether a span that cites means a moment: half of it lies there, or it is speech that fills half of the span."""
    shared = span.shared(moment.span)
    spoken = moment.modality == "speech" and shared >= _HALF * span.length
    return spoken or (span.overlaps(moment.span) and shared >= _HALF * moment.span.length)


def _is_place(moment: Moment) -> bool:
    """Whether a moment has a time of its own; facts about a whole recording don't."""
    return moment.modality != "metadata" and moment.engine != SPEAKERS


def _near(span: TimeSpan, moment: Moment) -> bool:
    return span.apart(moment.span) <= max(_SECOND, _TENTH * moment.span.length)
