"""The figures that a suite's paper prints, beside those of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import yaml
from pydantic import Field

from longtake.console import counted
from longtake.evalharness.reports.grid import Cell, Grid, estimate
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.scoring.estimates import Estimate
from longtake.memory.records import Record

TITLE = "Beside published figures"
_LIKE_PAPERS = ("repo", "paper")  # the readings that published figures follow


class Figure(Record):
    """One figure of a paper by name, and the table and row of our scores with the same figure."""

    table: str
    row: str
    rows: Mapping[str, float]


class Printed(Record):
    """A table of a paper."""

    columns: Mapping[str, tuple[str, str]] = Field(
        default_factory=dict, description="Figures beside the headline: the table and the row in which a run has each."
    )
    rows: Mapping[str, tuple[float, ...]] = Field(
        default_factory=dict, description="The headline and these figures, as far as printed; of a part without it."
    )


class Published(Printed):
    """What a paper prints: headlines in `rows`, or several figures."""

    source: str
    asked: str
    parts: Mapping[str, Printed] = Field(default_factory=dict, description="Further tables of the same rows.")
    figures: Mapping[str, Figure] = Field(default_factory=dict, description="Of a suite without one headline.")


def beside_published(card: RunCard, subjects: Sequence[SubjectScores]) -> tuple[Grid, ...]:
    """The subjects among the published rows, best first; nothing if nothing is published about the suite."""
    printing = published().get(card.suite)
    if printing is None or subjects[0].table.reading not in _LIKE_PAPERS:
        return ()
    columns: tuple[str, ...] = ("Name", "Score", *printing.columns, "From")
    rows = _ranked(printing.rows, [(one.name, _figures(one, printing)) for one in subjects])
    if printing.figures:
        columns = ("Figure", *columns)
        rows = [(name, *cells) for name, figure in printing.figures.items() for cells in _beside(figure, subjects)]
    if not rows:
        return ()
    asked = counted(len(subjects[0].items), "item")
    caption = (
        f"Published: {printing.source}; {printing.asked}. This run: {asked}. Figures compare only if the items, the "
        "input and the judge are the same."
    )
    parts = [_part(name, part, printing, subjects) for name, part in printing.parts.items()]
    return Grid(TITLE, columns, tuple(rows), caption), *parts


def _part(name: str, part: Printed, printing: Published, subjects: Sequence[SubjectScores]) -> Grid:
    """A further table, its rows with the headline and in its order."""
    printed = {row: (printing.rows[row][0], *figures) for row, figures in part.rows.items()}
    rows = _ranked(printed, [(one.name, _figures(one, part)) for one in subjects])
    return Grid(f"{TITLE}: {name}", ("Name", "Score", *part.columns, "From"), tuple(rows))


def _beside(figure: Figure, subjects: Sequence[SubjectScores]) -> list[tuple[Cell, ...]]:
    """The rows of a figure, if the run has it."""
    held = [(one.name, [one.table.groups.get(figure.table, {}).get(figure.row)]) for one in subjects]
    printed = {name: (value,) for name, value in figure.rows.items()}
    return _ranked(printed, held) if any(found for _, (found,) in held) else []


def _ranked(
    printed: Mapping[str, tuple[float, ...]], ours: Sequence[tuple[str, Sequence[Estimate | None]]]
) -> list[tuple[Cell, ...]]:
    """Rows of a paper and of this run, best first."""
    width = max(len(figures) for _, figures in ours)
    rows: list[tuple[float, tuple[Cell, ...]]] = [
        (figures[0], (name, *(f"{figure:g}" for figure in figures), *[""] * (width - len(figures)), "published"))
        for name, figures in printed.items()
    ]
    for name, figures in ours:
        first = figures[0].value if figures[0] and figures[0].value is not None else -1.0
        rows.append((first, (name, *map(estimate, figures), "this run")))
    return [cells for _, cells in sorted(rows, key=lambda row: -row[0])]


def _figures(subject: SubjectScores, printed: Printed) -> list[Estimate | None]:
    """The headline of a subject, and its figure of each column."""
    groups = subject.table.groups
    return [subject.table.headline, *(groups.get(table, {}).get(row) for table, row in printed.columns.values())]


@cache
def published() -> Mapping[str, Published]:
    """What the papers print, by suite."""
    text = files("longtake.evalharness.reports").joinpath("published.yaml").read_text(encoding="utf-8")
    return {suite: Published.model_validate(fields) for suite, fields in yaml.safe_load(text).items()}
