"""One judge of several: who is meant, and what is said where that is not clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.errors import ConfigError
from longtake.evalharness.items import Judgement
from longtake.evalharness.judges.named import of_judge

RUN = Path("run")


def found(judge: str, met: bool | None) -> Judgement:
    return Judgement(item="i", variant="original", subject="s", turn=0, criterion="", judge=judge, met=met)


ANN, BO, BOB, DOWN = found("ann-1", True), found("bo-1", False), found("bo-2", True), found("down-1", None)


@pytest.mark.parametrize(
    ("held", "name", "meant"),
    [
        ([ANN, ANN], None, [ANN, ANN]),
        ([DOWN, ANN, DOWN], None, [ANN]),
        ([ANN, found("ann-1", None), BO], "ann-1", [ANN, found("ann-1", None)]),
        ([ANN, BO, BOB], "ann", [ANN]),
        ([ANN, found("ann-10", True)], "ann-1", [ANN]),
        ([DOWN], None, [DOWN]),
        ([], None, []),
    ],
)
def test_the_judge_that_is_meant(held: list[Judgement], name: str | None, meant: list[Judgement]) -> None:
    assert of_judge(held, name, RUN) == meant


@pytest.mark.parametrize(
    ("held", "name", "told"),
    [
        (
            [ANN, BO, BO],
            None,
            r"run holds verdicts of ann-1 \(1\), bo-1 \(2\); name one of these judges with --judge\.",
        ),
        ([ANN, BO, BOB], "bo", r"verdicts of ann-1 \(1\), bo-1 \(1\), bo-2 \(1\)"),
        ([ANN, DOWN], "down", r"verdicts of ann-1 \(1\); name"),
        ([ANN], "cy", r"verdicts of ann-1 \(1\); name"),
        ([DOWN], "down", "run holds no verdicts of any judge; run `longtake eval judge run`"),
        ([], "ann", "run holds no verdicts of any judge"),
    ],
)
def test_where_it_is_not_clear_all_are_named(held: list[Judgement], name: str | None, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        of_judge(held, name, RUN)
