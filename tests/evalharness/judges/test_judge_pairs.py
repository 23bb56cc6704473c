"""Two judges of one run against each other, by numbers worked out by hand."""

from __future__ import annotations

import pytest

from longtake.evalharness.items import Item, Judgement, Reply, Turn
from longtake.evalharness.judges.judge_check import judge_pairs
from longtake.evalharness.judges.judging import Case, nothing_said

# Ten replies: 3 that both accept, 2 that the second accepts alone, 1 that the first accepts alone, 4 of neither.
FIRST = [True, True, True, False, False, True, False, False, False, False]
SECOND = [True, True, True, True, True, False, False, False, False, False]

ITEM = Item(suite="own", id="1", video="v", format="open", turns=(Turn(question="q"),))


def judged(judge: str, number: int, met: bool | None, reply: str = "") -> Judgement:
    return Judgement(
        item=str(number), variant="original", subject="s", turn=0, criterion="", judge=judge, met=met, reply=reply
    )


def test_how_far_two_judges_agree() -> None:
    found = [judged("a", number, met) for number, met in enumerate(FIRST)]
    found += [judged("b", number, met) for number, met in enumerate(SECOND)]
    [pair] = judge_pairs(found)
    assert (pair.first, pair.second, pair.n, pair.only_first, pair.only_second) == ("a", "b", 10, 1, 2)
    # Chance: (4 x 5 + 6 x 5) / 100 = 0.5; kappa (0.7 - 0.5) / 0.5.
    assert pair.same == pytest.approx(0.7)
    assert pair.kappa == pytest.approx(0.4)
    assert str(pair) == (
        "a and b: n 10, same verdict 0.7000, kappa 0.4000; met for the first alone 1, for the second alone 2; "
        "decided by one alone 0"
    )


def test_what_one_of_them_did_not_decide_is_counted_apart() -> None:
    found = [judged("a", 0, True), judged("a", 1, False), judged("a", 2, None), judged("a", 3, True, "earlier")]
    found += [judged("b", 0, False), judged("b", 0, True), judged("b", 1, None), judged("b", 2, None)]
    found += [judged("b", 3, True, "later")]
    [pair] = judge_pairs(found)
    assert (pair.n, pair.same, pair.kappa, pair.undecided) == (1, 1.0, None, 3)


def test_what_no_judge_was_asked_is_no_agreement() -> None:
    found = [judged(judge, 0, met) for judge, met in (("a", True), ("b", False))]
    silent = nothing_said(Case(ITEM, 0, Reply(text=""), "whole"))
    found += [judged(judge, 1, silent.met).model_copy(update={"reason": silent.reason}) for judge in "ab"]
    [pair] = judge_pairs(found)
    assert (pair.n, pair.same) == (1, 0.0)


def test_a_judge_that_was_down_is_compared_with_nobody() -> None:
    assert judge_pairs([judged("a", 0, True), judged("down", 0, None)]) == []
    three = judge_pairs([judged(judge, 0, True) for judge in "abc"])
    assert [(pair.first, pair.second) for pair in three] == [("a", "b"), ("a", "c"), ("b", "c")]
