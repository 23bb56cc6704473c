"""One judge of several: who is meant, and what is said where that is not clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.errors import ConfigError
from longtake.evalharness.judges.judging import which_judge

RUN = Path("run")


@pytest.mark.parametrize(
    ("verdicts", "name", "meant"),
    [
        ({"ann-1": 2}, None, "ann-1"),
        ({"ann-1": 1, "bo-1": 1}, "ann-1", "ann-1"),
        ({"ann-1": 1, "bo-1": 1, "bo-2": 1}, "ann", "ann-1"),
        ({"ann-1": 1, "ann-10": 1}, "ann-1", "ann-1"),
        ({}, None, None),
    ],
)
def test_the_judge_that_is_meant(verdicts: dict[str, int], name: str | None, meant: str | None) -> None:
    assert which_judge(verdicts, name, RUN) == meant


@pytest.mark.parametrize(
    ("verdicts", "name", "reported"),
    [
        (
            {"ann-1": 1, "bo-1": 2},
            None,
            r"run has verdicts of ann-1 \(1\), bo-1 \(2\); name one of these judges with --judge\.",
        ),
        ({"ann-1": 1, "bo-1": 1, "bo-2": 1}, "bo", r"verdicts of ann-1 \(1\), bo-1 \(1\), bo-2 \(1\)"),
        ({"ann-1": 1}, "cy", r"verdicts of ann-1 \(1\); name"),
        ({}, "ann", "run has no verdicts yet; run `longtake eval judge run`"),
    ],
)
def test_where_it_is_not_clear_all_are_named(verdicts: dict[str, int], name: str | None, reported: str) -> None:
    with pytest.raises(ConfigError, match=reported):
        which_judge(verdicts, name, RUN)
