"""Medians and shares with their uncertainty."""

from __future__ import annotations

import pytest

from longtake.benchmarks.intervals import Share, Spread


def test_spread_is_median_least_and_greatest() -> None:
    assert Spread.of([3.0, 1.0, 2.0, 10.0]) == Spread(median=2.5, low=1.0, high=10.0, n=4)
    assert str(Spread.of([0.5])) == "0.5 [0.5, 0.5] n=1"


# Computed by hand from the formula, and as printed in tables of the Wilson score interval.
@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (1, 1, 0.2065, 1.0), (8, 9, 0.565, 0.9801)],
)
def test_share_has_the_wilson_interval(count: int, n: int, low: float, high: float) -> None:
    share = Share.of(count, n)
    assert share.share == pytest.approx(count / n, abs=1e-4)
    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-4)


def test_nothing_asked_says_nothing() -> None:
    share = Share.of(0, 0)
    assert (share.share, share.low, share.high) == (None, 0.0, 1.0)
    assert str(share) == "none asked"


def test_more_observations_narrow_the_interval() -> None:
    few, many = Share.of(7, 10), Share.of(70, 100)
    assert few.low < many.low < 0.7 < many.high < few.high
