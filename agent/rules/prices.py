"""Prices of two things that a question names: what they come to together, how far they lie apart, which is more."""

from __future__ import annotations

import re
from typing import NamedTuple

from longtake.agent.orientation import POLAR, Orientation
from longtake.agent.rules.answer_types import prices
from longtake.agent.rules.facts import accepted, find_fact
from longtake.agent.rules.matching import CHEAPEST, DEAREST, key_terms
from longtake.agent.rules.moves import LISTENER, READER, Call, Done, evidence_from, not_found, quote, trusted
from longtake.agent.rules.steps import Steps, together
from longtake.agent.words import cue
from longtake.memory.records import Evidence

FINDERS = ("cross_modal_search", LISTENER, READER)
_BOTH = r"(?P<one>.+?)\s+and\s+(?P<other>.+?)"
_TOGETHER = r"(?:together|in total|in all|altogether|combined)"
_MORE = r"(?:more expensive|dearer|costlier|costs? more|more costly)"
_LESS = r"(?:cheaper|less expensive|costs? less|less costly)"
_WAY = rf"(?:(?P<more>{_MORE})|(?P<less>{_LESS}))"
_FORMS = {
    "sum": (
        rf"^\W*(?:how much|what) (?:do|does|did|would|will) {_BOTH} cost {_TOGETHER}$",
        rf"^\W*(?:how much|what) (?:is|are|was|would) (?:the )?(?:total|combined)(?: price| cost)? (?:of|for) {_BOTH}$",
        rf"^\W*(?:how much|what) (?:are|is) {_BOTH} {_TOGETHER}$",
    ),
    "difference": (
        r"^\W*how much (?:more|less)(?: expensive)? (?:is|are|does|do|did) (?P<one>.+?)(?: cost)? than (?P<other>.+)$",
        r"^\W*how much (?:cheaper|dearer) (?:is|are) (?P<one>.+?) than (?P<other>.+)$",
        rf"^\W*what is the (?:price difference|difference in (?:price|cost)) between {_BOTH}$",
        rf"^\W*what is the difference between the (?:prices?|costs?) of {_BOTH}$",
    ),
    "whether": (rf"{POLAR} (?P<one>.+?) {_WAY} than (?P<other>.+)$",),
    "which": (rf"^\W*(?:which|what)(?: one)?(?: is| was)? {_WAY}\W+(?P<one>.+?),? or (?P<other>.+)$",),
}


_ENDS = cue(f"{DEAREST}, {CHEAPEST}, highest, lowest")


class PricesAsked(NamedTuple):
    """Two things, what is asked of their prices, and for "whether" and "which", whether the lower one is meant."""

    asked: str
    things: tuple[str, str]
    lower: bool


class _Priced(NamedTuple):
    """A thing's price, its currency, and the evidence that tells it."""

    amount: str
    coin: str
    told_by: Evidence


def compares_prices(question: str) -> PricesAsked | None:
    """The two things whose prices a question adds or compares; None when it names none, or the ends of a list."""
    text = question.strip().rstrip("?. ")
    if _ENDS.search(text):
        return None
    for asked, forms in _FORMS.items():
        for form in forms:
            match = re.match(form, text, re.IGNORECASE)
            if match and key_terms(match["one"]) and key_terms(match["other"]):
                return PricesAsked(asked, (match["one"], match["other"]), bool(match.groupdict().get("less")))
    return None


def find_prices(asked: PricesAsked, orientation: Orientation) -> Steps[str]:
    """Look both prices up, each on its own; what follows from them is worked out by the calculator."""
    found = yield from together([_price(thing, orientation) for thing in asked.things])
    for thing, told in zip(asked.things, found, strict=True):
        if len({(each.coin, each.amount) for each in told}) != 1:
            several = f"several prices: {quote([each.told_by for each in told], orientation)}" if told else "no price"
            return not_found(f"Of {thing} the video tells {several}.")
    one, other = (told[0] for told in found)
    if one.coin != other.coin:
        return not_found("The two prices are in different currencies.")
    if asked.asked in ("sum", "difference"):
        return (yield from _worked_out(asked.asked, one, other, orientation))
    dearer, cheaper = sorted((one, other), key=lambda each: -float(each.amount))
    meant = cheaper if asked.lower else dearer
    if asked.asked == "whether":
        holds = meant is one and one.amount != other.amount
        return f"{'Yes' if holds else 'No'}: {_quoted((one, other), orientation)}"
    if one.amount == other.amount:
        return not_found(f"They cost the same: {_quoted((one, other), orientation)}")
    return _quoted((meant, other if meant is one else one), orientation)


def _price(thing: str, orientation: Orientation) -> Steps[list[_Priced]]:
    """What the video tells of one thing's price."""
    part = orientation.reworded(f"How much does {thing} cost?")
    done = list[Done]()
    while isinstance(move := find_fact(part, done), list):
        done += yield move
    answers = accepted(part, trusted(evidence_from(done, *FINDERS)))
    return [_Priced(amount, coin, item) for item in answers for coin, amount in prices(item.content)]


def _worked_out(asked: str, one: _Priced, other: _Priced, orientation: Orientation) -> Steps[str]:
    first, second = (one, other) if asked == "sum" else sorted((one, other), key=lambda each: -float(each.amount))
    expression = f"{first.amount} {'+' if asked == 'sum' else '-'} {second.amount}"
    (done,) = yield [Call("calculator", {"expression": expression})]
    if done.result.failure:
        return not_found(done.result.failure.message)
    return f"{expression} = {done.result.output['result']}. {_quoted((first, second), orientation)}"


def _quoted(priced: tuple[_Priced, ...], orientation: Orientation) -> str:
    return quote(dict.fromkeys(each.told_by for each in priced), orientation)
