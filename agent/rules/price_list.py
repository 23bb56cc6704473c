"""A list of prices as a whole: the highest, the lowest, and how far they lie apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.amounts import without_amounts
from longtake.agent.orientation import Orientation
from longtake.agent.rows import CELLS, rows
from longtake.agent.rules.answer_types import prices
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.matching import CHEAPEST, DEAREST, key_terms
from longtake.agent.rules.moves import (
    READER,
    Call,
    Done,
    Move,
    called,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    trusted,
    within,
)
from longtake.agent.words import content_stems, coverage, cue, stems
from longtake.memory.records import Evidence

_PAY = r"(?:costs?|pay|charged?) (?:(?:you|me|us|one) )?(?:the )?"
_HIGHEST = (
    rf"(?:{_PAY}most|most money|{cue(DEAREST).pattern}|(?:highest|biggest) price|"
    r"(?:costs?|is) (?:more(?: expensive)?|dearer|pricier|costlier) than (?:all|any|every|the (?:others?|rest))|"
    r"priced (?:the )?highest|highest[- ]priced)"
)
_LOWEST = (
    rf"(?:{_PAY}least|least money|{cue(CHEAPEST).pattern}|(?:lowest|smallest) price|"
    r"priced (?:the )?lowest|lowest[- ]priced)"
)
_WHICH = re.compile(
    rf"^(?!\W*(?:(?:and|so|but)\b\W*)?(?:for )?how (?:much|many)\b)(?=[^?]*\b(?:which|what|name|tell me)\b)[^?]*"
    rf"\b(?:(?P<high>{_HIGHEST})|(?P<low>{_LOWEST}))\b",
    re.IGNORECASE,
)
_WHICH_WORDS = re.compile(rf"{_HIGHEST}|{_LOWEST}", re.IGNORECASE)
_GENERAL = cue(
    f"{DEAREST}, {CHEAPEST}, article*, item*, thing, things, product*, goods, list*, price*, cost*, dollars, euros, "
    "pounds, money, one, ones, shown, difference, differ, gap, between, apart, separate, separates, lie, lies, "
    "exceed, exceeds, range*, spread, more, less, cheaper, dearer, expensive, highest, lowest, most, least, top, "
    "bottom, three, all, others, other, rest, them, these, name, you, me, us, sale, tag, than, which"
)
_HIGH = cue(f"{DEAREST}, highest, top price")
_LOW = cue(f"{CHEAPEST}, lowest, bottom price")
_APART = cue(
    "difference, differ, gap, between, apart, separate*, exceed*, range*, spread, more, less, cheaper, dearer, how much"
)
_TOTAL_ROW = cue("total, subtotal, sum, altogether")


class PriceRow(NamedTuple):
    """A price, its currency, and the row that tells it."""

    amount: float
    coin: str
    row: Evidence

    def name_in(self, text: str) -> frozenset[str]:
        """Stems of the thing's name, a cell of the row, where a text holds them all; empty where it does not."""
        named = (frozenset(filter(str.isalpha, content_stems(cell))) for cell in self.row.content.split(CELLS))
        return max((name for name in named if name <= stems(text)), key=len, default=frozenset())


def asks_price_list(orientation: Orientation) -> bool:
    """Whether a question asks for the highest or the lowest of the prices shown, or for what lies between them."""
    question = orientation.question
    told_else = {"speech", "audio"} & set(orientation.modalities)
    return bool(_WHICH.search(question) or _asks_gap(question)) and not told_else


def _asks_gap(question: str) -> bool:
    """Whether a question asks how far the highest and the lowest lie apart, which it names both."""
    return all(words.search(question) for words in (_HIGH, _LOW, _APART))


def read_price_list(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The line with that price, or the difference, worked out by the calculator, with both lines."""
    if not called(done, READER):
        return on_each(orientation, READER)
    found = within(trusted(evidence_from(done, READER)), orientation)
    asked_of = key_terms(_GENERAL.sub(" ", _WHICH_WORDS.sub(" ", orientation.question)))
    if asked_of and coverage(asked_of, " ".join(item.content for item in found)) < 1.0:
        return find_fact(orientation, done)  # "the cheapest way to Oslo" is none of the list's
    priced = price_rows(found)
    if len({amount for amount, _, _ in priced}) < 2:
        return not_found(" ".join(failures(done) or ["Fewer than two prices are shown there."]))
    if len({coin for _, coin, _ in priced}) > 1:
        return not_found("The prices are in several currencies.")
    lowest, highest = (pick(priced, key=lambda row: row[0]) for pick in (min, max))
    asked = _WHICH.search(orientation.question)
    if asked and not _asks_gap(orientation.question):
        return quote([(highest if asked["high"] else lowest)[2]], orientation)
    return _difference(highest, lowest, orientation, done)


def price_rows(found: Sequence[Evidence]) -> list[PriceRow]:
    """The rows of a picture that hold one price of something, from top to bottom; what comes to a total is none."""
    return [
        PriceRow(float(told[0][1]), told[0][0], item)
        for item in sorted(rows(found), key=lambda item: (item.span.start, item.box[1] if item.box else 0.0))
        if len(told := prices(item.content)) == 1
        and content_stems(without_amounts(item.content))
        and not _TOTAL_ROW.search(item.content)
    ]


def _difference(
    highest: PriceRow,
    lowest: PriceRow,
    orientation: Orientation,
    done: Sequence[Done],
) -> Move:
    if not called(done, "calculator"):
        return [Call("calculator", {"expression": f"{highest[0]:g} - {lowest[0]:g}"})]
    worked = done[-1]
    if worked.result.failure:
        return not_found(worked.result.failure.message)
    told = quote([highest[2], lowest[2]], orientation)
    return f"{worked.call.arguments['expression']} = {worked.result.output['result']}. {told}"
