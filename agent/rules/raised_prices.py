"""What the prices of a list would come to if each were so much higher, or lower: "if every price rose by 5 dollars"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.answer_types import prices
from longtake.agent.rules.moves import READER, Call, evidence_from, not_found, on_each, quote, trusted, within
from longtake.agent.rules.price_list import PriceRow, price_rows
from longtake.agent.rules.slides import slides_of, title_of
from longtake.agent.rules.steps import Steps
from longtake.agent.words import content_stems, coverage, cue, figures
from longtake.memory.records import Evidence

_HOW_MUCH = re.compile(
    r"\bhow much\b|\bwhat (?:(?:price|sum|total|amount) )?(?:would|will|do|does|is|are)\b[^?]*"
    r"\b(?:costs?|prices?|sum|total|come to|amount to|pay|bill|be)\b",
    re.IGNORECASE,
)
# How much prices change, by what is in them already, as time goes by or within bounds: no plain rise.
_NO_PLAIN_RISE = cue(
    "by how much, how much more, how much less, how much cheaper, how much dearer, difference, included, including, "
    "already, VAT, tax*, each year, per year, every year, a year, each month, per month, every month, under, over, "
    "at least, at most"
)
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

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class _Rise(NamedTuple):
    """By how much each price is another: digits, the currency or `%`, and `+` or `-`."""

    amount: str
    unit: str
    sign: str


def asks_raised(orientation: Orientation) -> bool:
    """Whether a question asks what something would cost if prices were so much higher or lower than they are."""
    question = orientation.question
    told_else = {"speech", "audio"} & set(orientation.modalities)
    supposes = _SUPPOSES.search(question) and _OF_PRICES.search(question) and _HOW_MUCH.search(question)
    return bool(supposes and _rise(question)) and not told_else


def read_raised(orientation: Orientation) -> Steps[str]:
    """What the list, or the one article that is named, would cost, by the calculator; empty without a list."""
    rise = _rise(orientation.question)
    assert rise is not None, "asked only where prices are supposed to be others"
    read = yield on_each(orientation, READER)
    lists = _lists(within(trusted(evidence_from(read, READER)), orientation))
    if not lists:
        return ""
    found = _list_meant(orientation.question, lists)
    meant = _rows_meant(orientation.question, found)
    problem = _problem(orientation.question, found, meant, rise)
    if problem:
        return not_found(problem)
    (worked,) = yield [Call("calculator", {"expression": _expression(meant, rise)})]
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


def _lists(texts: Sequence[Evidence]) -> list[tuple[str, list[PriceRow]]]:
    """The lists of several prices that are shown, each once, with their titles."""
    lists = dict[tuple[str, ...], tuple[str, list[PriceRow]]]()
    for slide in slides_of(texts):
        priced = price_rows(slide)
        if len(priced) > 1:
            lists.setdefault(tuple(each.row.content for each in priced), (title_of(slide).content, priced))
    return list(lists.values())


def _list_meant(question: str, lists: Sequence[tuple[str, list[PriceRow]]]) -> list[PriceRow]:
    """The rows of the only list, or of the only one whose title the question holds; none where that is not sure."""
    named = [each for each in lists if coverage(content_stems(each[0]), question) == 1.0]
    meant = named if len(lists) > 1 else lists
    return meant[0][1] if len(meant) == 1 else []


def _rows_meant(question: str, priced: Sequence[PriceRow]) -> list[PriceRow]:
    """All rows where the question asks what they come to together, else those whose names it holds."""
    return list(priced) if _together(question) else [each for each in priced if each.name_in(question)]


def _together(question: str) -> bool:
    return bool(_TOGETHER.search(question) or _ALL.search(question))


def _problem(question: str, found: Sequence[PriceRow], meant: Sequence[PriceRow], rise: _Rise) -> str:
    """Why nothing can be worked out; empty where it can."""
    together = _together(question)
    counted = _HOW_MANY.search(figures(question, above=0))
    if not found:
        return "Several lists of prices are shown: say which."
    if not meant or (not together and len(meant) > 1) or (together and any(each.name_in(question) for each in found)):
        return "It cannot be told which of the prices is meant."
    if together and counted and int(counted[1]) != len(found):
        return f"The list has {len(found)} prices, not {counted[1]}."
    if {each.coin for each in found} | ({rise.unit} - {"%"}) != {found[0].coin}:
        return "The prices are in several currencies."
    if _NO_PLAIN_RISE.search(question) or _other_numbers(question, rise, counted[1] if counted else ""):
        return "The question asks for more than what the prices shown would come to."
    return ""


def _other_numbers(question: str, rise: _Rise, counted: str) -> list[str]:
    """The numbers beside that of the rise and of the articles: "two spades", "after 3 years"; "one" is none."""
    told = _NUMBER.findall(figures(question, above=0))
    for number in (rise.amount, counted):
        if number in told:
            told.remove(number)
    return [number for number in told if number != "1"]


def _expression(meant: Sequence[PriceRow], rise: _Rise) -> str:
    total = " + ".join(f"{each.amount:g}" for each in meant)
    if rise.unit == "%":
        return f"({total}) * (1 {rise.sign} {rise.amount} / 100)"
    return (
        f"{total} {rise.sign} {len(meant)} * {rise.amount}" if len(meant) > 1 else f"{total} {rise.sign} {rise.amount}"
    )
