"""Splits a draft into statements, and finds the moments that each of them cites.

A draft cites by marks, which are ids in any brackets (`[m12]`) and times in square ones (`[00:14:07]`,
`[talk.mp4 00:14:07-00:14:12]`), alone or together. Ids are for us and are taken out; a time is something that the writer
says, so it stays in the text, within a mark or outside of one. A statement is a sentence, a list item or a table row with
the marks behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import PurePath
from typing import Any, NamedTuple

from longtake.agent.drafts.draft import Draft, DraftClaim
from longtake.agent.gathering.moments import GENERIC
from longtake.language.text import words_of
from longtake.memory.records import Citation, Evidence
from longtake.memory.timespan import TIME, TimeSpan, clock, parse_time
from longtake.preprocess.layers.speaker_lines import SPEAKERS

_LONGEST = 120.0  # seconds of a span that cites; a longer one says which part is meant, and proves nothing by itself
_HALF = 0.5  # share of a moment that lies in a span which cites it, or of a span that a passage of speech fills
_SECOND, _TENTH = 1.0, 0.1  # how far a stated time may be off: a second, or this share of a moment
_MOST_IDS = 50  # that a range of ids stands for
# In brackets, or an id in the middle of a sentence; "12 m3" is a volume.
_ROUND, _BARE = 3, 4  # groups of
_BRACKET = re.compile(r"[^\S\n]*(?:\[([^\[\]]+)\]|【([^【】]+)】|\(([^()]+)\)|(?<![\w.])(?<!\d )(m\d+)(?!\w))")
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
_MARKED = "\0"  # stands for the letters of marks where edges are sought
_EDGE = re.compile(r"(?:[.!?][\"”»)*_]*(?:\s*\0+)*\s+|[。！？](?:\s*\0+)*\s*)(?=[^\s\0])")
# Where marks stand before what they are about, none belongs to the sentence before it.
_LED = re.compile(r"[\s>*_-]*(?:\d{1,3}[.)]\s+)?\0.*[^\s\0.]\s*[.!?。！？]?\s*$")
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


class Cited(NamedTuple):
    """A cited moment: its id, and the seconds that the draft names itself."""

    id: str
    at: TimeSpan | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a draft: its text without ids, where it stands in the draft, and the moments that it cites.

    A statement that stands nowhere in the draft's text, because only its claims have it, has no place: `start` is -1.
    `shares` says that what it cites stands behind the next sentence.
    """

    text: str
    start: int
    end: int
    cited: tuple[Cited, ...] = ()
    shares: bool = False

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


@dataclass(frozen=True, slots=True)
class _Piece:
    """A statement before its moments are sought: its text with and without the times of its marks, and its marks."""

    text: str
    bare: str
    start: int
    end: int
    marks: tuple[Mark, ...] = ()


def read_draft(draft: Draft, moments: Mapping[str, Evidence], names: Mapping[str, str], *, marked: bool = True) -> Read:
    """The statements of a draft.

    Args:
        draft: text, and claims with ids.
        moments: those of the run, by id.
        names: file names of the open videos, by library id.
        marked: whether claims that are the text may hold marks; quotations don't.
    """
    text = draft.text or " ".join(claim.text for claim in draft.claims)
    marks = marks_in(text, moments, names) if draft.text or marked else ()
    pieces: list[_Piece] = []
    if draft.text:
        pieces = _led([_piece(text, start, end, marks, names) for start, end in _edges(text, marks)], text)
        for claim in draft.claims:
            pieces = _joined(pieces, claim, moments, names)
    else:
        start = 0
        for claim in draft.claims:
            piece = _piece(text, start, start + len(claim.text), marks, names)
            pieces.append(replace(piece, marks=(*piece.marks, *_listed(claim, moments, names))))
            start += len(claim.text) + 1
    found = [_cites(piece, moments) for piece in pieces]
    removed = sum(lost for _, lost in found)
    statements = [
        Statement(piece.text, piece.start, piece.end, cited) for piece, (cited, _) in zip(pieces, found, strict=True)
    ]
    backed = sum(len(cited) for cited, _ in found)
    shared = tuple(_shared(statements, text, marks))
    return Read(text, shared, tuple(held(mark, moments) for mark in marks), backed + removed, removed)


def stated_times(text: str) -> Iterator[TimeSpan]:
    """The clock times and spans in a text."""
    for match in _STATED.finditer(text):
        yield _span(match["at"], match["to"])


def citations_of(cited: Sequence[Cited], moments: Mapping[str, Evidence]) -> tuple[Citation, ...]:
    """Cited moments as an answer publishes them: one citation for a moment, and one for what fills a span.

    A span that cites several moments of a kind is one place: its quote is what they say, in order.
    """
    found: dict[Any, Citation] = {}
    for each in cited:
        moment = moments[each.id]
        span = _part_of(moment.span, each.at)
        own = Citation.of(moment).model_copy(update={"start": round(span.start, 3), "end": round(span.end, 3)})
        place = (each.at, moment.video, moment.modality) if each.at and each.at.length else each.id
        held = found.setdefault(place, own)
        if held is not own:
            quote, end = f"{held.quote} {own.quote}", max(held.end, own.end)
            found[place] = held.model_copy(update={"start": min(held.start, own.start), "end": end, "quote": quote})
    return tuple(dict.fromkeys(found.values()))


def _part_of(moment: TimeSpan, at: TimeSpan | None) -> TimeSpan:
    """The part of a moment that a draft names; all of it, unless that is clearly less."""
    if at is None or not at.overlaps(moment):
        return moment
    start, end = max(moment.start, at.start), min(moment.end, at.end) if at.length else moment.end
    least = _HALF * moment.length if at.length else 0.0
    return moment if at.length and end - start >= least or end - start < _SECOND else TimeSpan(start=start, end=end)


def without_marks(text: str) -> str:
    """A draft without what it cites: bracketed times and ids of moments, whatever they point to."""
    kept, at = "", 0
    for mark in marks_in(text, {}, {}):
        kept, at = kept + text[at : mark.start], mark.end
    return re.sub(r"\s+([.,;!?])", r"\1", kept + text[at:]).strip()


def _edges(text: str, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """Where each sentence, list item and table row begins and ends, with the marks behind it."""
    masked = text
    apart = [(mark.start, mark.end) for mark in marks]
    apart += [match.span() for match in _BRACKET.finditer(text) if match[3] and _STATED.fullmatch(match[3].strip())]
    for start, end in apart:  # a time in parentheses belongs where a mark does
        masked = masked[:start] + re.sub(r"\S", _MARKED, masked[start:end]) + masked[end:]
    found: list[tuple[int, int]] = []
    place = 0
    for line in masked.splitlines(keepends=True):
        whole = _WHOLE.sub(lambda match: "_" * len(match[0]), line)
        edge = _LED_EDGE if _LED.match(line) else _EDGE
        begun = 0
        for end in [*(match.end() for match in edge.finditer(whole)), len(line)]:
            piece = line[begun:end]
            if (len(_WORD.findall(piece)) <= _FEW and end < len(line)) or not piece.strip():
                continue  # it joins the next sentence
            first, last = place + begun + len(piece) - len(piece.lstrip()), place + begun + len(piece.rstrip())
            if any(map(str.isalnum, piece)) or (not found and any(stated_times(text[first:last]))):
                found.append((first, last))
            elif found and _MARKED in piece:  # marks alone belong to what stands before them
                found[-1] = (found[-1][0], last)
            begun = end
        place += len(line)
    return found


def _piece(text: str, start: int, end: int, marks: Sequence[Mark], names: Mapping[str, str]) -> _Piece:
    own = tuple(mark for mark in marks if start < mark.end <= end)
    told = bare = ""
    at = start
    for mark in own:
        between, at = text[at : mark.start], mark.end
        told += between + "".join(f" {time.told(names)}" for time in mark.times)
        bare += between + " "
    return _Piece(_plain(told + text[at:end]), bare + text[at:end], start, end, own)


def _plain(text: str) -> str:
    """A text without what formats it, and without the gaps that marks leave."""
    plain = re.sub(r"[,;]+(?=[.!?])", "", re.sub(r"\s+([.,;!?])", r"\1", text))
    return re.sub(r"^[\s>|*#_-]*(?:\d{1,3}[.)]\s+|[-*•]\s+)?|[*_]{2}|`|\s*\|\s*$", "", plain).strip()


def _led(pieces: Iterable[_Piece], text: str) -> list[_Piece]:
    """The pieces; items of a list and rows of a table without marks cite what the line that leads to them cites."""
    kept: list[_Piece] = []
    leading: tuple[Mark, ...] = ()
    for each in pieces:
        if each.text.endswith(":"):
            leading = each.marks
        elif not _ITEM.match(text, text.rfind("\n", 0, each.start) + 1):
            leading = ()
        kept.append(each if each.marks else replace(each, marks=leading))
    return kept


def _joined(
    pieces: Sequence[_Piece], claim: DraftClaim, moments: Mapping[str, Evidence], names: Mapping[str, str]
) -> list[_Piece]:
    """The pieces with a claim: the one that says the same takes its marks, else the claim is one of its own."""
    own = _piece(claim.text, 0, len(claim.text), marks_in(claim.text, moments, names), names)
    listed = _listed(claim, moments, names)
    bare = words_of(own.text)
    if not bare:
        return [*pieces]
    said = [words_of(each.text) for each in pieces]
    same = (n for n, words in enumerate(said) if words and pieces[n].start >= 0 and (words == bare or words in bare))
    alike = (n for n, words in enumerate(said) if _repeats(bare, words))
    place = next(same, next(alike, None))
    if place is None:
        return [*pieces, replace(own, start=-1, end=-1, marks=listed)]
    merged = replace(pieces[place], marks=(*pieces[place].marks, *listed))
    return [*pieces[:place], merged, *pieces[place + 1 :]]


def _repeats(claim: str, statement: str) -> bool:
    """Whether a statement has the words of a claim: nearly all of them, and every number."""
    words, own = claim.split(), set(statement.split())
    missing = [word for word in words if word not in own]
    return claim in statement or (
        len(missing) <= _REWORDED * len(words) and not any(map(str.isdigit, "".join(missing)))
    )


def _shared(statements: Sequence[Statement], text: str, marks: Sequence[Mark]) -> Iterator[Statement]:
    """The statements; one without a mark or time shares the mark that ends the next sentence of its paragraph.

    A mark at the end of a paragraph commonly stands for more than the last sentence, as notes do in encyclopedias.
    Scores of citations count sentence by sentence instead (ALCE, Gao et al. 2023), but whoever judges a statement can
    only gain by seeing the moment that its writer meant.
    """
    for each, following in zip_longest(statements, statements[1:]):
        bare = not each.cited and not any(each.holds(mark.end) for mark in marks) and not any(stated_times(each.text))
        shares = (
            bare
            and following is not None
            and 0 <= each.end <= following.start
            and "\n" not in text[each.end : following.start]
            and any(following.holds(mark.end) and text[following.start : mark.start].strip() for mark in marks)
        )
        yield replace(each, cited=following.cited, shares=True) if shares else each


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
        mark = _mark(re.split(r"[,;&]|\band\b", inside), moments, names, numbered=ids or not written)
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


def _listed(claim: DraftClaim, moments: Mapping[str, Evidence], names: Mapping[str, str]) -> tuple[Mark, ...]:
    """The ids and times that a claim lists, as marks."""
    return tuple(_mark([place], moments, names) or Mark(-1, -1, (), (), 1) for place in claim.moments)


def _mark(
    parts: Sequence[str], moments: Mapping[str, Evidence], names: Mapping[str, str], *, numbered: bool = True
) -> Mark | None:
    """The ids and times in a pair of brackets; None if it holds anything else. `numbered` takes a bare number for an id."""
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
                own = [f"m{n}" for n in range(first, min(last, first + _MOST_IDS) + 1) if f"m{n}" in moments]
                lost += not own
                ids += own
            if match["at"]:
                times.append(Time(_span(match["at"], match["to"]), video))
    home = moments[ids[0]].video if ids else ""
    placed = tuple(time if time.video else Time(time.span, home) for time in times)
    return Mark(-1, -1, tuple(dict.fromkeys(ids)), placed, lost) if bare else None


def _cites(piece: _Piece, moments: Mapping[str, Evidence]) -> tuple[tuple[Cited, ...], int]:
    """The moments that a piece cites, and how many of its marks point to nothing.

    A time at a moment that is cited by its id says where in it, and cites no other moment of that time: one place has one
    citation. Where there are marks, times outside of them that lie elsewhere cite nothing: they may be times of day.
    Neither do they where the writer of the draft has seen nothing; a judge sees more moments, whose ids begin with
    another letter.
    """
    ids = dict.fromkeys(name for mark in piece.marks for name in mark.ids)
    marked = [time for mark in piece.marks for time in mark.times]
    cited: dict[str, TimeSpan | None] = dict.fromkeys(ids)
    lost = sum(mark.lost for mark in piece.marks)
    for place, time in enumerate([*marked, *map(Time, stated_times(piece.bare))]):
        inside = [name for name in ids if _is_place(moments[name]) and _near(time.span, moments[name])]
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


def held(mark: Mark, moments: Mapping[str, Evidence]) -> Mark:
    """A mark without the times that point to nothing."""
    return replace(mark, times=tuple(time for time in mark.times if _is_held(time, moments)))


def _is_held(time: Time, moments: Mapping[str, Evidence]) -> bool:
    """Whether there is anything at a time that cites; a long span only says which part is meant."""
    return time.span.length > _LONGEST or bool(_at(time, moments))


def _at(time: Time, moments: Mapping[str, Evidence]) -> list[str]:
    """The ids of the moments at a time of a draft, the most exact first; of those in a span, in order.

    Whoever writes whole seconds cuts what follows: 01:08 is any time up to 01:09. What begins then comes first, and what
    else is said then is meant, too.
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
    near = {name: moment for name, moment in near.items() if not moment.content.startswith(GENERIC)} or near
    if span.length:
        there = [name for name, moment in near.items() if _fills(span, moment)] or [*near]
        return sorted(there, key=lambda name: near[name].span.start)
    begins = {name for name, moment in near.items() if second.start <= moment.span.start < second.end}
    ranked = sorted(near, key=lambda name: (name not in begins, near[name].span.length))
    there = [name for name in ranked if second.overlaps(near[name].span)]
    return [name for name in there if name == there[0] or near[name].modality == "speech"] or ranked[:1]


def _fills(span: TimeSpan, moment: Evidence) -> bool:
    """Whether a span that cites means a moment: half of it lies in the span, or it is speech that fills half of that."""
    shared = span.shared(moment.span)
    spoken = moment.modality == "speech" and shared >= _HALF * span.length
    return spoken or (span.overlaps(moment.span) and shared >= _HALF * moment.span.length)


def _is_place(moment: Evidence) -> bool:
    """Whether a moment has a time of its own; facts about a whole recording don't."""
    return moment.modality != "metadata" and moment.engine != SPEAKERS


def _near(span: TimeSpan, moment: Evidence) -> bool:
    return span.apart(moment.span) <= max(_SECOND, _TENTH * moment.span.length)


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
