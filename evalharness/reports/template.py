"""Fills the templates of pages, and draws their plots as SVG.

Positions are in percent, so that a plot fills any width while its text keeps its size. Colours are those of the style
sheet, so that they follow the reader's light or dark mode; series differ in shape too.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from math import ceil, floor, log10
from typing import Any, NamedTuple

from jinja2 import Environment
from markupsafe import Markup, escape

from longtake.console import counted
from longtake.evalharness.reports.grid import Grid, Plot
from longtake.evalharness.scoring.estimates import Estimate
from longtake.memory.timespan import clock
from longtake.prompts import templates

_SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0",
    "M-4,-4h8v8h-8z",
    "M0,-5l5,9h-10z",
    "M0,-5l5,5l-5,5l-5,-5z",
    "M0,5l5,-9h-10z",
    "M-5,-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
)
_ROW = 14  # pixels that an estimate takes of a forest plot
_HEIGHT = 260


def key(series: int) -> Markup:
    """The mark of a series, next to its name."""
    return Markup(f'<svg class="key" width="14" height="14" aria-hidden="true">{_shape(series, 50, "50%")}</svg>')


class Forest(NamedTuple):
    """A forest plot, row by row, and the start of its axis, which ends at 100."""

    low: float
    rows: list[Markup]


def forest_of(grid: Grid) -> Forest | None:
    """The plotted estimates of a table, those of a row below each other; None without estimates."""
    first = grid.subjects_from
    rows = [
        [(place if first else number, cell) for place, cell in enumerate(row[first:]) if isinstance(cell, Estimate)]
        for number, row in enumerate(grid.rows)
    ]
    low = _lowest(one for row in rows for _, one in row)
    return Forest(low, [_forest_row(row, low) for row in rows]) if any(rows) else None


def _forest_row(row: Sequence[tuple[int, Estimate]], low: float) -> Markup:
    height = _ROW * len(row)
    drawn = [f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="{height}"/>' for x in (0, 50, 100)]
    for place, (series, one) in enumerate(row):
        y = _ROW * place + _ROW / 2
        if one.low is not None and one.high is not None:
            ends = f'x1="{_across(one.low, low):.2f}%" x2="{_across(one.high, low):.2f}%"'
            drawn.append(f'<line class="{_class(series)}" {ends} y1="{y}" y2="{y}"/>')
        drawn.append(_shape(series, _across(one.value or 0.0, low), f"{y}"))
    return Markup(f'<svg class="forest" height="{height}" aria-hidden="true">{"".join(drawn)}</svg>')


def _lowest(estimates: Iterable[Estimate]) -> float:
    """The start of an axis of scores: 0, or less if a value is negative."""
    ends = [one.value if one.low is None else one.low for one in estimates]
    return min(0.0, 20.0 * floor(min((end for end in ends if end is not None), default=0.0) / 20))


def scatter(plot: Plot) -> Markup:
    """Scores, with their intervals, against what the plot's axis is; said in words by its table."""
    points = [point for point in plot.points if point.score.value is not None]
    most, step = _axis(max((point.place for point in points), default=1.0))
    low = _lowest(point.score for point in points)
    drawn = [*_upright_grid(most, step), *_level_grid(low)]
    for point in points:
        x, score = 100 * point.place / most, point.score
        if score.low is not None and score.high is not None:
            ends = [f"{100 - _across(end, low):.2f}%" for end in (score.low, score.high)]
            drawn.append(
                f'<line class="{_class(point.series)}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{ends[0]}" y2="{ends[1]}"/>'
            )
        drawn.append(_shape(point.series, x, f"{100 - _across(score.value or 0.0, low):.2f}%"))
    label = escape(f"{plot.title}. Score against: {plot.axis}. The table below says the same.")
    return Markup(f'<svg class="scatter" height="{_HEIGHT}" role="img" aria-label="{label}">{"".join(drawn)}</svg>')


def _upright_grid(most: float, step: float) -> Iterator[str]:
    decimals = max(0, -floor(log10(step)))
    for number in range(round(most / step) + 1):
        x = f"{100 * number * step / most:.2f}%"
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="100%"/>'
        yield f'<text x="{x}" y="100%" dy="18" text-anchor="middle">{number * step:.{decimals}f}</text>'


def _level_grid(low: float) -> Iterator[str]:
    for score in range(int(low), 101, 20 if low == 0 else 40):
        y = f"{100 - _across(score, low):.2f}%"
        yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        yield f'<text x="0" y="{y}" dx="-8" dy="4" text-anchor="end">{score}</text>'


def _class(series: int) -> str:
    """The class of the style sheet that colours a series."""
    return f"s{series % len(_SHAPES)}"


def _shape(series: int, x: float, y: str) -> str:
    """The mark of a series at a place: percent from the left, and from the top."""
    drawn = _SHAPES[series % len(_SHAPES)]
    return f'<svg x="{x:.2f}%" y="{y}" overflow="visible" class="{_class(series)}"><path d="{drawn}"/></svg>'


def _across(value: float, low: float) -> float:
    return 100 * (min(max(value, low), 100.0) - low) / (100.0 - low)


def _axis(most: float) -> tuple[float, float]:
    """The end of an axis that holds a value, and the step of its ticks: 1, 2 or 5 times a power of ten."""
    if most <= 0:
        return 1.0, 1.0
    power = 10.0 ** floor(log10(most / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if most / (power * factor) <= 5)
    return step * ceil(most / step), step


def page(name: str, **values: Any) -> Iterator[str]:
    """A template filled, in pieces; what comes from a run or a video is escaped."""
    return _environment().get_template(name).generate(**values)


@cache
def _environment() -> Environment:
    environment = templates("longtake.evalharness.reports", "pages")
    environment.globals |= {"forest_of": forest_of, "scatter": scatter, "key": key, "clock": clock, "counted": counted}
    environment.filters["breakable"] = breakable
    environment.globals |= {"script": script, "script_hash": script_hash}
    return environment


@cache
def script() -> str:
    """The script of a report."""
    return (files("longtake.evalharness.reports.pages") / "report.js").read_text(encoding="utf-8")


def breakable(name: str) -> Markup:
    """A name that may go on in another line after its punctuation, before it breaks within a word."""
    return Markup(re.sub(r"(?<=[_:/@.-])(?=\w)", "<wbr>", str(escape(name))))


def script_hash() -> str:
    """The hash by which the page's policy allows its script, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
