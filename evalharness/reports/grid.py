"""Tables of estimates and plots, before they become HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass, replace

from longtake.evalharness.scoring.estimates import Estimate

Cell = str | Estimate


@dataclass(frozen=True)
class Grid:
    """A table; the first cell of a row is its name."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    subjects_from: int = 0  # the column of the first subject; 0 if each row is one
    heat: bool = False  # whether cells are coloured by their estimates, in place of intervals beside them

    def shade(self, cell: Cell) -> int | None:
        """The tenth of the scale, 0 to 10, that an estimate in a heat map is coloured by; None of any other cell."""
        if not self.heat or isinstance(cell, str) or cell.value is None:
            return None
        return round(min(max(cell.value, 0.0), 100.0) / 10)


@dataclass(frozen=True)
class Point:
    """A score at a place of an axis; points of one series share colour and shape."""

    series: int
    name: str
    place: float
    score: Estimate


@dataclass(frozen=True)
class Plot:
    """Scores against something else; `grid` says the same in words."""

    title: str
    axis: str
    points: tuple[Point, ...]
    series: tuple[str, ...]
    grid: Grid

    @property
    def table(self) -> Grid:
        """The same in words, with the title."""
        return replace(self.grid, title=self.title)


def estimate(value: Estimate | None) -> Cell:
    """A cell of an estimate, or of none."""
    return "none" if value is None or value.value is None else value
