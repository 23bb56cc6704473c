"""Where another modality says otherwise what a claim states: told 45 dollars, shown 54.

Two prices of two things are no contradiction, nor is what counts up, changes or is rounded. So it takes the same words
about the thing, one value that differs and no other; each of the two modalities must say one thing only; and what is
called by a single word must be named so in both within `NEAR` seconds. What is missed is a contradiction that is not
told: the claim itself is proven either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from longtake.agent.language.picture_rows import CELLS, row_of
from longtake.agent.language.statements import Statement, Value, statements
from longtake.language.words import content_stems, numbers, stem, stems
from longtake.memory.records import Citation, Claim, Evidence, Modality

NEAR = 60.0  # seconds between two mentions of a thing called by a single word, or of what may change meanwhile
LASTING = ("dollar", "euro", "pound")  # units of numbers that stay as they are over a recording
ROUNDED = 0.1  # share by which a rounded number may miss the exact one
SHORTEST = 3  # words and values of what may be denied, or turned into its opposite
ALIKE = 0.5  # similarity, 0 to 1, from which two names may be one misread or misheard
SENSES: tuple[Modality, ...] = ("speech", "scene_text", "visual")
# What counts up or runs says another number each time,
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


class _Said(NamedTuple):
    """A statement, and the pieces of evidence that make it: the cells of a row, or one."""

    statement: Statement
    pieces: tuple[Evidence, ...]


def contradicting(claim: Claim, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Trusted evidence that says otherwise: of another modality than the proof, or of any where nothing is proven."""
    if claim.verdict != "supported" and not claim.doubtful:
        return ()
    videos = {citation.video for citation in _places(claim)}
    known = [item for item in evidence if item.trusted and item.video in videos and item.modality in SENSES]
    said = list(_said(claim, known))
    own = [*statements(claim.text), *(each.statement for each in said if _is_own(each, claim))]
    return next((found for statement in own if (found := _against(statement, claim, said))), ())


def _places(claim: Claim) -> tuple[Citation, ...]:
    return claim.citations or claim.doubtful


def _said(claim: Claim, known: Sequence[Evidence]) -> Iterator[_Said]:
    """What the evidence states in words of the claim or its proof; a text of the picture with the row it stands in."""
    told = " ".join([claim.text, *(cited.quote for cited in _places(claim))])
    allowed = stems(told) | {word for pair in _OPPOSITE for word in pair}
    wanted = {word for word in content_stems(told) if word.isalpha()}
    for item in known:
        if not wanted & stems(item.content):
            continue
        if any(each.subject and allowed.issuperset(each.subject) for each in statements(item.content)):
            first, *cells = _row(item, known)
            stated: list[tuple[Evidence, ...]] = [(first, cell) for cell in cells]
            for pieces in stated or [(first,)]:
                text = CELLS.join(piece.content for piece in pieces)
                yield from (_Said(statement, pieces) for statement in statements(text))


def _row(item: Evidence, known: Sequence[Evidence]) -> list[Evidence]:
    """The texts of a row of the picture, left to right; anything else alone."""
    return [item] if item.box is None or CELLS in item.content else row_of(item, known)


def _is_own(said: _Said, claim: Claim) -> bool:
    """Whether a claim says itself what evidence that it cites states."""
    if not any(Citation.of(piece) in claim.citations for piece in said.pieces):
        return False
    told = [part for value in said.statement.values if value.kind in ("weekday", "name") for part in value.said]
    counted = {number for piece in said.pieces for number in numbers(piece.content)}
    return counted <= numbers(claim.text) and {*said.statement.subject, *stems(" ".join(told))} <= stems(claim.text)


def _against(own: Statement, claim: Claim, said: Sequence[_Said]) -> tuple[Evidence, ...]:
    """The nearest evidence that differs, of another modality than agrees; none where one modality says two things."""
    same = [each for each in said if _comparable(own, each.statement)]
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
    """Whether what is said of a thing holds over a whole recording: a temperature may be another later."""
    changing = any(value.kind == "number" and value.unit not in LASTING for value in statement.values)
    return len(statement.subject) > 1 and not changing


def _comparable(one: Statement, two: Statement) -> bool:
    """Whether two statements are about the same thing and differ in one point at most."""
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
    """Whether two statements have the same words but for one, and its opposite in the same place.

    Without a day or the like to which both bind it, one comes after the other: a door opens, and closes.
    """
    if not one.values or len(one.subject) != len(two.subject):
        return False
    changed = [{mine, other} for mine, other in zip(one.subject, two.subject, strict=True) if mine != other]
    return len(changed) == 1 and changed[0] in _OPPOSITE


def _differences(one: Statement, two: Statement) -> int:
    """In how many points two statements about the same thing differ: values, an opposite, yes and no."""
    values = sum(not _agree(mine, other) for mine, other in zip(one.values, two.values, strict=True))
    return values + (one.subject != two.subject) + (one.denied != two.denied)


def _agree(one: Value, two: Value) -> bool:
    """Whether two values may both be so: a number and its rounding, dates of which each says a part, a name misread."""
    if one.kind == "number":
        return _is_rounded(one.said[0], two.said[0]) or _is_rounded(two.said[0], one.said[0])
    if one.kind == "name":
        (mine,), (other,) = one.said, two.said
        return bool(set(mine.split()) & set(other.split())) or SequenceMatcher(None, mine, other).ratio() > ALIKE
    return all(mine == other or not (mine and other) for mine, other in zip(one.said, two.said, strict=True))


def _is_rounded(number: str, exact: str) -> bool:
    """Whether a number, such as 50, is another, such as 49.90, to its own last digit that is not zero."""
    whole, _, decimals = number.partition(".")
    places = -len(decimals) if decimals else len(whole) - len(whole.rstrip("0"))
    missed = abs(float(number) - float(exact))
    return missed <= 10.0**places / 2 and missed <= ROUNDED * max(float(number), float(exact))


def _apart(said: _Said, claim: Claim) -> float:
    """Seconds between a statement and the nearest proof of a claim."""
    return min(
        max(0.0, piece.span.start - cited.end, cited.start - piece.span.end)
        for piece in said.pieces
        for cited in _places(claim)
        if cited.video == piece.video
    )
