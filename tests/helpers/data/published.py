"""Published tables, and what a printed figure may stand for.

A figure is printed to some decimals, so that it stands for an interval of half a unit in its last place either way.
What is worked out from printed parts is an interval too, and a table holds where the two have a number in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from longtake.evalharness.scoring.estimates import Estimate, Observation, mean, ratio

CASE = ("row", "holds", "gives")
Row = dict[str, str]
ORACLES = Path(__file__).parent.parent.parent / "evalharness" / "oracles.yaml"


class Interval(NamedTuple):
    """Every number from low to high, both included."""

    low: Decimal
    high: Decimal

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)


def _tables() -> dict[str, dict[str, Row]]:
    """The rows of each table by their names, every figure the text that is printed."""
    tables = yaml.load(ORACLES.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return {
        name: {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}
        for name, table in tables.items()
    }


TABLES = _tables()


def cases(table: str, column: str, fails: Mapping[str, str] = {}, but: Collection[str] = ()) -> list[Any]:
    """A test case for each row of a table but some: the row, whether its figure holds, and the figure the parts give.

    Args:
        table: to test.
        column: of the figure.
        fails: for each row whose figure does not follow from its parts, the figure that does.
        but: rows that are no cases.
    """
    rows = {name: row for name, row in TABLES[table].items() if name not in but}
    assert fails.keys() <= rows.keys()
    return [
        pytest.param(row, name not in fails, fails.get(name, row[column]), id=f"{table} {name}")
        for name, row in rows.items()
    ]


def column(table: str, name: str, but: Collection[str] = ("Total",)) -> list[str]:
    """The figures of a column, but for the rows of totals."""
    return [row[name] for row in TABLES[table].values() if row["name"] not in but]


def printed(figure: str) -> Interval:
    """What a printed figure may stand for."""
    value = Decimal(figure)
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    half = Decimal(5).scaleb(exponent - 1)
    return Interval(value - half, value + half)


def exactly(value: float) -> Interval:
    """A number that is no rounded one."""
    return Interval(Decimal(str(value)), Decimal(str(value)))


def agrees(figure: str, found: Interval) -> bool:
    """Whether a printed figure may stand for a number that was found."""
    stands_for = printed(figure)
    return stands_for.low <= found.high and found.low <= stands_for.high


def at_ends(estimate: Callable[[list[float]], Estimate], parts: Sequence[str]) -> Interval:
    """Where an estimate lies that grows with each of its parts."""
    ends = [estimate([float(end) for end in side]).value for side in zip(*map(printed, parts), strict=True)]
    low, high = [Decimal(str(end)) for end in ends]
    return Interval(low, high)


def plain_mean(values: Sequence[float]) -> Estimate:
    """The mean of figures that all weigh the same, in their own unit."""
    return mean([value / 100 for value in values], [str(place) for place in range(len(values))])


def weighted(parts: Sequence[str], sizes: Sequence[str]) -> Interval:
    """The mean of accuracies in percent, each weighted by the number of its questions."""
    possible = [float(size) for size in sizes]
    videos = [str(place) for place in range(len(parts))]
    return at_ends(
        lambda values: ratio(Observation(v * n / 100, n, p) for v, n, p in zip(values, possible, videos, strict=True)),
        parts,
    )


def share(part: int, whole: int) -> Interval:
    """A share of a whole in percent."""
    value = ratio([Observation(part, whole, "all")]).value
    assert value is not None
    return exactly(value)


def counts(figure: str, n: int) -> list[int]:
    """Every count of n whose share in percent is printed so."""
    low, high = printed(figure)
    return list(range(max(0, math.ceil(low * n / 100)), min(n, math.floor(high * n / 100)) + 1))
