"""Splits a draft into statements: a sentence, a list item or a table row each, with the marks behind it.

The text of a statement has no ids, which only the run knows. Times stay, also those in marks: they say something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from longtake.agent.drafts.cited import (
    CitationMark,
    Cited,
    cites,
    held,
    mark_of,
    marks_in,
    parenthesised_times,
    stated_times,
)
from longtake.agent.drafts.draft import Draft, DraftClaim
from longtake.language.text import words_of
from longtake.memory.records import Moment

_MARKED = "\0"  # replaces the characters of marks while the ends of sentences are sought
_EDGE = re.compile(r"(?:[.!?][\"”»)*_]*(?:\s*\0+)*\s+|[。！？](?:\s*\0+)*\s*)(?=[^\s\0])")
# A line that begins with a mark has its marks in front: each belongs to the sentence that follows it.
_LED = re.compile(r"[\s>*_-]*(?:\d{1,3}[.)]\s+)?\0.*[^\s\0.]\s*[.!?。！？]?\s*$")
_LED_EDGE = re.compile(r"(?:[.!?][\"”»)*_]*\s+|[。！？]\s*)(?=\S)")
# Full stops in these end no sentence: quotations, abbreviations, numbers of a list, letters of options.
_WHOLE = re.compile(
    r"“[^”\n]*”|\"[^\"\n]*\"|\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|approx|e\.g|i\.e)\.|\b[A-Z]\.(?=\s)"
    r"|(?:^[ \t>*_]*|[:;,]\s+)\(?(?:\d{1,3}|[a-zA-Z])[.)](?=\s)",
    re.MULTILINE,
)
_ITEM = re.compile(r"[\s>]*(?:[-*•|]|\d{1,3}[.)]\s)")  # of a list, or a row of a table
_REWORDED = 0.2  # share of a claim's words that a statement which says the same may lack
_FEW = 1  # word; a sentence such as "No." belongs to its neighbour
_WORD = re.compile(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+")  # Chinese and Japanese put no spaces between words


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
class ReadDraft:
    """A draft as statements and marks, the number of its citations, and of those (`removed`) that point to nothing."""

    text: str
    statements: tuple[Statement, ...]
    marks: tuple[CitationMark, ...]
    citations: int
    removed: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A statement before its moments are known: its text with the times of marks, without (`bare`), and its marks."""

    text: str
    bare: str
    start: int
    end: int
    marks: tuple[CitationMark, ...] = ()


def read_draft(
    draft: Draft, moments: Mapping[str, Moment], names: Mapping[str, str], *, marked: bool = True
) -> ReadDraft:
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
    found = [cites(piece.marks, piece.bare, moments) for piece in pieces]
    removed = sum(lost for _, lost in found)
    statements = [
        Statement(piece.text, piece.start, piece.end, cited) for piece, (cited, _) in zip(pieces, found, strict=True)
    ]
    backed = sum(len(cited) for cited, _ in found)
    shared = tuple(_shared(statements, text, marks))
    return ReadDraft(text, shared, tuple(held(mark, moments) for mark in marks), backed + removed, removed)


def without_marks(text: str) -> str:
    """A draft without what it cites: bracketed times and ids of moments, whatever they point to."""
    kept, at = "", 0
    for mark in marks_in(text, {}, {}):
        kept, at = kept + text[at : mark.start], mark.end
    return re.sub(r"\s+([.,;!?])", r"\1", kept + text[at:]).strip()


def _edges(text: str, marks: Sequence[CitationMark]) -> list[tuple[int, int]]:
    """Where each sentence, list item and table row begins and ends, with the marks behind it."""
    masked = text
    for start, end in (*((mark.start, mark.end) for mark in marks), *parenthesised_times(text)):
        masked = masked[:start] + re.sub(r"\S", _MARKED, masked[start:end]) + masked[end:]
    found: list[tuple[int, int]] = []
    place = 0
    for line in masked.splitlines(keepends=True):
        whole = _WHOLE.sub(lambda match: "_" * len(match[0]), line)
        edge = _LED_EDGE if _LED.match(line) else _EDGE
        begun = 0
        for end in [*(match.end() for match in edge.finditer(whole)), len(line)]:
            piece = line[begun:end]
            few = len(_WORD.findall(text[place + begun : place + end])) <= _FEW
            if (few and end < len(line)) or not piece.strip():
                continue  # it joins the next sentence
            first, last = place + begun + len(piece) - len(piece.lstrip()), place + begun + len(piece.rstrip())
            if any(map(str.isalnum, piece)) or (not found and any(stated_times(text[first:last]))):
                found.append((first, last))
            elif found and _MARKED in piece:  # marks alone belong to what stands before them
                found[-1] = (found[-1][0], last)
            begun = end
        place += len(line)
    return found


def _piece(text: str, start: int, end: int, marks: Sequence[CitationMark], names: Mapping[str, str]) -> _Piece:
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
    """The pieces. Items of a list and rows of a table without marks get those of the line that introduces them."""
    kept: list[_Piece] = []
    leading: tuple[CitationMark, ...] = ()
    for each in pieces:
        if each.text.endswith(":"):
            leading = each.marks
        elif not _ITEM.match(text, text.rfind("\n", 0, each.start) + 1):
            leading = ()
        kept.append(each if each.marks else replace(each, marks=leading))
    return kept


def _joined(
    pieces: Sequence[_Piece], claim: DraftClaim, moments: Mapping[str, Moment], names: Mapping[str, str]
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


def _shared(statements: Sequence[Statement], text: str, marks: Sequence[CitationMark]) -> Iterator[Statement]:
    """The statements; one without a mark or time shares the mark that ends the next sentence of its paragraph.

    A mark at the end of a paragraph commonly stands for more than the last sentence, as notes do in encyclopedias.
    Scores of citations count sentence by sentence instead (ALCE, Gao et al. 2023), but a judge can only gain by seeing
    the moment that the writer meant. It isn't told that the statement cites it, for the moment may show the opposite.
    """
    for each, following in zip_longest(statements, statements[1:]):
        bare = not each.cited and not any(each.holds(mark.end) for mark in marks) and not any(stated_times(each.text))
        if (
            bare
            and following is not None
            and 0 <= each.end <= following.start
            and "\n" not in text[each.end : following.start]
            and any(following.holds(mark.end) and text[following.start : mark.start].strip() for mark in marks)
        ):
            yield replace(each, cited=following.cited, shares=True)
        else:
            yield each


def _listed(claim: DraftClaim, moments: Mapping[str, Moment], names: Mapping[str, str]) -> tuple[CitationMark, ...]:
    """The ids and times that a claim lists, as marks."""
    return tuple(mark_of([place], moments, names) or CitationMark(-1, -1, (), (), 1) for place in claim.moments)
