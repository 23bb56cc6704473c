"""Of which of two shapes there are more, or fewer: both are counted over the time that is asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import (
    Done,
    Move,
    cite,
    evidence_from,
    failures,
    not_found,
    on_each,
    trusted,
    unexamined,
)
from longtake.agent.rules.sight.seeing import asks_eyes, is_polar
from longtake.agent.rules.sight.shapes import COUNTER, count_of, different, shape_named, without_article
from longtake.memory.records import Evidence

_ONE, _OTHER = r"(?P<one>[a-z][a-z -]*?)", r"(?P<other>[a-z][a-z -]*?)"
_REST = (
    r"(?: (?:cross|pass|mov|travel|go|come|appear|in|on|there|to be|that|which|seen|shown|visible|over|across)[^?]*)?"
)
_MORE = r"(?P<sign>more|fewer|less)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^\W*do(?:es)? (?:the )?{_ONE} or (?:the )?{_OTHER} "
        rf"(?:cross|pass|move|travel|go|come|appear)\b[^?]*\b{_MORE} (?:often|frequently)\W*$",
        rf"\b{_MORE} {_ONE} than (?:there are )?(?:the )?(?:number of )?{_OTHER}{_REST}\W*$",
        rf"\b{_MORE} {_ONE},? or (?:{_MORE.replace('sign', 'again')} )?{_OTHER}{_REST}\W*$",
        rf"^\W*(?:of )?(?:which|what)\b[^?,:]*\b{_MORE}\b[^?,:]*[,:] (?:the )?{_ONE},? or (?:the )?{_OTHER}{_REST}\W*$",
        rf"^\W*(?:are|do) (?:the )?{_ONE} {_MORE} (?:numerous|frequent|common) than (?:the )?{_OTHER}{_REST}\W*$",
        rf"^\W*do(?:es)? (?:the )?{_ONE} (?P<sign>outnumber) (?:the )?{_OTHER}{_REST}\W*$",
        rf"\bnumber of (?:the )?{_ONE} (?P<sign>larger|greater|higher|bigger|smaller|lower) than "
        rf"(?:that of |the number of )(?:the )?{_OTHER}{_REST}\W*$",
    )
)
_LESS = ("fewer", "less", "smaller", "lower")
_BETWEEN = re.compile(r",? or (?:more |fewer |less |the )*", re.IGNORECASE)


class Pair(NamedTuple):
    """Two things as the question calls them, their shapes, and whether it asks for the fewer."""

    names: tuple[str, str]
    shapes: tuple[str, str]
    fewer: bool


def asks_more(orientation: Orientation) -> bool:
    """Whether a question asks of which of two shapes there are more."""
    return asks_eyes(orientation) and _pair(orientation.question) is not None


def compare_numbers(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Which of the two there are more of, with both numbers; an abstention where not all was looked at."""
    pair = _pair(orientation.question)
    assert pair is not None, "asked only where two shapes are compared"
    queries = [different(shape, orientation.question) for shape in pair.shapes]
    made = [[step for step in done if step.call.arguments.get("object_query") == query] for query in queries]
    missing = [query for query, steps in zip(queries, made, strict=True) if not steps]
    if missing:
        return [call for query in missing for call in on_each(orientation, COUNTER, object_query=query)]
    doubts = [*failures(done), *unexamined(done, COUNTER, orientation)]
    found = [trusted(evidence_from(steps, COUNTER)) for steps in made]
    counts = [sum(map(count_of, steps)) for steps in made]
    glimpsed = sum(item.span.length == 0 for items in found for item in items)
    if doubts or not any(counts) or 0 < glimpsed >= abs(counts[0] - counts[1]):
        return not_found(" ".join(dict.fromkeys(doubts)) or "Their numbers cannot be told for sure.")
    return _told_counts(pair, counts, found, orientation)


def _told_counts(
    pair: Pair, counts: Sequence[int], found: Sequence[Sequence[Evidence]], orientation: Orientation
) -> str:
    shown = " ".join(f"“{items[0].content}” {cite(items[0], orientation)}" for items in found if items)
    if counts[0] == counts[1]:
        lead = "No: there are as" if is_polar(orientation.question) else "There are as"
        return f"{lead} many of both, the same number, {counts[0]} each: {shown}"
    most = 0 if counts[0] > counts[1] else 1
    picked = 1 - most if pair.fewer else most
    numbers = [str(counts[place]) if counts[place] else "none" for place in (picked, 1 - picked)]
    polar = is_polar(orientation.question) and not _BETWEEN.search(orientation.question)
    lead = f"{'Yes' if picked == 0 else 'No'}: there" if polar else "There"
    return f"{lead} are {'fewer' if pair.fewer else 'more'} {pair.names[picked]}, {' against '.join(numbers)}: {shown}"


def _pair(question: str) -> Pair | None:
    """What a question compares, where both are shapes."""
    matches = filter(None, (form.search(question) for form in _FORMS))
    return next(filter(None, map(_of_shapes, matches)), None)


def _of_shapes(match: re.Match[str]) -> Pair | None:
    """The pair that a wording compares; "red or blue circles" are circles both."""
    names = without_article(match["one"]), without_article(match["other"])
    if shape_named(names[0]) is None:
        names = f"{names[0]} {names[1].split()[-1]}", names[1]
    one, other = map(shape_named, names)
    if one is None or other is None or one == other:
        return None
    return Pair(names, (one, other), match["sign"].casefold() in _LESS)
