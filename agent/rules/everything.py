"""Questions that want everything: top results cannot answer them, so the whole time is read and every piece is judged.

The answer node adds how many of the shots were examined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations
from typing import Literal

from longtake.agent.orientation import EVER, TOTAL, Orientation
from longtake.agent.rows import rows
from longtake.agent.rules.answer_types import ANY_NUMBER, PRICE, AnswerType, answer_type, holds, prices
from longtake.agent.rules.calculation import calculate
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.matching import ENOUGH, key_terms, score
from longtake.agent.rules.moves import (
    LISTENER,
    READER,
    Call,
    Done,
    Move,
    called,
    doubtful,
    evidence_from,
    failures,
    not_found,
    on_each,
    partly_unread,
    quote,
    trusted,
)
from longtake.agent.rules.reading import arithmetic_in
from longtake.agent.words import content_stems, coverage, cue, figures
from longtake.memory.records import Evidence, Modality

READERS: dict[Modality, str] = {"speech": LISTENER, "scene_text": READER}
MOST_LISTED = 40
# What only may be so, or is asked, is no proof that it ever is.
_SUPPOSED = re.compile(r"\b(?:if|whether|unless|would|could|might|perhaps|maybe)\b|\?", re.IGNORECASE)
_TOTAL_LINE = re.compile(r"\b(?:sub)?totals?\b|\bsum\b|\ball ?together\b", re.IGNORECASE)
_ADDED = cue(
    "total, sum, add, added, adds, up, altogether, together, combined, amounts, cost, costs, would, buy, come, "
    "comes, came, article, articles, item, items, thing, things, product, products, goods, list, one, two, three, "
    "four, five, six"
)
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SHOWN = cue("shown, displayed")
_LIST = cue("list, every, each, all, shown, given, name, mentioned, appear, appears, there, seen, said")


def find_all(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Quote every piece of the time asked about that the question means; "is there ever" gets a yes or no."""
    if not done:
        return _read_all(orientation)
    found = _pieces_meant(orientation, trusted(_read(done)))
    if EVER.match(orientation.question):
        found = [item for item in found if not _SUPPOSED.search(item.content)]
    if found:
        more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
        said = quote(found[:MOST_LISTED], orientation)
        return f"Yes: {said}" if EVER.match(orientation.question) else f"{said}{more}"
    reasons = doubtful(_pieces_meant(orientation, _read(done)), orientation) or failures(done)
    return not_found(" ".join(reasons or ["No line of what is said or written is what the question means."]))


def is_total(question: str) -> bool:
    """Whether the words of a question ask what several amounts come to, or for a total that is told."""
    return bool(TOTAL.search(question.casefold())) and arithmetic_in(question) is None


def asks_total(orientation: Orientation) -> bool:
    """Whether a question asks what several amounts come to."""
    return is_total(orientation.question)


def add_up(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The sum of the amounts that are read in the time asked about, worked out by the calculator.

    A total that is told itself is quoted as it is told. No sum is made of several currencies, nor where part of what
    was to be read was not.
    """
    if not done:
        return _read_all(orientation)
    found = _of_total(orientation, trusted(_read(done)))
    kind = _kind_of_total(orientation, found)
    if not kind.amount:
        return not_found("Amounts of money and measures can be added up, nothing else.")
    told = _told_totals(kind, found) or _totals_beside(kind, orientation, trusted(_read(done)))
    if told:
        return quote(told[:MOST_LISTED], orientation)
    amounts = _amounts(kind, _once(kind, found))
    if kind is ANY_NUMBER:
        return (calculate if orientation.kind == "calculate" else find_fact)(orientation, done)
    if not called(done, "calculator"):
        reasons = _unsummable(kind, amounts, done, orientation)
        return not_found(" ".join(reasons)) if reasons else [Call("calculator", {"expression": _sum_of(amounts)})]
    result = done[-1].result
    if result.failure:
        return not_found(result.failure.message)
    added = quote(dict.fromkeys(item for item, _ in amounts), orientation)
    total = f"{done[-1].call.arguments['expression']} = {result.output['result']}. " if len(amounts) > 1 else ""
    return f"{total}{added}"


def _read_all(orientation: Orientation) -> list[Call]:
    senses = orientation.modalities or (("scene_text",) if _SHOWN.search(orientation.question) else ())
    named = [tool for sense, tool in READERS.items() if sense in senses]
    return [call for tool in named or READERS.values() for call in on_each(orientation, tool)]


def _read(done: Sequence[Done]) -> list[Evidence]:
    return evidence_from(done, *READERS.values())


def _pieces_meant(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    """The pieces that the question means, in order of time, each text once."""
    kind = answer_type(orientation.question)
    wanted = key_terms(_LIST.sub(" ", orientation.question))
    pieces = rows(found)
    if kind and not wanted:
        meant = [item for item in pieces if holds(kind, item.content)]
    else:
        meant = [item for item in pieces if score(orientation.question, item, pieces) >= ENOUGH]
    first: dict[str, Evidence] = {}
    for item in sorted(meant, key=lambda item: item.span.start):
        first.setdefault(item.content, item)
    return list(first.values())


def _kind_of_total(orientation: Orientation, found: Sequence[Evidence]) -> AnswerType:
    """What a total is asked of; where a question names nothing that it is of, and prices are told, of these."""
    kind = answer_type(orientation.question) or ANY_NUMBER
    listed = kind is ANY_NUMBER and not _asked_of(orientation) and len(_amounts(PRICE, found)) > 1
    return PRICE if listed else kind


def _told_totals(kind: AnswerType, found: Sequence[Evidence]) -> list[Evidence]:
    """The lines that tell a total themselves."""
    return [item for item in found if _TOTAL_LINE.search(item.content) and _amounts(kind, [item])]


def _totals_beside(kind: AnswerType, orientation: Orientation, read: Sequence[Evidence]) -> list[Evidence]:
    """Lines that tell a total where the rest of the question's words stand in the same picture."""
    wanted = _asked_of(orientation)
    return [
        line
        for line in _told_totals(kind, rows(read))
        if coverage(wanted, " ".join(item.content for item in read if item.span.overlaps(line.span))) == 1.0
    ]


def _asked_of(orientation: Orientation) -> list[str]:
    return key_terms(_ADDED.sub(" ", _LIST.sub(" ", orientation.question)))


def _of_total(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    """The pieces whose amounts a total is asked of, in order of time: those that hold its words, where it has any."""
    ordered = sorted(found, key=lambda each: each.span.start)
    wanted = _asked_of(orientation)
    return [item for item in rows(ordered) if coverage(wanted, item.content) == 1.0] if wanted else ordered


def _once(kind: AnswerType, found: Sequence[Evidence]) -> list[Evidence]:
    """Each text once, and nothing said that only speaks of what is written with the same amount."""
    different = list({item.content: item for item in reversed(found)}.values())[::-1]
    return [item for item in different if not any(_same(kind, item, other) == "alike" for other in different)]


def _same(kind: AnswerType, said: Evidence, written: Evidence) -> Literal["alike", "unlike", ""]:
    """Whether what is said speaks of a thing that is also written, and of the same amount; empty where it does not."""
    if (said.modality, written.modality) != ("speech", "scene_text"):
        return ""
    spoken, shown = ({amount for _, amount in _amounts(kind, [item])} for item in (said, written))
    if not spoken or not shown or not set(content_stems(said.content)) & set(content_stems(written.content)):
        return ""
    return "alike" if spoken <= shown else "unlike"


def _amounts(kind: AnswerType, found: Sequence[Evidence]) -> list[tuple[Evidence, str]]:
    """The amounts of the kind asked for, in digits, each with the piece that holds it."""
    amounts = list[tuple[Evidence, str]]()
    for item in found:
        text = figures(item.content, above=0)
        for match in re.finditer(kind.looks, text, re.IGNORECASE):
            number = _AMOUNT.search(text, match.start())
            if number:
                amounts.append((item, number[0].replace(",", "")))
    return amounts


def _unsummable(
    kind: AnswerType, amounts: Sequence[tuple[Evidence, str]], done: Sequence[Done], orientation: Orientation
) -> list[str]:
    """Why no sum can be told, a sentence each; none where it can."""
    gaps = [gap for tool in READERS.values() for gap in partly_unread(done, tool, orientation)]
    if not amounts:
        return [*(failures(done) or ["No amount is said or written there."])]
    if len({coin for item, _ in amounts for coin, _ in prices(item.content)}) > 1:
        return ["The amounts are in several currencies."]
    pairs = permutations(dict.fromkeys(item for item, _ in amounts), 2)
    unlike = next((pair for pair in pairs if _same(kind, *pair) == "unlike"), None)
    if unlike:
        return [f"What is said and what is written may tell one amount differently: {quote(unlike, orientation)}"]
    read = quote(dict.fromkeys(item for item, _ in amounts), orientation)
    return [*gaps, f"What was read shows: {read}"] if gaps else []


def _sum_of(amounts: Sequence[tuple[Evidence, str]]) -> str:
    return " + ".join(amount for _, amount in amounts)
