"""How a subject went about it stands beside what it scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from longtake.evalharness.items import Variant
from longtake.evalharness.reports.joint_tables import by_variant, cost, further_groups, stance
from longtake.evalharness.reports.run_scores import SubjectScores, read_scores
from longtake.evalharness.runs.run_folder import RunFolder

Write = Callable[..., RunFolder]


@pytest.fixture
def sharp(choices: Write) -> SubjectScores:
    return read_scores(choices(), "repo", pytest.fail).subjects[0]


def test_items_are_answered_abstained_from_or_failed(sharp: SubjectScores) -> None:
    assert [stance(sharp, item) for item in sharp.items] == ["answered"] * 4 + ["abstained", "failed"]


def test_an_item_is_uncertain_where_nothing_better_was_said_of_it(choices: Write) -> None:
    seeds = {"agent": ["unsure", "right", "abstains", "fails", "wrong", "unsure"]}
    agent = read_scores(choices(seeds), "repo", pytest.fail).subjects[0]
    stances = ["uncertain", "answered", "abstained", "failed", "answered", "uncertain"]
    assert [stance(agent, item) for item in agent.items] == stances
    one, other = (agent.predictions[name][0] for name in ("q0", "q2"))
    predictions = {**agent.predictions, "q0": [one, other]}
    assert stance(replace(agent, predictions=predictions), "q0") == "uncertain"


def test_variants_stand_in_the_order_of_the_run(choices: Write) -> None:
    orders = tuple(Variant(name=f"original/gold-{place + 1}", gold_at=place) for place in range(3))
    run = choices({"agent": ["right"] * 6}, variants=(Variant(), *orders))
    agent = read_scores(run, "repo", pytest.fail).subjects[0]
    assert list(by_variant(agent)) == ["original", "original/gold-1", "original/gold-2", "original/gold-3"]


def test_the_cost_is_a_mean_over_predictions(sharp: SubjectScores) -> None:
    assert cost(sharp) == pytest.approx((5 / 6, 500 / 6, 0.0, 0.5))


def test_tables_that_the_scorer_does_not_give_are_added_and_no_others(sharp: SubjectScores) -> None:
    """The first two items, whose wording is unseen, are right; of the four others two: 50 %."""
    assert further_groups(sharp) == {}
    assert sharp.table.groups["tag wording"]["unseen"].value == 100
    bare = replace(sharp, table=sharp.table.model_copy(update={"groups": {}}))
    groups = {name: {row: one.value for row, one in rows.items()} for name, rows in further_groups(bare).items()}
    assert set(groups) == {"task", "tag wording"}
    assert groups["tag wording"] == {"seen": 50.0, "unseen": 100.0}


def test_each_variant_is_scored_as_if_it_had_been_the_only_one(choices: Write) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))
    folder = choices({"sharp": ["right"] * 3 + ["wrong"] * 3}, variants=orders)
    sharp = read_scores(folder, "repo", pytest.fail).subjects[0]
    assert {name: (one.value, one.n) for name, one in by_variant(sharp).items()} == {
        "original": (50.0, 6),
        "original/gold-2": (50.0, 4),  # where the right option is not at that place anyway
    }
