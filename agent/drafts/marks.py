"""The marks of a draft: ids in any brackets (`[m12]`), times in square ones (`[talk.mp4 00:14:07-00:14:12]`), both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import NamedTuple

from longtake.memory.records import Evidence
from longtake.memory.timespan import TIME, TimeSpan, clock, parse_time

_MOST_IDS = 50  # that a range of ids stands for
# In brackets, or an id in the middle of a sentence; "12 m3" is a volume.
_BRACKET = re.compile(r"[^\S\n]*(?:\[([^\[\]]+)\]|【([^【】]+)】|\(([^()]+)\)|(?<![\w.])(?<!\d )(m\d+)(?!\w))")
_ROUND, _BARE = 3, 4  # its groups
QUOTATION = re.compile(r"“[^”\n]*”|(?<!\d)\"[^\"\n]*\"")  # 5" is a length
# A clock time as it is written.
CLOCKED = re.compile(r"(?<![\d:.])\d{1,3}:\d\d(?::\d\d)?(?:\.\d+)?(?!\d|:\d)")
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
class Mark:
    """One pair of brackets in a draft: where it stands, ids of moments, times, and how many ids are of no moment."""

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
    """Where times in parentheses begin and end, with the space before them: they are no marks, but stand like marks."""
    for match in _BRACKET.finditer(text):
        if match[_ROUND] and _STATED.fullmatch(match[_ROUND].strip()):
            yield match.span()


def marks_in(text: str, moments: Mapping[str, Evidence], names: Mapping[str, str]) -> tuple[Mark, ...]:
    """The marks of a text. Quotations hold none, except for ids."""
    written = re.search(r"[\[【]\s*m\d", text)  # where ids are as they are shown, a bare number alone is none
    masked = QUOTATION.sub(lambda match: match[0] if _cites_inside(match[0], moments) else "_" * len(match[0]), text)
    found: list[Mark] = []
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


def _cites_inside(quotation: str, moments: Mapping[str, Evidence]) -> bool:
    """Whether a quotation holds the id of a moment, which is no part of it."""
    return any(word in moments for word in re.findall(r"\bm\d+\b", quotation))


def mark_of(
    parts: Sequence[str], moments: Mapping[str, Evidence], names: Mapping[str, str], *, numbered: bool = True
) -> Mark | None:
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
    return Mark(-1, -1, tuple(dict.fromkeys(ids)), placed, lost) if bare else None


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
