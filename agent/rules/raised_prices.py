"""What the prices of a list would come to if each were so much higher, or lower: "if every price rose by 5 dollars"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.matching import prices
from longtake.agent.rules.moves import (
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
from longtake.agent.rules.price_list import PriceRow, price_rows
from longtake.agent.rules.slides import slides_of, title_of
from longtake.agent.words import content_stems, coverage, cue, figures
from longtake.memory.records import Evidence

READER = "extract_scene_text"
_SUPPOSES = cue("if, would, suppos*, assum*, imagin*, with")
_OF_PRICES = cue("price*, cost*, article*, item*, product*, goods, expensive, cheaper, dearer, sum, total, pay*, bill")
_UP = cue(
    "up, rise*, rising, rose, risen, rais*, increas*, more, dearer, costlier, higher, add, adds, added, adding, plus, "
    "extra, on top, surcharge"
)
_DOWN = cue(
    "down, fall*, fell, drop*, reduc*, cut, cuts, lower*, cheaper, less, off, discount*, decreas*, minus, subtract*, "
    "taken off, deduct*"
)
_EACH = cue("each, every, per article, per item, per piece, apiece, all, prices, they, everything, any")
_TOGETHER = cue(
    "together, total, sum, altogether, in all, combined, add up, adds up, all of, all the, all articles, all items, "
    "all prices, everything, whole list, one of each"
)
_ALL = re.compile(r"\ball (\d+|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|per\s?cent\b)", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\b(?:all|the|these|those|of) (\d+)\b(?!\s*(?:%|per\s?cent|dollars?|euros?|pounds?))", re.IGNORECASE
)


class _Rise(NamedTuple):
    """By how much each price is another: digits, the currency or `%`, and `+` or `-`."""

    amount: str
    unit: str
    sign: str


def asks_raised(orientation: Orientation) -> bool:
    """Whether a question supposes that prices are so much higher or lower than they are."""
    question = orientation.question
    told_else = {"speech", "audio"} & set(orientation.modalities)
    supposes = _SUPPOSES.search(question) and _OF_PRICES.search(question)
    return bool(supposes and _rise(question)) and not told_else


def read_raised(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What the list, or the one article that is named, would cost, worked out by the calculator."""
    if not called(done, READER):
        return on_each(orientation, READER)
    rise = _rise(orientation.question)
    assert rise is not None, "asked only where prices are supposed to be others"
    found = _list_meant(orientation.question, within(trusted(evidence_from(done, READER)), orientation))
    if isinstance(found, str):
        return not_found(" ".join(failures(done)) or found)
    meant = _rows_meant(orientation.question, found)
    problem = _problem(orientation.question, found, meant, rise)
    if problem:
        return not_found(problem)
    if not called(done, "calculator"):
        return [Call("calculator", {"expression": _expression(meant, rise)})]
    worked = done[-1]
    if worked.result.failure:
        return not_found(worked.result.failure.message)
    told = quote((each.row for each in meant), orientation)
    return f"{'Together that' if len(meant) > 1 else 'That'} would be {worked.result.output['result']}. {told}"


def _rise(question: str) -> _Rise | None:
    """By how much prices are supposed to be others; None where that is not told, or not whether up or down."""
    plain = figures(question, above=0)
    shares = _PERCENT.findall(plain)
    amounts = [*((number, "%") for number in shares), *((number, coin) for coin, number in prices(plain))]
    signs = [sign for sign, words in (("+", _UP), ("-", _DOWN)) if words.search(plain)]
    if len(amounts) != 1 or len(signs) != 1 or not (shares or _EACH.search(plain)):
        return None
    amount, unit = amounts[0]
    return _Rise(amount, unit, signs[0])


def _list_meant(question: str, texts: Sequence[Evidence]) -> list[PriceRow] | str:
    """The rows of the one list of prices, or of the one whose title the question holds; else why there is none."""
    lists = dict[tuple[str, ...], tuple[str, list[PriceRow]]]()
    for slide in slides_of(texts):
        priced = price_rows(slide)
        if len(priced) > 1:
            lists.setdefault(tuple(each.row.content for each in priced), (title_of(slide).content, priced))
    named = [each for each in lists.values() if coverage(content_stems(each[0]), question) == 1.0]
    meant = named if len(lists) > 1 else list(lists.values())
    if len(meant) == 1:
        return meant[0][1]
    return "Several lists of prices are shown: say which." if lists else "No list of prices is shown there."


def _rows_meant(question: str, priced: Sequence[PriceRow]) -> list[PriceRow]:
    """All rows where the question asks what they come to together, else those whose names it holds."""
    return list(priced) if _together(question) else [each for each in priced if each.name_in(question)]


def _together(question: str) -> bool:
    return bool(_TOGETHER.search(question) or _ALL.search(question))


def _problem(question: str, found: Sequence[PriceRow], meant: Sequence[PriceRow], rise: _Rise) -> str:
    """Why nothing can be worked out; empty where it can."""
    together = _together(question)
    counted = _HOW_MANY.search(figures(question, above=0))
    if not meant or (not together and len(meant) > 1):
        return "It cannot be told which of the prices is meant."
    if together and counted and int(counted[1]) != len(found):
        return f"The list has {len(found)} prices, not {counted[1]}."
    if {each.coin for each in found} | ({rise.unit} - {"%"}) != {found[0].coin}:
        return "The prices are in several currencies."
    return ""


def _expression(meant: Sequence[PriceRow], rise: _Rise) -> str:
    total = " + ".join(f"{each.amount:g}" for each in meant)
    if rise.unit == "%":
        return f"({total}) * (1 {rise.sign} {rise.amount} / 100)"
    return (
        f"{total} {rise.sign} {len(meant)} * {rise.amount}" if len(meant) > 1 else f"{total} {rise.sign} {rise.amount}"
    )
