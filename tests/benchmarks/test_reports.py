"""What commands report: medians and shares with their uncertainty, the machine, and all of it as text."""

from __future__ import annotations

import platform

import pytest
from pydantic import Field

from longtake.benchmarks.reports import Machine, Report, Share, Spread
from longtake.memory.records import Record


def test_spread_is_median_least_and_greatest() -> None:
    assert Spread.of([3.0, 1.0, 2.0, 10.0]) == Spread(median=2.5, low=1.0, high=10.0, n=4)


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


def test_a_machine_is_told_by_its_system_and_processor_not_by_its_kernel() -> None:
    machine = Machine.since(0.0)
    assert platform.system() in machine.system
    assert platform.release() not in str(machine)


def test_records_of_one_kind_are_a_table_and_what_is_for_programs_is_left_out() -> None:
    class Row(Record):
        name: str
        seconds: float

    class Both(Report):
        rounds: int
        shares: dict[str, Share]
        rows: tuple[Row, ...]
        wrong: tuple[str, ...]
        answers: tuple[str, ...] = Field(repr=False)

    rows = (Row(name="one", seconds=0.5), Row(name="another", seconds=1234.5))
    both = Both(rounds=3, shares={"all": Share.of(1, 2)}, rows=rows, wrong=(), answers=("hidden",))
    told = both.lines()
    assert told[0] == "rounds: 3"
    assert told[-5:] == ["rows:", "  name     seconds", "  one      0.5", "  another  1,234", "wrong: none"]
    assert not any("hidden" in line for line in told)
