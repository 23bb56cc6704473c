"""The judge without a model: it decides what a program can, and is never sure of the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longtake.evalharness.items import Criterion, Item, Reply, Turn
from longtake.evalharness.judges.judge_table import DeterministicJudge
from longtake.evalharness.judges.judging import Asks, Case, Finding


@pytest.fixture
def judge() -> DeterministicJudge:
    return DeterministicJudge()


def case(said: str, asks: Asks, description: str, question: str = "q", **more: Any) -> Case:
    rule = Criterion(name="c", description=description, weight=1, penalty=asks == "penalty", **more)
    asked = Turn(question=question, criteria=(rule,))
    item = Item(suite="own", id="i", video="v", format="rubric", turns=(asked,))
    return Case(item, 0, Reply(text=said), asks, rule)


def whole(said: Reply, asks: Asks = "whole") -> Case:
    turn = Turn(question="Where do they go?", options=("Faro", "Porto"), gold=1)
    return Case(Item(suite="own", id="i", video="v", format="open", turns=(turn,)), 0, said, asks)


@pytest.mark.parametrize(
    ("description", "said", "held"),
    [
        ("States that it costs $249.", "It costs $249.", True),
        ("States that it costs $249.", "It costs $294.", False),
        ("Mentions Porto.", "They go to Porto.", True),
        ("Must not mention Porto.", "They don't go to Porto.", False),
        ("The response states that the siren starts at 00:01:12.", "The siren starts at 72 s.", True),
        ("Names Marta Silva as the speaker.", "The talk is given by Jonas Weber.", False),
        ("Names Marta Silva as the speaker.", "Marta Silva speaks.", False),  # a paraphrase isn't recognised
        ("Mentions Porto.", "Porto can't be seen.", False),
    ],
)
def test_a_criterion_in_words_asks_for_these_words_and_no_verdict_on_it_is_sure(
    judge: DeterministicJudge, description: str, said: str, held: bool
) -> None:
    verdicts: dict[Asks, bool] = {"criterion": held, "penalty": not held}
    for asks, met in verdicts.items():
        finding = judge.judge(case(said, asks, description))
        assert (finding.met, finding.sure) == (met, False)


@pytest.mark.parametrize("asks", ["criterion", "penalty"])
def test_a_check_decides_a_criterion_whatever_its_words(judge: DeterministicJudge, asks: Asks) -> None:
    check = {"kind": "says", "not": ["blue"]}
    assert judge.judge(case("Red.", asks, "Nonsense.", check=check)) == Finding(met=True, reason="check: says")
    assert judge.judge(case("Blue.", asks, "Nonsense.", check=check)) == Finding(met=False, reason="check: says")


def test_a_check_that_is_wrong_gives_no_verdict(judge: DeterministicJudge) -> None:
    finding = judge.judge(case("Red.", "criterion", "Says red.", check={"kind": "vibes"}))
    assert finding.met is None
    assert "its check is wrong" in (finding.error or "")


def test_a_check_in_doubt_says_so(judge: DeterministicJudge) -> None:
    finding = judge.judge(case("Of 7 cars, 5 are red.", "criterion", "Says 5.", check={"kind": "number", "value": 5}))
    assert (finding.met, finding.sure) == (True, False)


def test_an_option_chosen_is_compared_and_one_in_words_is_read(judge: DeterministicJudge) -> None:
    assert judge.judge(whole(Reply(text="B", choice=1))) == Finding(met=True, reason="the option chosen")
    assert judge.judge(whole(Reply(text="A", choice=0))).met is False
    assert judge.judge(whole(Reply(text="Porto."))).met
    assert not judge.judge(whole(Reply(text="To Faro."))).met


def test_an_uncertain_reply_answers_nothing_as_a_whole_and_is_read_for_criteria(judge: DeterministicJudge) -> None:
    unsure = Reply(text="I'm not sure. Closest at 00:00:04: “Porto.”", uncertain=True)
    assert judge.judge(whole(unsure)) == Finding(met=False, reason="the reply abstains")
    assert judge.judge(whole(unsure, "grade")).points == 0
    assert judge.judge(whole(unsure.model_copy(update={"uncertain": False}))).met
    asked = case(unsure.text, "criterion", "Mentions Porto.")
    assert judge.judge(replace(asked, reply=unsure)) == judge.judge(asked)
    assert judge.judge(asked).met


def test_points_are_all_or_nothing(judge: DeterministicJudge) -> None:
    assert judge.judge(whole(Reply(text="B", choice=1), "grade")).points == 5
    assert judge.judge(whole(Reply(text="A", choice=0), "grade")).points == 0
