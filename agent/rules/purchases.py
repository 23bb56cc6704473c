"""What was spent on things of which it is told how many were bought, and shown what one costs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from longtake.agent.orientation import Orientation
from longtake.agent.rules.denial import affirmed
from longtake.agent.rules.moves import (
    LISTENER,
    READER,
    Call,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    trusted,
    within,
)
from longtake.agent.rules.price_list import PriceRow, price_rows
from longtake.agent.rules.steps import Steps
from longtake.agent.words import TELLING, content_stems, cue, figures, stem, stems, words
from longtake.memory.records import Evidence

BETWEEN = 3  # words between a number and what it counts: "nine of the old kettles"
_HOW_MUCH = re.compile(r"\b(?:how much|what|which)\b", re.IGNORECASE)
_COST = cue(
    "cost*, spen*, paid, pay, pays, come to, came to, price*, bill, amount*, sum, total, money, expense*, worth"
)
_BOUGHT = cue("bought, buy, buys, buying, purchas*, order*, acquir*, spent, spend, paid, pay, money, expense*")
_WERE_BOUGHT = cue("bought, purchased, ordered, acquired, got")
# What is only wanted, or may be, is not bought.
_NOT_YET = cue(
    "if, whether, will, would, want*, need*, should, plan*, hope*, may, might, must, could, shall, going to, *n't"
)
_ANOTHER_SUM = cue("if, would, each, every, per, average, left, remain*, save*, change, discount*, tax*, VAT")
_SOMETHING_ELSE = re.compile(r"\d|\w of\b|\b(?:and|for|from|in|on|or|to|with)\b")
_TOGETHER = cue("together, altogether, all, in total, so far, many")


def asks_spent(orientation: Orientation) -> bool:
    """Whether a question asks what several things of a kind cost together that were bought."""
    question = orientation.question
    asks = _HOW_MUCH.search(question) and _COST.search(question) and _BOUGHT.search(question)
    return bool(asks) and not _ANOTHER_SUM.search(question)


def find_spent(orientation: Orientation) -> Steps[str]:
    """The price of one by how many were bought; empty where no price of one is shown."""
    question = orientation.question
    done = yield on_each(orientation, LISTENER) + on_each(orientation, READER)
    read = within(trusted(evidence_from(done, LISTENER, READER)), orientation)
    priced = _rows_named(question, read)
    if not priced:
        return ""
    name = priced[0].name_in(question)
    counted = _counted(name, _narrower(question) - name, read)
    if len({each.amount for each in priced}) > 1 or len({count for count, _ in counted}) != 1:
        several = "In several ways it is told" if counted or len(priced) > 1 else "It is not told"
        return not_found(" ".join(failures(done)) or f"{several} how many were bought, or at what price.")
    count, line = counted[0]
    (worked,) = yield [Call("calculator", {"expression": f"{count} * {priced[0].amount:g}"})]
    if worked.result.failure:
        return not_found(worked.result.failure.message)
    told = quote([line, priced[0].row], orientation)
    return f"{worked.call.arguments['expression']} = {worked.result.output['result']}. {told}"


def _narrower(question: str) -> frozenset[str]:
    """What a question says of the purchase beside its sum: by whom, when, for what."""
    rest = _TOGETHER.sub(" ", _BOUGHT.sub(" ", _COST.sub(" ", question)))
    return frozenset(content_stems(rest)) - TELLING


def _rows_named(question: str, read: Sequence[Evidence]) -> list[PriceRow]:
    """The rows of prices whose names a question holds in the plural; of "pot" and "clay pot" the latter."""
    plurals = {stem(word) for word in words(question) if stem(word) != word}
    shown = price_rows([item for item in read if item.modality == "scene_text"])
    held = [each for each in shown if each.name_in(question) & plurals]
    return [each for each in held if not any(each.name_in(question) < other.name_in(question) for other in held)]


def _counted(name: frozenset[str], narrower: frozenset[str], read: Sequence[Evidence]) -> list[tuple[str, Evidence]]:
    """How many of a thing were bought, in digits, each time with the line that tells it, and all that narrows it."""
    found = []
    for item in read:
        told = affirmed(item.content)
        if name | narrower <= stems(told) and _WERE_BOUGHT.search(told) and not _NOT_YET.search(told):
            found += [(count, item) for count in _counts(figures(told, above=0), name)]
    return found


def _counts(text: str, name: frozenset[str]) -> list[str]:
    """The numbers right before a thing's name, not those of something else: "nine boxes for the kettles"."""
    told, found = words(text), []
    for place, word in enumerate(told):
        between = list(takewhile(lambda other: stem(other) not in name, told[place + 1 :]))
        named = len(between) <= BETWEEN and place + 1 + len(between) < len(told)
        if word.isdecimal() and named and not _SOMETHING_ELSE.search(" ".join(between)):
            found.append(word)
    return found
