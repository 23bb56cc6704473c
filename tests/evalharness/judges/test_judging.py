"""Every case of a run to every judge, once; what broke off goes on, and a judge that is down stops nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

import pytest
from helpers.servers.openai_server import openai_server, refuses, says

from longtake.evalharness.items import Criterion, Item, Judgement, Prediction, Reply, Turn
from longtake.evalharness.judges.judge_endpoint import EndpointJudge, JudgeSettings
from longtake.evalharness.judges.judging import Case, Finding, JudgedRun, cases, current, judge_run, to_judge, undecided
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import RunCard, RunFolder

RED = Criterion(name="red", description="Says red.", weight=1)
KIND = Criterion(name="rude", description="Must not be rude.", weight=-5, penalty=True)


def rubric(*criteria: Criterion, turns: int = 1, name: str = "one") -> Item:
    asked = Turn(question="What colour is the car?", reference="The car is red.", criteria=criteria)
    return Item(suite="own", id=name, video="v", format="rubric", turns=(asked,) * turns)


def prediction(item: Item, *said: str | Reply) -> Prediction:
    replies = tuple(one if isinstance(one, Reply) else Reply(text=one) for one in said)
    return Prediction(item=item.id, variant="original", subject="subject", replies=replies, seconds=0)


def run_of(path: Path, said: Sequence[Prediction]) -> RunFolder:
    """A run whose predictions have been made."""
    folder = RunFolder(path)
    folder.begin(RunCard(suite="own", source="s", subjects=("subject",), version="0"))
    with Journal(folder.predictions_file) as journal:
        for one in said:
            journal.append(one)
    return folder


def by_id(*items: Item) -> Mapping[str, Item]:
    return {item.id: item for item in items}


class Literal:
    """Finds the criterion's name in the reply; keeps what it was asked, and fails where it is told to."""

    def __init__(self, name: str = "literal", at_once: int = 1, failing: str = "") -> None:
        self.id, self.at_once, self.failing = name, at_once, failing
        self.asked: list[Case] = []
        self.most = self._now = 0
        self._lock = Lock()

    def judge(self, case: Case) -> Finding:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.asked.append(case)
        if self.at_once > 1:
            time.sleep(0.01)
        with self._lock:
            self._now -= 1
        if case.item.id == self.failing:
            return Finding(met=None, error="It is down.")
        return Finding(met=case.name in case.said)


def judged(folder: RunFolder, *items: Item, by: Literal) -> tuple[JudgedRun, list[str]]:
    reported: list[str] = []
    return judge_run(folder, by_id(*items), by, reported.append), reported


def verdicts(folder: RunFolder) -> list[tuple[str, int, str, bool | None]]:
    return [(held.item, held.turn, held.criterion, held.met) for held in folder.judgements(print)]


def test_each_criterion_of_each_turn_is_judged_alone_and_kept_with_its_reply(tmp_path: Path) -> None:
    item = rubric(RED, KIND, turns=2)
    folder, judge = run_of(tmp_path, [prediction(item, "red", "rude")]), Literal()
    assert judged(folder, item, by=judge) == (JudgedRun(judged=4, kept=0, unjudged=0), [])
    assert [(case.asks, case.number, case.said) for case in judge.asked] == [
        ("criterion", 0, "red"),
        ("penalty", 0, "red"),
        ("criterion", 1, "rude"),
        ("penalty", 1, "rude"),
    ]
    assert verdicts(folder)[:2] == [("one", 0, "red", True), ("one", 0, "rude", False)]
    assert len({held.reply for held in folder.judgements(print)}) == 2


@pytest.mark.parametrize(
    "said", ["", "  \n", "<think>red</think>", "<think>red and red", Reply(text="red", status="error", error="down")]
)
def test_an_empty_reply_meets_nothing_and_breaks_no_rule_without_a_call(tmp_path: Path, said: str | Reply) -> None:
    item = rubric(RED, KIND)
    folder, judge = run_of(tmp_path, [prediction(item, said)]), Literal()
    judged(folder, item, by=judge)
    assert judge.asked == []
    assert verdicts(folder) == [("one", 0, "red", False), ("one", 0, "rude", True)]


def test_a_turn_that_was_never_replied_to_is_empty(tmp_path: Path) -> None:
    item = rubric(RED, turns=2)
    folder = run_of(tmp_path, [prediction(item, "red")])
    judged(folder, item, by=Literal())
    assert verdicts(folder) == [("one", 0, "red", True), ("one", 1, "red", False)]


def test_open_turns_without_criteria_are_judged_as_a_whole_and_choices_are_not() -> None:
    asked = Turn(question="q", reference="r")
    open_one = Item(suite="own", id="o", video="v", format="open", turns=(asked,))
    [case] = cases(open_one, prediction(open_one, "r"))
    assert (case.asks, case.name, case.with_question) == ("whole", "", False)
    [case] = cases(open_one, prediction(open_one, "r"), whole="grade", with_question=True)
    assert (case.asks, case.with_question) == ("grade", True)
    choice = open_one.model_copy(update={"format": "choice"})
    assert list(cases(choice, prediction(choice, "r"))) == []


def test_nothing_is_judged_twice_but_errors_and_new_replies_are(tmp_path: Path) -> None:
    one, two = rubric(RED, name="one"), rubric(RED, name="two")
    folder = run_of(tmp_path, [prediction(one, "red"), prediction(two, "red")])
    done, reported = judged(folder, one, two, by=Literal(failing="two"))
    assert done == JudgedRun(judged=2, kept=0, unjudged=1)
    assert reported == ["literal, two, red: It is down."]
    again = Literal()
    assert judged(folder, one, two, by=again)[0] == JudgedRun(judged=1, kept=1, unjudged=0)
    assert [case.item.id for case in again.asked] == ["two"]
    with Journal(folder.predictions_file) as journal:
        journal.append(prediction(one, "blue"))
    anew = Literal()
    judged(folder, one, two, by=anew)
    assert [case.said for case in anew.asked] == ["blue"]
    held = {(judgement.item, judgement.criterion): judgement.met for judgement in folder.judgements(print)}
    assert held == {("one", "red"): False, ("two", "red"): True}


def test_another_judge_judges_all_anew(tmp_path: Path) -> None:
    item = rubric(RED)
    folder = run_of(tmp_path, [prediction(item, "red")])
    judged(folder, item, by=Literal("first"))
    judged(folder, item, by=Literal("second"))
    assert [held.judge for held in folder.judgements(print)] == ["first", "second"]


def test_a_run_that_was_killed_goes_on_with_the_next_case(tmp_path: Path) -> None:
    items = [rubric(RED, name=str(number)) for number in range(5)]
    folder = run_of(tmp_path, [prediction(item, "red") for item in items])
    judged(folder, *items, by=Literal())
    whole = folder.judgements_file.read_bytes()
    folder.judgements_file.write_bytes(whole[: len(whole) // 2])
    rest = Literal()
    judged(folder, *items, by=rest)
    assert [case.item.id for case in rest.asked] == ["2", "3", "4"]
    assert folder.judgements_file.read_bytes() == whole


def test_a_judge_is_given_no_more_at_once_than_it_takes(tmp_path: Path) -> None:
    items = [rubric(RED, name=str(number)) for number in range(12)]
    folder, judge = run_of(tmp_path, [prediction(item, "red") for item in items]), Literal(at_once=3)
    judged(folder, *items, by=judge)
    assert judge.most == 3
    assert len({held.item for held in folder.judgements(print)}) == 12


def test_what_was_said_to_the_first_items_is_judged_first(tmp_path: Path) -> None:
    items = [rubric(RED, name=str(number)) for number in range(3)]
    folder, reported = run_of(tmp_path, [prediction(item, "red") for item in reversed(items)]), list[str]()
    for limit, verdicts in ((2, 2), (2, 0), (None, 1)):
        left = [case.item.id for case in to_judge(folder, by_id(*items), Literal(), reported.append, cases, limit)]
        judge = Literal()
        done = judge_run(folder, by_id(*items), judge, reported.append, limit=limit)
        assert ([case.item.id for case in judge.asked], done.judged) == (left, verdicts)
    assert reported == []


def test_a_limit_counts_the_items_that_need_a_judge(tmp_path: Path) -> None:
    choice = Item(
        suite="own", id="choice", video="v", format="choice", turns=(Turn(question="?", options=("a", "b"), gold=0),)
    )
    items = [choice, rubric(RED, name="first"), rubric(RED, name="second")]
    folder, judge = run_of(tmp_path, [prediction(item, "red") for item in items]), Literal()
    judge_run(folder, by_id(*items), judge, pytest.fail, limit=1)
    assert [case.item.id for case in judge.asked] == ["first"]


def test_a_prediction_without_its_item_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    item, gone = rubric(RED), rubric(RED, name="gone")
    folder = run_of(tmp_path, [prediction(gone, "red"), prediction(item, "red")])
    done, reported = judged(folder, item, by=Literal())
    assert done.judged == 1
    assert reported == ["subject, gone: there is no item of this id; it was not judged."]


def test_a_judge_that_is_down_leaves_errors_and_the_run_goes_on(tmp_path: Path) -> None:
    items = [rubric(RED, name=str(number)) for number in range(3)]
    folder = run_of(tmp_path, [prediction(item, "red") for item in items])
    reported: list[str] = []
    with openai_server([refuses(401, "no key")]) as server:
        judge = EndpointJudge(JudgeSettings(base_url=server.url, model="jurist"))
        assert judge_run(folder, by_id(*items), judge, reported.append).unjudged == 3
    held = list(folder.judgements(reported.append))
    assert [judgement.met for judgement in held] == [None] * 3
    assert all("no key" in (judgement.error or "") for judgement in held)
    assert len(reported) == 3
    with openai_server([says('{"met": true}')]) as server:
        judge = EndpointJudge(JudgeSettings(base_url=server.url, model="jurist"))
        assert judge_run(folder, by_id(*items), judge, reported.append) == JudgedRun(judged=3, kept=0, unjudged=0)


def test_what_counts_is_of_the_replies_as_they_stand_or_of_an_older_run_that_does_not_say(tmp_path: Path) -> None:
    item = rubric(RED, turns=2)
    folder = run_of(tmp_path, [prediction(item, "red")])
    judged(folder, item, by=Literal())
    held = list(folder.judgements(print))
    assert list(current(held, [prediction(item, "red")])) == held  # one of them of a turn without a reply
    assert list(current(held, [prediction(item, "blue", "red")])) == []
    older = [one.model_copy(update={"reply": ""}) for one in held]
    assert list(current(older, [prediction(item, "blue", "red")])) == older


def test_what_an_older_run_decided_is_not_judged_anew(tmp_path: Path) -> None:
    item = rubric(RED)
    folder = run_of(tmp_path, [prediction(item, "red")])
    old = '{"item":"one","variant":"original","subject":"subject","turn":0,"criterion":"red","judge":"j","met":true}'
    folder.judgements_file.write_text(old + "\n")
    assert Judgement.model_validate_json(old).reply == ""
    assert judged(folder, item, by=Literal("j"))[0] == JudgedRun(judged=0, kept=1, unjudged=0)
    assert undecided(folder, by_id(item), print)["subject"] == 0
