"""Splits a draft into statements, and finds the moments that each of them cites.

A draft cites by ids (`[m12]`), by times (`[00:14:07]`, `[talk.mp4 00:14:07-00:14:12]`) or by both. A statement is a
sentence, a list item or a table row with the marks behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, NamedTuple

from longtake.agent.controllers.draft import Draft
from longtake.language.text import fold
from longtake.memory.records import Citation, Evidence
from longtake.memory.timespan import TIME, TimeSpan, parse_time

MAX_AT = 5  # moments at one time that are taken for what is cited
_SECOND, _TENTH = 1.0, 0.1  # how far a stated time may be off: a second, or this share of a moment
_BRACKET = re.compile(r"\s*(?:\[([^\[\]]+)\]|【([^【】]+)】|\(([^()]+)\))")
_CLOCKED = re.compile(r"(?<![\d:.])\d{1,3}:\d\d(?::\d\d)?(?:\.\d+)?(?![\d:])")
_MARK = re.compile(
    rf"(?:(?:see|at|from|moments?|evidence|ids?)\s+)?(?P<id>m?\d+)(?:\s*[-–—]\s*(?P<last>m\d+))?"
    rf"(?:\s*[:,@]?\s*(?:at\s+)?(?P<at>{TIME})s?(?:\s*(?:-|–|—|to)\s*(?P<to>{TIME})s?)?)?",
    re.IGNORECASE,
)
_PLACE = re.compile(
    rf"(?:(?P<name>.+?)\s+(?=\d+:))?(?:at\s+)?(?P<at>{TIME})\s*s?(?:\s*(?:-|–|—|\bto\b)\s*(?P<to>{TIME})\s*s?)?",
    re.IGNORECASE,
)
_EDGE = re.compile(
    r"(?:[.!?][\"”»)*_]*(?:\s*[\[【][^\[\]【】]*[\]】])*\s+|[。！？](?:[\[【][^\[\]【】]*[\]】])*\s*)(?=\S)"
)
# Their full stops end no sentence: quotations, abbreviations, numbers of a list, letters of options.
_WHOLE = re.compile(
    r"“[^”\n]*”|\"[^\"\n]*\"|\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|approx|e\.g|i\.e)\.|\b[A-Z]\.(?=\s)"
    r"|^[ \t>*_]*\(?(?:\d{1,3}|[a-zA-Z])[.)](?=\s)",
    re.MULTILINE,
)
_FEW = 2  # words; a shorter sentence, such as "No.", belongs to its neighbour
_RULE = re.compile(r"[\s|:=*_#-]*")  # a line that only draws a table


@dataclass(frozen=True, slots=True)
class Mark:
    """One pair of brackets in a draft: where it stands, and the moments that it cites."""

    start: int
    end: int
    cited: tuple[Cited, ...]


class Cited(NamedTuple):
    """A cited moment: its id, and the seconds that the draft names itself."""

    id: str
    at: TimeSpan | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a draft: its text without marks, where it stands in the draft, and the moments that it cites.

    A statement that stands nowhere in the draft's text, because only its claims have it, has no place: `start` is -1.
    """

    text: str
    start: int
    end: int
    cited: tuple[Cited, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """A draft as statements and marks, and how many citations it has and how many of them point to nothing."""

    text: str
    statements: tuple[Statement, ...]
    marks: tuple[Mark, ...]
    citations: int
    removed: int


def read_draft(draft: Draft, moments: Mapping[str, Evidence], names: Mapping[str, str]) -> Read:
    """The statements of a draft.

    Args:
        draft: text, and claims with ids.
        moments: those of the run, by id.
        names: file names of the open videos, by library id.
    """
    if not draft.text:
        return _told_by_claims(draft, moments)
    marks, removed = _marks(draft.text, moments, names)
    statements = [_statement(draft.text, start, end, marks) for start, end in _pieces(draft.text)]
    cited = sum(len(mark.cited) for mark in marks)
    for claim in draft.claims:
        known = tuple(Cited(name, None) for name in claim.moments if name in moments)
        told = tuple(
            each
            for name in claim.moments
            if name not in moments
            for each in _cited(name, moments, names, loose=True) or ()
        )
        removed += sum(name not in moments and not _cited(name, moments, names, loose=True) for name in claim.moments)
        cited += len(known) + len(told)
        statements = _joined(statements, claim.text, (*known, *told), moments, names)
    timed = tuple(each if each.cited else _by_time(each, moments, names) for each in statements)
    return Read(draft.text, timed, marks, cited + removed, removed)


def _told_by_claims(draft: Draft, moments: Mapping[str, Evidence]) -> Read:
    """A draft whose claims are its text."""
    text, statements = "", list[Statement]()
    for claim in draft.claims:
        text += " " if text else ""
        cited = tuple(Cited(name, None) for name in claim.moments if name in moments)
        statements.append(Statement(claim.text, len(text), len(text) + len(claim.text), cited))
        text += claim.text
    given = sum(len(claim.moments) for claim in draft.claims)
    backed = sum(len(each.cited) for each in statements)
    return Read(text, tuple(statements), (), given, given - backed)


def citations_of(cited: Sequence[Cited], moments: Mapping[str, Evidence]) -> tuple[Citation, ...]:
    """Cited moments as an answer publishes them: at the seconds that the draft names, one for each time."""
    found: dict[Any, Citation] = {}
    for each in cited:
        whole = Citation.of(moments[each.id])
        if each.at is not None:
            end = each.at.end if each.at.length else max(whole.end, each.at.start)
            whole = whole.model_copy(update={"start": round(each.at.start, 3), "end": round(end, 3)})
        found.setdefault(each.at or each.id, whole)
    return tuple(dict.fromkeys(found.values()))


def without_marks(text: str) -> str:
    """A draft without what it cites: bracketed times and ids of moments, whatever they point to."""
    kept, at = "", 0
    for mark in _marks(text, {}, {})[0]:
        kept, at = kept + text[at : mark.start], mark.end
    return re.sub(r"\s+([.,;!?])", r"\1", kept + text[at:]).strip()


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence, list item and table row begins and ends, with the marks behind it."""
    place = 0
    for line in text.splitlines(keepends=True):
        masked = _WHOLE.sub(lambda match: "_" * len(match[0]), line)
        edges = [0, *(match.end() for match in _EDGE.finditer(masked)), len(line)]
        begun = 0
        for start, end in zip(edges, edges[1:], strict=False):
            few = len(re.findall(r"\w+", line[begun:end])) <= _FEW
            if (few and end < len(line)) or not line[begun:end].strip():
                continue  # it joins the next sentence
            piece = line[begun:end]
            if not _RULE.fullmatch(piece):
                lead = len(piece) - len(piece.lstrip())
                yield place + begun + lead, place + begun + len(piece.rstrip())
            begun = end
        place += len(line)


def _statement(text: str, start: int, end: int, marks: Sequence[Mark]) -> Statement:
    own = [mark for mark in marks if start <= mark.start < end]
    kept, at = "", start
    for mark in own:
        kept, at = kept + text[at : mark.start], mark.end
    plain = re.sub(r"\s+([.,;!?])", r"\1", kept + text[at:end])
    plain = re.sub(r"^[\s>|*#_-]*(?:\d{1,3}[.)]\s+|[-*•]\s+)?|[*_]{2}|`|\s*\|\s*$", "", plain).strip()
    cited = tuple(dict.fromkeys(each for mark in own for each in mark.cited))
    return Statement(plain, start, end, cited)


def _joined(
    statements: Sequence[Statement],
    claim: str,
    cited: tuple[Cited, ...],
    moments: Mapping[str, Evidence],
    names: Mapping[str, str],
) -> list[Statement]:
    """The statements with a claim: the one that says the same takes its moments, else the claim is one of its own."""
    text = _statement(claim, 0, len(claim), _marks(claim, moments, names)[0]).text
    bare = _plain(text)
    for place, each in enumerate(statements):
        own = _plain(each.text)
        if own and each.start >= 0 and (own == bare or own in bare):
            merged = replace(each, cited=tuple(dict.fromkeys((*each.cited, *cited))))
            return [*statements[:place], merged, *statements[place + 1 :]]
    inside = next((each for each in statements if bare and bare in _plain(each.text)), None)
    if inside is not None:
        merged = replace(inside, cited=tuple(dict.fromkeys((*inside.cited, *cited))))
        return [merged if each is inside else each for each in statements]
    return [*statements, Statement(text, -1, -1, cited)] if bare else list(statements)


def _by_time(statement: Statement, moments: Mapping[str, Evidence], names: Mapping[str, str]) -> Statement:
    """A statement without marks, with the moments at the clock times that it states."""
    found = [each for time in _CLOCKED.findall(statement.text) for each in _at(time, None, None, moments, names)]
    return replace(statement, cited=tuple(dict.fromkeys(found)))


def _marks(text: str, moments: Mapping[str, Evidence], names: Mapping[str, str]) -> tuple[tuple[Mark, ...], int]:
    """The marks of a text, and how many of its citations point to no moment of the run. Quotations hold no marks."""
    masked = re.sub(r"“[^”\n]*”|\"[^\"\n]*\"", lambda match: "_" * len(match[0]), text)
    found: list[Mark] = []
    removed = 0
    for match in _BRACKET.finditer(masked):
        inside = match[1] or match[2] or match[3]
        parts = [part for part in re.split(r"[,;&]|\band\b", inside) if part.strip()]
        loose = match[3] is None  # parentheses hold other things, too
        read = [_cited(part, moments, names, loose=loose) for part in parts]
        if parts and all(each is not None for each in read):
            cited = tuple(dict.fromkeys(each for one in read for each in one or ()))
            removed += sum(not each for each in read)
            found.append(Mark(match.start(), match.end(), cited))
    return tuple(found), removed


def _cited(
    part: str, moments: Mapping[str, Evidence], names: Mapping[str, str], *, loose: bool
) -> tuple[Cited, ...] | None:
    """The moments that one citation names, none if it points to nothing; None if it isn't a citation at all."""
    part = part.strip().strip("[]")
    mark = _MARK.fullmatch(part)
    if mark and (mark["id"].lower().startswith("m") or (loose and f"m{mark['id']}" in moments and not mark["at"])):
        first = "m" + mark["id"].lower().lstrip("m")
        last = (mark["last"] or first).lower()
        ids = [f"m{number}" for number in range(int(first[1:]), min(int(last[1:]), int(first[1:]) + 50) + 1)]
        return tuple(Cited(name, _inside(mark["at"], mark["to"], moments[name])) for name in ids if name in moments)
    if part in moments:
        return (Cited(part, None),)
    place = _PLACE.fullmatch(part)
    if place and (loose or _CLOCKED.search(part)) and _known_name(place["name"], names):
        return _at(place["at"], place["to"], place["name"], moments, names)
    return None


def _at(
    start: str, end: str | None, name: str | None, moments: Mapping[str, Evidence], names: Mapping[str, str]
) -> tuple[Cited, ...]:
    """The moments at a time of a draft, the most exact first; none if the run has none there."""
    span = _span(start, end)
    near = [
        (identity, moment)
        for identity, moment in moments.items()
        if moment.modality != "metadata" and (name is None or _is_named(moment.video, name, names))
        if _off(span, moment.span) <= max(_SECOND, _TENTH * moment.span.length)
    ]
    ranked = sorted(near, key=lambda pair: (_off(span, pair[1].span) > 0, pair[1].span.length))
    return tuple(Cited(identity, span) for identity, _ in ranked[:MAX_AT])


def _inside(start: str | None, end: str | None, moment: Evidence) -> TimeSpan | None:
    """The time that a draft gives beside an id, if it lies in that moment."""
    if start is None:
        return None
    span = _span(start, end)
    return span if _off(span, moment.span) <= max(_SECOND, _TENTH * moment.span.length) else None


def _span(start: str, end: str | None) -> TimeSpan:
    first, last = sorted((parse_time(start), parse_time(end or start)))
    return TimeSpan(start=first, end=last)


def _off(one: TimeSpan, other: TimeSpan) -> float:
    """Seconds between two spans; 0 if they touch."""
    return max(0.0, one.start - other.end, other.start - one.end)


def _known_name(name: str | None, names: Mapping[str, str]) -> bool:
    return name is None or not names or any(_is_named(video, name, names) for video in names)


def _is_named(video: str, written: str, names: Mapping[str, str]) -> bool:
    name = names.get(video, video)
    return written.casefold() in {video.casefold(), name.casefold(), PurePath(name).stem.casefold()}


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))
