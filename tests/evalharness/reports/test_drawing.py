"""Places in a plot are shares of its width and height."""

from __future__ import annotations

import re

from longtake.evalharness.reports.grid import Grid, Plot, Point
from longtake.evalharness.reports.template import forest_of, scatter
from longtake.evalharness.scoring.estimates import Estimate

EMPTY = Grid("", (), ())


def estimate(value: float, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value=value, low=low, high=high, error=None, n=1, videos=1)


def marks(svg: str) -> list[tuple[str, str]]:
    return re.findall(r'<svg x="([\d.]+)%" y="([\d.]+)%?"', svg)


def test_a_forest_begins_at_zero_and_shows_interval_and_value() -> None:
    forest = forest_of(Grid("", ("Task", "n", "one", "two"), (("a", "3", estimate(50, 25, 75), "none"),), "", 2))
    assert forest is not None
    assert forest.low == 0
    assert marks(forest.rows[0]) == [("50.00", "7.0")]
    assert '<line class="s0" x1="25.00%" x2="75.00%"' in forest.rows[0]


def test_a_forest_reaches_down_to_what_lies_below_zero() -> None:
    forest = forest_of(Grid("", ("Subject", "Score"), (("a", estimate(-30, -95, 60)),)))
    assert forest is not None
    assert forest.low == -100
    assert marks(forest.rows[0])[0][0] == "35.00"


def test_subjects_keep_their_marks_in_rows_and_in_columns() -> None:
    rows = forest_of(Grid("", ("Subject", "Score"), (("a", estimate(1)), ("b", estimate(2)))))
    columns = forest_of(Grid("", ("Task", "n", "a", "b"), (("t", "1", "none", estimate(2)),), "", 2))
    assert rows is not None
    assert columns is not None
    assert 'class="s1"' in rows.rows[1]
    assert 'class="s1"' in columns.rows[0]


def test_a_table_without_estimates_has_no_forest() -> None:
    assert forest_of(Grid("", ("a", "b"), (("1", "2"),))) is None


def test_a_scatter_puts_points_on_a_round_axis() -> None:
    points = (Point(0, "a", 0.0, estimate(100)), Point(0, "b", 7.0, estimate(25, 20, 30)))
    svg = scatter(Plot("Cost", "Seconds", points, ("one",), EMPTY))
    assert marks(svg) == [("0.00", "0.00"), ("87.50", "75.00")]
    assert re.findall(r">([\d.]+)</text>", svg) == ["0", "2", "4", "6", "8", "0", "20", "40", "60", "80", "100"]
    assert 'y1="80.00%" y2="70.00%"' in svg


def test_an_axis_of_small_numbers_has_readable_ones() -> None:
    svg = scatter(Plot("Cost", "Money", (Point(0, "a", 0.00021, estimate(100)),), ("one",), EMPTY))
    assert re.findall(r'y="100%" [^>]*>([^<]+)</text>', svg)[:2] == ["0.00000", "0.00005"]
