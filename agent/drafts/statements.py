"""Splits a draft into statements, and finds the moments that each of them cites.

A draft cites by ids (`[m12]`), by times (`[00:14:07]`, `[talk.mp4 00:14:07-00:14:12]`) or by both. A statement is a
sentence, a list item or a table row with the marks behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, NamedTuple

from longtake.agent.drafts.draft import Draft
from longtake.agent.gathering.moments import GENERIC
from longtake.language.text import words_of
from longtake.memory.records import Citation, Evidence
from longtake.memory.timespan import TIME, TimeSpan, parse_time
from longtake.preprocess.layers.speaker_lines import SPEAKERS

MAX_AT = 5  # moments at one time that are taken for what is cited
_WITHIN = 0.5  # share of a moment that lies in a span which cites it, and of a span that it fills
_SECOND, _TENTH = 1.0, 0.1  # how far a stated time may be off: a second, or this share of a moment
# In brackets, or an id in the middle of a sentence; "12 m3" is a volume.
_BRACKET = re.compile(r"[^\S\n]*(?:\[([^\[\]]+)\]|【([^【】]+)】|\(([^()]+)\)|(?<![\w.])(?<!\d )(m\d+)(?!\w))")
QUOTATION = re.compile(r"“[^”\n]*”|(?<!\d)\"[^\"\n]*\"")  # 5" is a length
# A clock time as it is written.
CLOCKED = re.compile(r"(?<![\d:.])\d{1,3}:\d\d(?::\d\d)?(?:\.\d+)?(?!\d|:\d)")
_CLOCK = CLOCKED.pattern
_STATED = re.compile(rf"(?P<at>{_CLOCK})(?:\s*(?:-|–|—|\bto\b|\band\b|\buntil\b)\s*(?P<to>{_CLOCK}))?")
_MARK = re.compile(
    rf"(?:(?:see|at|from|moments?|evidence|ids?)\s+)?(?P<id>m?\d+)(?:\s*(?:[-–—]|\bto\b)\s*(?P<last>m\d+))?"
    rf"(?:\s*[:,@]?\s*(?:at\s+)?(?P<at>{TIME})s?(?:\s*(?:-|–|—|to)\s*(?P<to>{TIME})s?)?)?",
    re.IGNORECASE,
)
_PLACE = re.compile(
    rf"(?:(?P<name>(?!(?:at|from)\s|\d+:\d).+?)\s+(?=\d+:))?(?:(?:at|from)\s+)?(?P<at>{TIME})\s*s?(?:\s*(?:-|–|—|\bto\b)\s*(?P<to>{TIME})\s*s?)?",
    re.IGNORECASE,
)
_EDGE = re.compile(
    r"(?:[.!?][\"”»)*_]*(?:\s*[\[【][^\[\]【】]*[\]】])*\s+|[。！？](?:\s*[\[【][^\[\]【】]*[\]】])*\s*)(?=[^\s\[【])"
)
# Where marks stand before what they are about, none belongs to the sentence before it.
_LED = re.compile(r"[\s>*_-]*(?:\d{1,3}[.)]\s+)?[\[【].*[^\s\]】.]\s*[.!?。！？]?\s*$")
_LED_EDGE = re.compile(r"(?:[.!?][\"”»)*_]*\s+|[。！？]\s*)(?=\S)")
# Their full stops end no sentence: quotations, abbreviations, numbers of a list, letters of options.
_WHOLE = re.compile(
    r"“[^”\n]*”|\"[^\"\n]*\"|\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|approx|e\.g|i\.e)\.|\b[A-Z]\.(?=\s)"
    r"|^[ \t>*_]*\(?(?:\d{1,3}|[a-zA-Z])[.)](?=\s)",
    re.MULTILINE,
)
_ITEM = re.compile(r"[\s>]*(?:[-*•|]|\d{1,3}[.)]\s)")  # of a list, or a row of a table
_REWORDED = 0.2  # share of a claim's words that a statement which says the same may lack
_FEW = 2  # words; a shorter sentence, such as "No.", belongs to its neighbour
_WORD = re.compile(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+")  # Chinese and Japanese put no spaces between words


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

    def holds(self, end: int) -> bool:
        """Whether a mark that ends there belongs to it."""
        return self.start < end <= self.end


@dataclass(frozen=True, slots=True)
class Read:
    """A draft as statements and marks, and how many citations it has and how many of them point to nothing."""

    text: str
    statements: tuple[Statement, ...]
    marks: tuple[Mark, ...]
    citations: int
    removed: int


def read_draft(draft: Draft, moments: Mapping[str, Evidence], names: Mapping[str, str], *, marked: bool = True) -> Read:
    """The statements of a draft.

    Args:
        draft: text, and claims with ids.
        moments: those of the run, by id.
        names: file names of the open videos, by library id.
        marked: whether claims that are the text may hold marks; quotations don't.
    """
    if not draft.text:
        return _told_by_claims(draft, moments, names, marked=marked)
    marks, removed = marks_in(draft.text, moments, names)
    pieces = (_statement(draft.text, start, end, marks) for start, end in _pieces(draft.text))
    statements = _led(_with_their_marks(pieces), draft.text)
    cited = sum(len(mark.cited) for mark in marks)
    for claim in draft.claims:
        told, lost = _told(claim.moments, moments, names)
        cited, removed = cited + len(told), removed + lost
        statements = _joined(statements, claim.text, told, moments, names)
    known = _known(moments)
    timed = tuple(each if each.cited else _by_time(each, known, names) for each in statements)
    return Read(draft.text, timed, marks, cited + removed, removed)


def _told_by_claims(draft: Draft, moments: Mapping[str, Evidence], names: Mapping[str, str], *, marked: bool) -> Read:
    """A draft whose claims are its text."""
    text = " ".join(claim.text for claim in draft.claims)
    marks, removed = marks_in(text, moments, names) if marked else ((), 0)
    statements, start = list[Statement](), 0
    for claim in draft.claims:
        end = start + len(claim.text)
        own = _statement(text, start, end, marks) if marked else Statement(claim.text, start, end)
        told, lost = _told(claim.moments, moments, names)
        removed += lost
        statements.append(replace(own, cited=tuple(dict.fromkeys((*own.cited, *told)))))
        start = end + 1
    backed = sum(len(each.cited) for each in statements)
    return Read(text, tuple(statements), marks, backed + removed, removed)


def _told(
    places: Sequence[str], moments: Mapping[str, Evidence], names: Mapping[str, str]
) -> tuple[tuple[Cited, ...], int]:
    """The moments that a claim lists by ids or times, and how many of its places are none."""
    each = [
        (Cited(place, None),) if place in moments else _cited(place, moments, names, loose=True) for place in places
    ]
    return tuple(cited for found in each for cited in found or ()), sum(not found for found in each)


def stated_times(text: str) -> Iterator[tuple[float, float]]:
    """The clock times and spans in a text, as seconds from and to."""
    for match in _STATED.finditer(text):
        span = _span(match["at"], match["to"])
        yield span.start, span.end


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
    for mark in marks_in(text, {}, {})[0]:
        kept, at = kept + text[at : mark.start], mark.end
    return re.sub(r"\s+([.,;!?])", r"\1", kept + text[at:]).strip()


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence, list item and table row begins and ends, with the marks behind it."""
    place = 0
    for line in text.splitlines(keepends=True):
        masked = _WHOLE.sub(lambda match: "_" * len(match[0]), line)
        edge = _LED_EDGE if _LED.match(line) else _EDGE
        edges = [0, *(match.end() for match in edge.finditer(masked)), len(line)]
        begun = 0
        for end in edges[1:]:
            few = len(_WORD.findall(line[begun:end])) <= _FEW
            if (few and end < len(line)) or not line[begun:end].strip():
                continue  # it joins the next sentence
            piece = line[begun:end]
            if any(map(str.isalnum, piece)):  # not a line that only draws a table
                lead = len(piece) - len(piece.lstrip())
                yield place + begun + lead, place + begun + len(piece.rstrip())
            begun = end
        place += len(line)


def _statement(text: str, start: int, end: int, marks: Sequence[Mark]) -> Statement:
    own = [mark for mark in marks if start < mark.end <= end]
    kept, at = "", start
    for mark in own:
        kept, at = kept + text[at : mark.start], mark.end
    plain = re.sub(r"\s+([.,;!?])", r"\1", kept + text[at:end])
    plain = re.sub(r"[,;]+(?=[.!?])", "", plain)
    plain = re.sub(r"^[\s>|*#_-]*(?:\d{1,3}[.)]\s+|[-*•]\s+)?|[*_]{2}|`|\s*\|\s*$", "", plain).strip()
    cited = tuple(dict.fromkeys(each for mark in own for each in mark.cited))
    return Statement(plain, start, end, cited)


def _with_their_marks(statements: Iterable[Statement]) -> list[Statement]:
    """The statements; a line that has marks alone belongs to the one before it."""
    kept: list[Statement] = []
    for each in statements:
        if words_of(each.text):
            kept.append(each)
        elif kept:
            cited = tuple(dict.fromkeys((*kept[-1].cited, *each.cited)))
            kept[-1] = replace(kept[-1], end=each.end, cited=cited)
    return kept


def _led(statements: Iterable[Statement], text: str) -> list[Statement]:
    """The statements; items of a list and rows of a table without marks cite what the line that leads to them cites."""
    kept: list[Statement] = []
    leading: tuple[Cited, ...] = ()
    for each in statements:
        if each.text.endswith(":"):
            leading = each.cited
        elif not _ITEM.match(text, text.rfind("\n", 0, each.start) + 1):
            leading = ()
        kept.append(each if each.cited else replace(each, cited=leading))
    return kept


def _joined(
    statements: Sequence[Statement],
    claim: str,
    cited: tuple[Cited, ...],
    moments: Mapping[str, Evidence],
    names: Mapping[str, str],
) -> list[Statement]:
    """The statements with a claim: the one that says the same takes its moments, else the claim is one of its own."""
    text = _statement(claim, 0, len(claim), marks_in(claim, moments, names)[0]).text
    bare = words_of(text)
    for place, each in enumerate(statements):
        own = words_of(each.text)
        if own and each.start >= 0 and (own == bare or own in bare):
            merged = replace(each, cited=tuple(dict.fromkeys((*each.cited, *cited))))
            return [*statements[:place], merged, *statements[place + 1 :]]
    inside = next((each for each in statements if bare and _repeats(bare, words_of(each.text))), None)
    if inside is not None:
        merged = replace(inside, cited=tuple(dict.fromkeys((*inside.cited, *cited))))
        return [merged if each is inside else each for each in statements]
    return [*statements, Statement(text, -1, -1, cited)] if bare else list(statements)


def _repeats(claim: str, statement: str) -> bool:
    """Whether a statement has the words of a claim: nearly all of them, and every number."""
    words, own = claim.split(), set(statement.split())
    missing = [word for word in words if word not in own]
    return claim in statement or (
        len(missing) <= _REWORDED * len(words) and not any(map(str.isdigit, "".join(missing)))
    )


def _by_time(statement: Statement, moments: Mapping[str, Evidence], names: Mapping[str, str]) -> Statement:
    """A statement without marks, with the moments at the clock times and between those that it states."""
    times = ((match["at"], match["to"]) for match in _STATED.finditer(statement.text))
    found = [each for start, end in times for each in _at(start, end, None, moments, names) or ()]
    return replace(statement, cited=tuple(dict.fromkeys(found)))


def marks_in(text: str, moments: Mapping[str, Evidence], names: Mapping[str, str]) -> tuple[tuple[Mark, ...], int]:
    """The marks of a text, and how many of its citations point to no moment of the run. Quotations hold no marks."""
    written = re.search(r"[\[【]\s*m\d", text)  # where ids are as they are shown, a bare number alone is none
    masked = QUOTATION.sub(lambda match: match[0] if _cites(match[0], moments) else "_" * len(match[0]), text)
    found: list[Mark] = []
    removed = 0
    at = 0
    while match := _BRACKET.search(masked, at):
        at = match.start(match.lastindex or 0) + 1  # what is no mark may hold one
        inside = match[1] or match[2] or match[3] or match[4]
        parts = [part for part in re.split(r"[,;&]|\band\b", inside) if part.strip()]
        loose = match[3] is None  # parentheses hold other things, too
        numbered = not written or bool(re.search(r"\bm\d", inside))
        read = [_cited(part, moments, names, loose=loose, numbered=numbered) for part in parts]
        if match[4] and not any(read):
            continue  # a word that looks like an id
        # A long span beside ids says where they lie.
        told = [each for part, each in zip(parts, read, strict=True) if each is not None or not _is_place(part)]
        if told and all(each is not None for each in told):
            cited = _timed(tuple(dict.fromkeys(each for one in read for each in one or ())))
            removed += sum(not each for each in told)
            found.append(Mark(match.start(), match.end(), cited))
            at = match.end()
    return tuple(found), removed


def _cites(quotation: str, moments: Mapping[str, Evidence]) -> bool:
    """Whether a quotation holds the id of a moment, which is no part of it."""
    return any(word in moments for word in re.findall(r"\bm\d+\b", quotation))


def _timed(cited: tuple[Cited, ...]) -> tuple[Cited, ...]:
    """What one pair of brackets cites; a time beside the id of its moment says where in it."""
    ids = {each.id for each in cited if each.at is None}
    times = {each.id: each.at for each in cited if each.at and each.id in ids}
    beside = set(times.values())
    return tuple(
        each if each.at else Cited(each.id, times.get(each.id))
        for each in cited
        if each.at is None or each.at not in beside
    )


def _cited(
    part: str, moments: Mapping[str, Evidence], names: Mapping[str, str], *, loose: bool, numbered: bool = True
) -> tuple[Cited, ...] | None:
    """The moments that one citation names, none if it points to nothing; None if it isn't a citation at all.

    `loose` takes what only brackets make a citation, and `numbered` a bare number for an id.
    """
    part = part.strip().strip("[]")
    mark = _MARK.fullmatch(part)
    written = mark["id"] if mark else ""
    if mark and (
        written[0] == "m"
        or (loose and (written[0] == "M" or (numbered and f"m{written}" in moments and not mark["at"])))
    ):
        first = "m" + mark["id"].lower().lstrip("m")
        last = (mark["last"] or first).lower()
        ids = [f"m{number}" for number in range(int(first[1:]), min(int(last[1:]), int(first[1:]) + 50) + 1)]
        return tuple(Cited(name, _inside(mark["at"], mark["to"], moments[name])) for name in ids if name in moments)
    if part in moments:
        return (Cited(part, None),)
    place = _PLACE.fullmatch(part)
    # A bare number is no time, and neither is one clock time in parentheses: (21:19) may be a score.
    clocked = len(CLOCKED.findall(part)) if place else 0
    timed = clocked or (loose and place is not None and not place["at"].isdecimal())
    if place and (timed if loose else clocked > 1 or place["name"]) and _known_name(place["name"], names):
        within = moments if loose or place["to"] else _known(moments)
        found = _at(place["at"], place["to"], place["name"], within, names)
        return found if loose or (found and _fills(found, moments)) else None
    return None


def _fills(found: Sequence[Cited], moments: Mapping[str, Evidence]) -> bool:
    """Whether moments fill half of a span that cites them: opening hours, too, stand in parentheses."""
    span = found[0].at or TimeSpan(start=0.0, end=0.0)
    return sum(span.shared(moments[each.id].span) for each in found) >= _WITHIN * span.length


def _known(moments: Mapping[str, Evidence]) -> Mapping[str, Evidence]:
    """The moments that the writer of a draft has seen; a judge sees others, whose ids begin with another letter."""
    return {identity: moment for identity, moment in moments.items() if identity[0] == "m"}


def _is_place(part: str) -> bool:
    return _PLACE.fullmatch(part.strip()) is not None


def _at(
    start: str, end: str | None, name: str | None, moments: Mapping[str, Evidence], names: Mapping[str, str]
) -> tuple[Cited, ...] | None:
    """The moments at a time of a draft, the most exact first; none if the run has none there.

    None for a span that holds too many: it says which part is meant, and proves nothing by itself.

    Whoever writes whole seconds cuts what follows: 01:08 is any time up to 01:09, and rather what begins then.
    """
    span = _span(start, end)
    second = span if end or not start.replace(":", "").isdecimal() else TimeSpan(start=span.start, end=span.start + 1)
    near = [
        (identity, moment)
        for identity, moment in moments.items()
        if moment.modality != "metadata" and moment.engine != SPEAKERS
        if name is None or _is_named(moment.video, name, names)
        if span.apart(moment.span) <= max(_SECOND, _TENTH * moment.span.length)
    ]
    # Not what is there all the time, such as silence, if anything else is.
    near = [pair for pair in near if not pair[1].content.startswith(GENERIC)] or near
    if end:  # nor what goes on far beyond
        near = [pair for pair in near if span.shared(pair[1].span) >= _WITHIN * pair[1].span.length] or near
    begins = {identity for identity, moment in near if second.start <= moment.span.start < second.end}
    ranked = sorted(near, key=lambda pair: (pair[0] not in begins, pair[1].span.length))
    if end:  # what fills most of the span comes first
        ranked.sort(key=lambda pair: -span.shared(pair[1].span))
    there = [pair for pair in ranked if second.overlaps(pair[1].span)] or ranked
    if end and len(there) > MAX_AT:
        return None
    return tuple(Cited(identity, span) for identity, _ in there[:MAX_AT])


def _inside(start: str | None, end: str | None, moment: Evidence) -> TimeSpan | None:
    """The time that a draft gives beside an id, if it lies in that moment."""
    if start is None:
        return None
    span = _span(start, end)
    return span if span.apart(moment.span) <= max(_SECOND, _TENTH * moment.span.length) else None


def _span(start: str, end: str | None) -> TimeSpan:
    first, last = sorted((parse_time(start), parse_time(end or start)))
    return TimeSpan(start=first, end=last)


def _known_name(name: str | None, names: Mapping[str, str]) -> bool:
    return name is None or not names or any(_is_named(video, name, names) for video in names)


def _is_named(video: str, written: str, names: Mapping[str, str]) -> bool:
    name = names.get(video, video)
    return written.casefold() in {video.casefold(), name.casefold(), PurePath(name).stem.casefold()}
