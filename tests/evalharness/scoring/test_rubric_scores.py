"""What a sample earns of its rubric in each of the four readings, worked by hand."""

from __future__ import annotations

import pytest

from longtake.evalharness.items import Criterion, Item, Turn
from longtake.evalharness.scoring.rubric_scores import READINGS, CriterionVerdict, SampleScore, sample_score

ITEM = Item(suite="s", id="i", video="v", format="rubric", turns=(Turn(question="?"),))


def reward(weight: float, met: bool | None) -> CriterionVerdict:
    return CriterionVerdict(Criterion(name="fact", description="Says it.", weight=weight), met)


def penalty(weight: float, met: bool | None) -> CriterionVerdict:
    return CriterionVerdict(
        Criterion(name="invention", description="Must not invent.", weight=weight, penalty=True), met
    )


def shares(*verdicts: CriterionVerdict) -> dict[str, float]:
    """The share earned in each reading."""
    scores = {reading: sample_score(ITEM.heading, verdicts, reading) for reading in READINGS}
    return {reading: score.earned / score.possible for reading, score in scores.items()}


def test_a_penalty_that_is_kept_changes_nothing() -> None:
    # 5 of 5 + 3 in all that pool or average; strict wants the 3 too.
    found = shares(reward(5, True), reward(3, False), penalty(-5, True))
    assert found == {"repo": 5 / 8, "paper": 5 / 8, "signed": 5 / 8, "strict": 0}


def test_a_violated_penalty_counts_in_every_reading_but_that_of_the_released_code() -> None:
    # (5 - 5) / 8 = 0, and still 5 / 8 in the released code.
    found = shares(reward(5, True), reward(3, False), penalty(-5, False))
    assert found == {"repo": 5 / 8, "paper": 0, "signed": 0, "strict": 0}


def test_only_the_paper_goes_below_zero() -> None:
    # (1 - 5) / 4 = -1.
    found = shares(reward(3, False), reward(1, True), penalty(-5, False))
    assert found == {"repo": 1 / 4, "paper": -1, "signed": 0, "strict": 0}


def test_all_positives_met_and_nothing_violated_is_flawless() -> None:
    assert shares(reward(5, True), reward(1, True), penalty(-5, True)) == dict.fromkeys(READINGS, 1)
    found = shares(reward(5, True), reward(1, True), penalty(-5, False))
    assert found == {"repo": 1, "paper": 1 / 6, "signed": 1 / 6, "strict": 0}


def test_a_missing_verdict_earns_nothing_loses_nothing_and_stays_in_the_denominator() -> None:
    found = shares(reward(5, True), reward(3, None), penalty(-5, None))
    assert found == {"repo": 5 / 8, "paper": 5 / 8, "signed": 5 / 8, "strict": 0}


def test_penalties_with_positive_weights_can_never_be_earned_in_the_released_code() -> None:
    # Two tools, three required parameters: 2 + 3 + 1 + 3 = 9 are earned; the penalties' 1 + 2 come below the line.
    tools = [reward(2, True), reward(3, True), reward(1, True), reward(3, True), penalty(1, True)]
    assert shares(*tools, penalty(2, True)) == {"repo": 9 / 12, "paper": 1, "signed": 1, "strict": 1}
    # A wrong call costs its 2, though its weight is positive.
    assert shares(*tools, penalty(2, False)) == {"repo": 9 / 12, "paper": 7 / 9, "signed": 7 / 9, "strict": 0}


def test_what_is_pooled_keeps_its_weight_and_what_is_averaged_has_the_weight_of_one() -> None:
    verdicts = [reward(5, True), reward(3, False), penalty(-1, False)]
    assert {reading: sample_score(ITEM.heading, verdicts, reading)[1:] for reading in READINGS} == {
        "repo": (5, 8),
        "paper": (0.5, 1),
        "signed": (4, 8),
        "strict": (0, 1),
    }


@pytest.mark.parametrize("reading", READINGS)
def test_a_sample_that_can_earn_nothing_has_no_part(reading: str) -> None:
    verdicts = [penalty(-5, False)]
    assert sample_score(ITEM.heading, verdicts, reading) == SampleScore(ITEM.heading, 0, 0)  # type: ignore[arg-type]  # of READINGS
