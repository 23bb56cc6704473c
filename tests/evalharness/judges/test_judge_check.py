"""A judge against people and against itself, by numbers worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.servers.openai_server import openai_server, says
from pydantic import ValidationError

from longtake.evalharness.items import Criterion, Item, Judgement, Prediction, Reply, Turn
from longtake.evalharness.judges.judge_check import (
    Label,
    check_judges,
    error_types,
    judge_again,
    labelled_cases,
    mean_agreements,
    self_agreement,
)
from longtake.evalharness.judges.judge_endpoint import Cache, EndpointJudge, JudgeSettings
from longtake.evalharness.judges.judging import NO_REPLY, Case, cases
from longtake.evalharness.runs.journal import read_records

# Ten cases: 3 of both sides' positives, 2 of the judge's alone, 1 of the person's alone, 4 of neither.
PERSON = [True, True, True, False, False, True, False, False, False, False]
JUDGE = [True, True, True, True, True, False, False, False, False, False]


RULES = tuple(Criterion(name=name, description=f"Is {name}.", weight=1) for name in ("red", "kind"))


def rubric(name: str) -> Item:
    asked = Turn(question="q", reference="r", criteria=RULES)
    return Item(suite="own", id=name, video="v", format="rubric", turns=(asked,))


def prediction(name: str, said: str) -> Prediction:
    return Prediction(item=name, variant="original", subject="s", replies=(Reply(text=said),), seconds=0)


def label(number: int, met: bool, annotator: str = "") -> Label:
    return Label(item=str(number), subject="s", met=met, annotator=annotator)


def judgement(number: int, met: bool | None, judge: str = "j") -> Judgement:
    return Judgement(item=str(number), variant="original", subject="s", turn=0, criterion="", judge=judge, met=met)


def test_the_person_is_the_reference_and_that_is_said() -> None:
    labels = [label(number, met) for number, met in enumerate(PERSON)]
    [check] = check_judges(labels, [judgement(number, met) for number, met in enumerate(JUDGE)])
    held = check.agreement
    assert (held.true_positive, held.false_positive, held.false_negative, held.true_negative) == (3, 2, 1, 4)
    # Chance: (5 x 4 + 5 x 6) / 100 = 0.5; kappa (0.7 - 0.5) / 0.5.
    assert str(check) == (
        "j and the labels, reference: the person; n 10, TP 3, FP 2, FN 1, TN 4; "
        "accuracy 0.7000, f1 0.6667, false positive rate 0.3333, false negative rate 0.2500, kappa 0.4000; unjudged 0"
    )


def test_a_case_without_a_verdict_is_counted_apart_and_the_last_verdict_holds() -> None:
    labels = [label(0, True), label(1, True), label(2, False)]
    judged = [judgement(0, None), judgement(0, True), judgement(1, None), judgement(9, True)]
    [check] = check_judges(labels, judged)
    assert (check.agreement.n, check.agreement.true_positive, check.unjudged) == (1, 1, 2)


def test_each_judge_meets_each_annotator() -> None:
    labels = [label(0, True, "ann"), label(0, False, "bo")]
    checks = check_judges(labels, [judgement(0, True, "j"), judgement(0, True, "k")])
    assert [(check.judge, check.annotator, check.agreement.accuracy) for check in checks] == [
        ("j", "ann", 1.0),
        ("j", "bo", 0.0),
        ("k", "ann", 1.0),
        ("k", "bo", 0.0),
    ]


def test_several_annotators_have_a_mean() -> None:
    """By hand: 2 of 2 verdicts are ann's, 1 of 2 is bo's: accuracy (1 + 0.5) / 2. With bo chance is 1/2."""
    labels = [label(0, True, "ann"), label(1, False, "ann"), label(0, False, "bo"), label(1, False, "bo")]
    checks = check_judges(labels, [judgement(0, True), judgement(1, False)])
    [mean] = mean_agreements(checks)
    assert (mean.judge, mean.annotators) == ("j", 2)
    assert mean.figures == {
        "accuracy": 0.75,
        "f1": 0.5,  # 1 and 0: bo finds nothing met
        "false_positive_rate": 0.25,  # 0 of 1 and 1 of 2
        "false_negative_rate": 0.0,  # 0 of 1; bo has none
        "kappa": 0.5,  # 1 and (0.5 - 0.5) / 0.5
    }
    assert str(mean).startswith("j, mean over 2 annotators: accuracy 0.7500, f1 0.5000, ")
    assert mean_agreements(checks[:1]) == []


def test_a_judge_that_only_failed_is_left_aside() -> None:
    found = [judgement(0, True, "jurist"), *(judgement(number, None, "down") for number in range(2))]
    assert [held.judge for held in check_judges([label(0, True), label(1, True)], found)] == ["jurist"]


def test_a_file_of_labels_may_end_without_a_newline(tmp_path: Path) -> None:
    """Twenty labels, as a person's editor leaves them; the last one is read, and a broken last one is reported."""
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(label(number, number < 10).model_dump_json() for number in range(20)))
    assert [one.item for one in list(read_records(file, Label, pytest.fail, by_hand=True))] == [
        str(number) for number in range(20)
    ]
    file.write_text(file.read_text() + '\n{"item": "20"')
    reported: list[str] = []
    assert len(list(read_records(file, Label, reported.append, by_hand=True))) == 20
    assert f"{file}, line 21:" in reported[0]


def test_types_of_errors_are_counted_by_annotator_subject_and_task() -> None:
    """Ann names two types in three wrong replies of s: 2 of 3 and 1 of 3; the right reply has none."""
    items = {
        str(number): rubric(str(number)).model_copy(update={"task": "order" if number else "why"})
        for number in range(4)
    }
    named = {0: "knowledge", 1: "time", 2: "time"}
    labels = [label(number, False, "ann").model_copy(update={"error": error}) for number, error in named.items()]
    found = error_types([*labels, label(3, True, "ann"), label(3, False, "bo")], items)
    assert [(one.annotator, one.subject, one.task, one.counts) for one in found] == [
        ("ann", "s", "", {"time": 2, "knowledge": 1}),
        ("ann", "s", "order", {"time": 2}),
        ("ann", "s", "why", {"knowledge": 1}),
    ]
    assert str(found[0]) == "s, ann: of 3 wrong time 2 (67 %), knowledge 1 (33 %)"
    with pytest.raises(ValidationError):
        Label(item="1", subject="s", met=True, error="time")


def test_a_judge_agrees_with_itself_where_all_runs_say_the_same() -> None:
    runs = [[True, True, False, None], [True, False, False, None], [True, True, False, None]]
    found = self_agreement(runs)
    assert (found.runs, found.cases, found.same) == (3, 4, 0.5)
    # Pairs 1-2 and 2-3: observed 2/3, chance 4/9, kappa 0.4; pair 1-3: 1.
    assert found.kappa == pytest.approx((0.4 + 0.4 + 1) / 3)


def test_nothing_judged_agrees_with_nothing() -> None:
    found = self_agreement([[], [], []])
    assert (found.same, found.kappa) == (None, None)


def test_a_model_is_asked_three_times_for_the_same_verdict_past_its_cache(tmp_path: Path) -> None:
    yes, no = says('{"met": true}'), says('{"met": false}')
    with openai_server([yes, yes, yes, no, yes, yes]) as server:
        asked = [Case(rubric("1"), 0, Reply(text=said), "criterion", RULES[0]) for said in ("Red.", "Blue.")]
        settings = JudgeSettings(base_url=server.url, model="jurist", at_once=1)
        found = judge_again(lambda run: EndpointJudge(settings, Cache(tmp_path), run=run), asked, pytest.fail)
    assert (found.runs, found.cases, found.same) == (3, 2, 0.5)
    assert len(server.requests) == 6


def test_a_judge_that_is_down_when_it_is_asked_again_is_reported() -> None:
    settings = JudgeSettings(base_url="http://127.0.0.1:9/v1", model="jurist", at_once=1)
    reported: list[str] = []
    case = Case(rubric("1"), 0, Reply(text="Red."), "criterion", RULES[0])
    found = judge_again(lambda run: EndpointJudge(settings, run=run), [case], reported.append)
    assert (found.same, len(reported)) == (0.0, 3)
    assert "1, red: The judge at http://127.0.0.1:9/v1 " in reported[0]


def test_only_cases_that_people_labelled_and_that_have_a_reply_are_judged_again() -> None:
    labels = [Label(item=item, subject="s", criterion="red", met=True) for item in ("1", "2", "gone")]
    said = [prediction("1", "red"), prediction("2", ""), prediction("gone", "red")]
    reported: list[str] = []
    kept, found = labelled_cases(labels, {"1": rubric("1"), "2": rubric("2")}, said, cases, reported.append)
    assert [(case.item.id, case.name) for case in found] == [("1", "red")]
    assert kept == labels[:2]
    assert len(reported) == 1
    assert "s, gone, red" in reported[0]


def test_a_label_where_nothing_was_said_is_in_no_figure() -> None:
    silent = judgement(1, False).model_copy(update={"reason": NO_REPLY})
    [check] = check_judges([label(0, True), label(1, False)], [judgement(0, True), silent])
    assert (check.agreement.n, check.agreement.true_negative, check.unjudged) == (1, 0, 0)
