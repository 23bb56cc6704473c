"""Finds evidence in another modality that contradicts a claim: 45 dollars in speech, 54 on screen.

Different prices of different things don't contradict each other, and neither do counters, changing values or rounded
numbers. So both statements must use the same words about the thing and differ in exactly one value, and each modality
must say only one of the two. Something with a one-word name must be mentioned in both within `NEAR` seconds. A missed
contradiction does little harm: the claim itself is proven either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from longtake.agent.language.picture_rows import CELLS, row_of
from longtake.agent.language.statements import Statement, Value, statements
from longtake.language.words import content_stems, numbers, stem, stems
from longtake.memory.records import Citation, Claim, Evidence, Modality

NEAR = 60.0  # seconds between two mentions of something with a one-word name, or something that may change
LASTING = ("dollar", "euro", "pound")  # units of numbers that don't change during a recording
ROUNDED = 0.1  # share by which a rounded number may differ from the exact one
SHORTEST = 3  # words and values that may be denied or replaced by their opposite
ALIKE = 0.5  # similarity, 0 to 1, from which one name may be a misreading of the other
SENSES: tuple[Modality, ...] = ("speech", "scene_text", "visual")
# Counters and clocks show another number each time.
_RUNNING = frozenset(
    stem(word)
    for word in (
        "page slide chapter step frame take lap round score total subtotal sum count counter balance level question "
        "part episode version timer time clock number item result elapsed remaining live point goal"
    ).split()
)
_OPPOSITE = {
    frozenset(stem(word) for word in pair.split("/"))
    for pair in "open/closed won/lost accepted/rejected true/false alive/dead allowed/forbidden rose/fell".split()
}


class _Stated(NamedTuple):
    """A statement and its evidence: one piece, or the cells of a row."""

    statement: Statement
    pieces: tuple[Evidence, ...]


def contradicting(claim: Claim, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Trusted evidence against a claim: in another modality than its evidence, or in any if nothing is proven."""
    if claim.verdict != "supported" and not claim.doubtful:
        return ()
    videos = {citation.video for citation in _places(claim)}
    known = [item for item in evidence if item.trusted and item.video in videos and item.modality in SENSES]
    stated = list(_stated(claim, known))
    own = [*statements(claim.text), *(each.statement for each in stated if _is_own(each, claim))]
    return next((found for statement in own if (found := _against(statement, claim, stated))), ())


def _places(claim: Claim) -> tuple[Citation, ...]:
    return claim.citations or claim.doubtful


def _stated(claim: Claim, known: Sequence[Evidence]) -> Iterator[_Stated]:
    """The statements of the evidence that share words with the claim or its evidence; on-screen text as whole rows."""
    own_words = " ".join([claim.text, *(cited.quote for cited in _places(claim))])
    allowed = stems(own_words) | {word for pair in _OPPOSITE for word in pair}
    content = {word for word in content_stems(own_words) if word.isalpha()}
    for item in known:
        if not content & stems(item.content):
            continue
        if any(each.subject and allowed.issuperset(each.subject) for each in statements(item.content)):
            first, *cells = _row(item, known)
            stated: list[tuple[Evidence, ...]] = [(first, cell) for cell in cells]
            for pieces in stated or [(first,)]:
                text = CELLS.join(piece.content for piece in pieces)
                yield from (_Stated(statement, pieces) for statement in statements(text))


def _row(item: Evidence, known: Sequence[Evidence]) -> list[Evidence]:
    """The texts of a row on screen, left to right; other evidence alone."""
    return [item] if item.box is None or CELLS in item.content else row_of(item, known)


def _is_own(stated: _Stated, claim: Claim) -> bool:
    """Whether a claim states the same as evidence that it cites."""
    if not any(Citation.of(piece) in claim.citations for piece in stated.pieces):
        return False
    own_words = [part for value in stated.statement.values if value.kind in ("weekday", "name") for part in value.parts]
    counted = {number for piece in stated.pieces for number in numbers(piece.content)}
    return counted <= numbers(claim.text) and {*stated.statement.subject, *stems(" ".join(own_words))} <= stems(
        claim.text
    )


def _against(own: Statement, claim: Claim, stated: Sequence[_Stated]) -> tuple[Evidence, ...]:
    """The nearest evidence that differs, from another modality than the evidence that agrees. None if one modality says
    both.
    """
    same = [each for each in stated if _comparable(own, each.statement)]
    same = [each for each in same if _stays(own) or _apart(each, claim) <= NEAR]
    other = [each for each in same if _differences(own, each.statement)]
    agreeing = {each.pieces[0].modality for each in same if each not in other}
    agreeing = agreeing or {citation.modality for citation in claim.citations}
    if any(each.pieces[0].modality in agreeing for each in other):
        return ()
    if any(_differences(one.statement, two.statement) for one in other for two in other):
        return ()
    return min(other, key=lambda each: _apart(each, claim)).pieces if other else ()


def _stays(statement: Statement) -> bool:
    """Whether a statement stays true during a recording; a temperature may change."""
    changing = any(value.kind == "number" and value.unit not in LASTING for value in statement.values)
    return len(statement.subject) > 1 and not changing


def _comparable(one: Statement, two: Statement) -> bool:
    """Whether two statements are about the same thing and differ in at most one point."""
    if [(value.kind, value.unit) for value in one.values] != [(value.kind, value.unit) for value in two.values]:
        return False
    names = {*one.subject, *(value.unit for value in one.values)}
    bare = any(value.kind == "clock" or (value.kind == "number" and not value.unit) for value in one.values)
    if not one.subject or names & _RUNNING or (bare and len(one.subject) < 2):
        return False
    turned = one.denied != two.denied or one.subject != two.subject
    long_enough = not turned or len(one.subject) + len(one.values) >= SHORTEST
    return long_enough and (one.subject == two.subject or _is_opposite(one, two)) and _differences(one, two) <= 1


def _is_opposite(one: Statement, two: Statement) -> bool:
    """Whether two statements have the same words, except for one word and its opposite in the same place.

    Unless both name the same day or the like, they may follow each other: a door opens and closes.
    """
    if not one.values or len(one.subject) != len(two.subject):
        return False
    changed = [{mine, other} for mine, other in zip(one.subject, two.subject, strict=True) if mine != other]
    return len(changed) == 1 and changed[0] in _OPPOSITE


def _differences(one: Statement, two: Statement) -> int:
    """The number of points in which two statements about the same thing differ: values, an opposite, yes and no."""
    values = sum(not _agree(mine, other) for mine, other in zip(one.values, two.values, strict=True))
    return values + (one.subject != two.subject) + (one.denied != two.denied)


def _agree(one: Value, two: Value) -> bool:
    """Whether two values can both be right: a number and its rounding, two partial dates, a misread name."""
    if one.kind == "number":
        return _is_rounded(one.parts[0], two.parts[0]) or _is_rounded(two.parts[0], one.parts[0])
    if one.kind == "name":
        (mine,), (other,) = one.parts, two.parts
        return bool(set(mine.split()) & set(other.split())) or SequenceMatcher(None, mine, other).ratio() > ALIKE
    return all(mine == other or not (mine and other) for mine, other in zip(one.parts, two.parts, strict=True))


def _is_rounded(number: str, exact: str) -> bool:
    """Whether a number, such as 50, is another, such as 49.90, rounded to its own last nonzero digit."""
    whole, _, decimals = number.partition(".")
    places = -len(decimals) if decimals else len(whole) - len(whole.rstrip("0"))
    missed = abs(float(number) - float(exact))
    return missed <= 10.0**places / 2 and missed <= ROUNDED * max(float(number), float(exact))


def _apart(stated: _Stated, claim: Claim) -> float:
    """Seconds between a statement and the nearest evidence of a claim."""
    return min(
        max(0.0, piece.span.start - cited.end, cited.start - piece.span.end)
        for piece in stated.pieces
        for cited in _places(claim)
        if cited.video == piece.video
    )
