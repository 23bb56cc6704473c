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

_LIKE_PAPERS = ("repo", "paper")  # the readings that published figures follow


class Published(Record):
    """What a paper prints."""

    source: str
    asked: str
    columns: Mapping[str, tuple[str, str]] = Field(
        default_factory=dict,
        description="Figures beside the headline: the table and the row in which a run has each.",
    )
    rows: Mapping[str, tuple[float, ...]] = Field(description="The headline and these figures, as far as printed.")


def beside_published(card: RunCard, subjects: Sequence[SubjectScores]) -> Grid | None:
    """The subjects among the published rows, best first; None if nothing is published about the suite."""
    printing = published().get(card.suite)
    if printing is None or subjects[0].table.reading not in _LIKE_PAPERS:
        return None
    width = 1 + len(printing.columns)
    printed: list[tuple[float, tuple[Cell, ...]]] = [
        (figures[0], (name, *(f"{figure:g}" for figure in figures), *[""] * (width - len(figures)), "published"))
        for name, figures in printing.rows.items()
    ]
    ours: list[tuple[float, tuple[Cell, ...]]] = [
        (figures[0].value if figures[0] and figures[0].value is not None else -1.0, _row(subject.name, figures))
        for subject in subjects
        for figures in [_figures(subject, printing)]
    ]
    rows = sorted([*ours, *printed], key=lambda row: -row[0])
    asked = counted(len(subjects[0].items), "item")
    return Grid(
        "Beside published figures",
        ("Name", "Score", *printing.columns, "From"),
        tuple(cells for _, cells in rows),
        f"Published: {printing.source}; {printing.asked}. This run: {asked}. Figures compare only if the items, the "
        "input and the judge are the same.",
    )


def _figures(subject: SubjectScores, published: Published) -> list[Estimate | None]:
    """The headline of a subject, and its figure of each column."""
    groups = subject.table.groups
    return [subject.table.headline, *(groups.get(table, {}).get(row) for table, row in published.columns.values())]


def _row(name: str, figures: Sequence[Estimate | None]) -> tuple[Cell, ...]:
    return (name, *map(estimate, figures), "this run")


@cache
def published() -> Mapping[str, Published]:
    """What the papers print, by suite."""
    text = files("longtake.evalharness.reports").joinpath("published.yaml").read_text(encoding="utf-8")
    return {suite: Published.model_validate(fields) for suite, fields in yaml.safe_load(text).items()}
