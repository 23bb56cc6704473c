"""Whatever a suite's scorer gives stands in one table."""

from __future__ import annotations

from longtake.evalharness.scoring.choice_scores import CountedShare
from longtake.evalharness.scoring.estimates import Estimate, mean
from longtake.evalharness.scoring.score_table import score_table
from longtake.memory.records import Record


class Scores(Record):
    """As a suite's scorer gives them: estimates, tables of them, shares and counts."""

    headline: Estimate
    overall: Estimate
    excluded: Estimate
    tasks: dict[str, Estimate]
    groups: dict[str, dict[str, Estimate]]
    errors: CountedShare
    outcomes: dict[str, dict[str, int]]


def test_estimates_are_groups_and_shares_and_counts_are_rates() -> None:
    half = mean([1.0, 0.0], ["one", "two"])
    scores = Scores(
        headline=half,
        overall=half,
        excluded=half,
        tasks={"count": half},
        groups={"wording": {"seen": half}},
        errors=CountedShare(count=1, n=4),
        outcomes={"answer": {"right": 3, "wrong": 1}},
    )
    table = score_table("scripted", "agent", "repo", scores)
    assert dict(table.groups) == {"task": {"count": half}, "wording": {"seen": half}}
    assert dict(table.rates) == {
        "errors": CountedShare(count=1, n=4),
        "right, where an answer is due": CountedShare(count=3, n=4),
        "wrong, where an answer is due": CountedShare(count=1, n=4),
    }
