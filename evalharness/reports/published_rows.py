"""The figures that a suite's paper prints, beside those of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
_HEADLINE = ("headline", "")  # in place of a table and a row
_LIKE_PAPERS = ("repo", "paper")  # the readings that published figures follow


class Printed(Record):
    """A table of a paper."""

    columns: Mapping[str, tuple[str, str]] = Field(
        default_factory=dict, description="Figures beside the headline: the table and the row in which a run has each."
    )
    rows: Mapping[str, tuple[float, ...]] = Field(
        default_factory=dict, description="The headline and these figures, as far as printed; of a part without it."
    )


class Published(Printed):
    """What a paper prints. A suite without one headline has only parts, which stand for themselves."""

    source: str
    asked: str
    parts: Mapping[str, Printed] = Field(default_factory=dict, description="Further tables of the same rows.")


def beside_published(card: RunCard, subjects: Sequence[SubjectScores]) -> tuple[Grid, ...]:
    """The subjects among the published rows, best first; nothing if nothing is published about the suite."""
    printing = published().get(card.suite)
    if printing is None or subjects[0].table.reading not in _LIKE_PAPERS:
        return ()
    score = {"Score": _HEADLINE} if printing.rows else {}
    tables: dict[str, Printed] = {TITLE: printing} if printing.rows else {}
    for name, part in printing.parts.items():
        rows = {row: (*printing.rows.get(row, ())[:1], *figures) for row, figures in part.rows.items()}
        tables[f"{TITLE}: {name}"] = part.model_copy(update={"rows": rows})
    grids: list[Grid] = []
    for title, table in tables.items():
        columns = {**score, **table.columns}
        ours = [(one.name, [_figure(one, *place) for place in columns.values()]) for one in subjects]
        if title == TITLE or any(figure for _, figures in ours for figure in figures[len(score) :]):
            grids.append(Grid(title, ("Name", *columns, "From"), tuple(_ranked(table.rows, ours))))
    asked = counted(len(subjects[0].items), "item")
    caption = (
        f"Published: {printing.source}; {printing.asked}. This run: {asked}. Figures compare only if the items, the "
        "input and the judge are the same."
    )
    return tuple(replace(grid, caption=caption) if number == 0 else grid for number, grid in enumerate(grids))


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


def _figure(subject: SubjectScores, table: str, row: str) -> Estimate | None:
    """The headline of a subject, or the figure in a row of one of its tables; `8 fps` is also `8 fps, at most 32`."""
    if (table, row) == _HEADLINE:
        return subject.table.headline
    rows = subject.table.groups.get(table, {})
    return rows.get(row) or next((figure for name, figure in rows.items() if name.startswith(f"{row},")), None)


@cache
def published() -> Mapping[str, Published]:
    """What the papers print, by suite."""
    text = files("longtake.evalharness.reports").joinpath("published.yaml").read_text(encoding="utf-8")
    return {suite: Published.model_validate(fields) for suite, fields in yaml.safe_load(text).items()}
