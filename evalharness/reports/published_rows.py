"""The figures that a suite's paper prints, beside those of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import yaml

from longtake.console import counted
from longtake.evalharness.reports.grid import Cell, Grid, estimate
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.scoring.estimates import Estimate
from longtake.memory.records import Record

_LIKE_PAPERS = ("repo", "paper")  # the readings that published figures follow


class Figure(Record):
    """One figure of a paper by name, and the table and row of our scores with the same figure."""

    table: str
    row: str
    rows: Mapping[str, float]


class Published(Record):
    """What a paper prints: headlines in `rows`, or several figures."""

    source: str
    asked: str
    rows: Mapping[str, float] = {}
    figures: Mapping[str, Figure] = {}


def beside_published(card: RunCard, subjects: Sequence[SubjectScores]) -> Grid | None:
    """The subjects among the published rows, best first; None if nothing is published about the suite."""
    published = _published().get(card.suite)
    if published is None or subjects[0].table.reading not in _LIKE_PAPERS:
        return None
    columns: tuple[str, ...] = ("Name", "Score", "From")
    rows = _ranked(published.rows, [(one.name, one.table.headline) for one in subjects])
    if published.figures:
        columns = ("Figure", *columns)
        rows = [(name, *cells) for name, figure in published.figures.items() for cells in _beside(figure, subjects)]
    if not rows:
        return None
    asked = counted(len(subjects[0].items), "item")
    return Grid(
        "Beside published figures",
        columns,
        tuple(rows),
        f"Published: {published.source}; {published.asked}. This run: {asked}. Figures compare only if the items, the "
        "input and the judge are the same.",
    )


def _beside(figure: Figure, subjects: Sequence[SubjectScores]) -> list[tuple[Cell, ...]]:
    """The rows of a figure, if the run has it."""
    held = [(one.name, one.table.groups.get(figure.table, {}).get(figure.row)) for one in subjects]
    return _ranked(figure.rows, held) if any(found for _, found in held) else []


def _ranked(printed: Mapping[str, float], ours: Sequence[tuple[str, Estimate | None]]) -> list[tuple[Cell, ...]]:
    """Rows of a paper and of this run, best first."""
    rows: list[tuple[float, tuple[Cell, ...]]] = [
        (score, (name, f"{score:g}", "published")) for name, score in printed.items()
    ]
    for name, held in ours:
        value = held.value if held and held.value is not None else -1.0
        rows.append((value, (name, estimate(held), "this run")))
    return [cells for _, cells in sorted(rows, key=lambda row: -row[0])]


@cache
def _published() -> Mapping[str, Published]:
    text = files("longtake.evalharness.reports").joinpath("published.yaml").read_text(encoding="utf-8")
    return {suite: Published.model_validate(fields) for suite, fields in yaml.safe_load(text).items()}
