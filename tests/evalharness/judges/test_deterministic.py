"""The judge without a model: what it is sure of is right, and what it cannot tell it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from longtake.config import load
from longtake.evalharness.items import Criterion, Item, Reply, Turn
from longtake.evalharness.judges.deterministic import DeterministicJudge
from longtake.evalharness.judges.judge import Asks, Case, Finding
from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding

GROUPS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "pairs.yaml").read_text())
PAIRS = [(group, said, met) for group in GROUPS for met in (True, False) for said in group["met" if met else "unmet"]]


@pytest.fixture(scope="module")
def judge() -> DeterministicJudge:
    return DeterministicJudge(WordLlamaEmbedding(load()))


def case(said: str, asks: Asks, description: str, question: str = "q", **more: Any) -> Case:
    rule = Criterion(name="c", description=description, weight=1, penalty=asks == "penalty", **more)
    asked = Turn(question=question, criteria=(rule,))
    item = Item(suite="own", id="i", video="v", format="rubric", turns=(asked,))
    return Case(item, 0, Reply(text=said), asks, rule)


def found(judge: DeterministicJudge, group: dict[str, Any], said: str) -> Finding:
    asks: Asks = "penalty" if "penalty" in group else "criterion"
    return judge.judge(case(said, asks, group[asks], group["question"]))


def whole(said: Reply, asks: Asks = "whole") -> Case:
    turn = Turn(question="Where do they go?", options=("Faro", "Porto"), gold=1)
    return Case(Item(suite="own", id="i", video="v", format="open", turns=(turn,)), 0, said, asks)


def test_it_is_sure_of_no_wrong_verdict(judge: DeterministicJudge) -> None:
    wrong = [
        (group["question"], said)
        for group, said, met in PAIRS
        if (finding := found(judge, group, said)).sure and finding.met is not met
    ]
    assert wrong == []


def test_it_is_sure_of_a_quarter_and_right_about_two_thirds(judge: DeterministicJudge) -> None:
    findings = [(found(judge, group, said), met) for group, said, met in PAIRS]
    assert len(PAIRS) >= 240
    assert sum(finding.sure for finding, _ in findings) >= 0.25 * len(PAIRS)
    assert sum(finding.met is met for finding, met in findings) >= 0.67 * len(PAIRS)


def test_it_is_sure_of_both_verdicts_of_criteria_and_penalties(judge: DeterministicJudge) -> None:
    seen = {("penalty" in group, met) for group, said, met in PAIRS if found(judge, group, said).sure}
    assert seen == {(False, True), (False, False), (True, True), (True, False)}


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


@pytest.mark.parametrize(("asks", "met"), [("criterion", False), ("penalty", True)])
def test_an_abstention_says_nothing_where_the_reference_denies_something_beside_the_point(
    judge: DeterministicJudge, asks: Asks, met: bool
) -> None:
    put = case("NOT FOUND: no frame shows it.", asks, "States that the red car wins.")
    turn = put.turn.model_copy(update={"reference": "The red car wins; the blue one does not finish."})
    abstained = replace(put, item=put.item.model_copy(update={"turns": (turn,)}))
    finding = judge.judge(abstained)
    assert (finding.met, finding.sure) == (met, False)


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


def test_the_same_is_found_each_time(judge: DeterministicJudge) -> None:
    again = DeterministicJudge(WordLlamaEmbedding(load()))
    assert again.id == judge.id
    for group, said, _ in PAIRS[::10]:
        assert found(again, group, said) == found(judge, group, said)
