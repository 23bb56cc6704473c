"""The score of an item is what its suite would give a run of it alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from longtake.errors import ConfigError
from longtake.evalharness.items import Variant
from longtake.evalharness.reports.run_scores import read_scores
from longtake.evalharness.runs.run_folder import RunFolder

Write = Callable[..., RunFolder]


def test_errors_and_abstentions_are_wrong_and_the_mean_of_the_items_is_the_headline(choices: Write) -> None:
    sharp = read_scores(choices(), "repo", pytest.fail).subjects[0]
    assert sharp.values == {"q0": 1, "q1": 1, "q2": 1, "q3": 1, "q4": 0, "q5": 0}
    assert sharp.table.headline is not None
    assert sharp.table.headline.value == pytest.approx(400 / 6, abs=1e-4)
    assert {name: rate.count for name, rate in sharp.table.rates.items()} == {
        "errors": 1,
        "parse failures": 0,
        "unjudged": 0,
        "refused": 0,
        "unsure": 0,
        "uncertain": 0,
        "abstained": 1,
    }
    assert sharp.table.excluded.value == 80.0
    assert sharp.table.groups["task"]["when"].value == pytest.approx(200 / 3, abs=1e-4)


def test_an_item_is_right_in_all_orders_and_a_prediction_in_its_own(choices: Write) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))
    folder = choices({"sharp": ["right"] * 6}, variants=orders)
    lines = folder.predictions_file.read_text().splitlines()
    moved = [line.replace('"choice":0', '"choice":2') if "gold-2" in line else line for line in lines]
    folder.predictions_file.write_text("\n".join(moved) + "\n")
    sharp = read_scores(folder, "repo", pytest.fail).subjects[0]
    assert sharp.values["q0"] == 0
    values = {key.variant: value for key, value in sharp.prediction_values.items() if key.item == "q0"}
    assert values == {"original": 1, "original/gold-2": 0}


def test_a_missing_verdict_leaves_an_item_without_a_score_and_a_run_without_a_headline(rubric: Write) -> None:
    agent = read_scores(rubric((True, False), (True, None), (False, False)), "repo", pytest.fail).subjects[0]
    assert agent.values == {"s0": 0.5, "s1": None, "s2": 0}
    assert agent.table.headline is None
    assert agent.table.notes == (
        "No headline: 1 of 6 verdicts are missing (16.7 %), and more than 1 % is too much for one.",
    )


def test_a_task_that_is_no_part_of_the_headline_is_named(rubric: Write) -> None:
    agent = read_scores(rubric((True, True), task="safety"), "repo", pytest.fail).subjects[0]
    assert agent.table.notes == ("task that is no part of the headline: safety",)
    assert agent.table.groups["task that is no part of the headline"]["safety"].value == 100


def test_a_run_without_predictions_says_what_to_do(choices: Write) -> None:
    folder = choices()
    folder.predictions_file.unlink()
    with pytest.raises(ConfigError, match="eval run"):
        read_scores(folder, "repo", pytest.fail)


def test_what_was_not_asked_yet_is_no_error_and_is_said(choices: Write) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))  # right stands at 1 in q1 and q4 already
    folder = choices({"sharp": ["right"] * 6, "dull": ["right"] * 6}, variants=orders)
    lines = folder.predictions_file.read_text().splitlines(keepends=True)
    folder.predictions_file.write_text("".join(lines[:4]))  # q0 twice, q1, and q2 in the first order
    sharp, dull = read_scores(folder, "repo", pytest.fail).subjects
    assert list(sharp.items) == ["q0", "q1"]
    assert sharp.values == {"q0": 1, "q1": 1, "q2": None, "q3": None, "q4": None, "q5": None}
    assert (sharp.table.overall.value, sharp.table.rates["errors"].count) == (100.0, 0)
    assert sharp.table.notes == (
        "6 of 10 predictions are not made yet, and their items are left out; the same `longtake eval run` goes on.",
    )
    assert (list(dull.items), dull.table.overall.value, dull.table.notes[0][:8]) == ([], None, "10 of 10")


def test_an_item_is_asked_when_every_seed_is(choices: Write) -> None:
    folder = choices({"sharp": ["right"] * 6})
    card = folder.card().model_copy(update={"seeds": (0, 1)})
    (folder.path / "run.json").write_text(card.model_dump_json())
    again = folder.predictions_file.read_text().splitlines(keepends=True)[0].replace('"seed":0', '"seed":1')
    with folder.predictions_file.open("a") as stream:
        stream.write(again)
    (sharp,) = read_scores(folder, "repo", pytest.fail).subjects
    assert (list(sharp.items), len(sharp.prediction_values)) == (["q0"], 7)


def test_a_verdict_on_an_earlier_reply_is_not_shown(rubric: Write) -> None:
    folder = rubric((True, True))
    folder.predictions_file.write_text(folder.predictions_file.read_text().replace("It says 1", "It says 2"))
    agent = read_scores(folder, "repo", pytest.fail).subjects[0]
    (said,) = agent.predictions["s0"]
    assert [list(agent.verdicts(said, turn)) for turn in range(2)] == [["fact"], []]
