"""The headline figures that a suite's paper prints, beside those of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import yaml

from longtake.console import counted
from longtake.evalharness.reports.grid import Cell, Grid, estimate
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.runs.run_folder import RunCard
from longtake.memory.records import Record

_LIKE_PAPERS = ("repo", "paper")  # the readings that published figures follow


class Published(Record):
    """What a paper prints."""

    source: str
    asked: str
    rows: Mapping[str, float]


def beside_published(card: RunCard, subjects: Sequence[SubjectScores]) -> Grid | None:
    """The subjects among the published rows, best first; None if nothing is published about the suite."""
    published = _published().get(card.suite)
    if published is None or subjects[0].table.reading not in _LIKE_PAPERS:
        return None
    printed: list[tuple[float, tuple[Cell, ...]]] = [
        (score, (name, f"{score:g}", "published")) for name, score in published.rows.items()
    ]
    ours: list[tuple[float, tuple[Cell, ...]]] = [
        (held.value if held and held.value is not None else -1.0, (subject.name, estimate(held), "this run"))
        for subject in subjects
        for held in [subject.table.headline]
    ]
    rows = sorted([*ours, *printed], key=lambda row: -row[0])
    asked = counted(len(subjects[0].items), "item")
    return Grid(
        "Beside published figures",
        ("Name", "Score", "From"),
        tuple(cells for _, cells in rows),
        f"Published: {published.source}; {published.asked}. This run: {asked}. Figures compare only if the items, the "
        "input and the judge are the same.",
    )


@cache
def _published() -> Mapping[str, Published]:
    text = files("longtake.evalharness.reports").joinpath("published.yaml").read_text(encoding="utf-8")
    return {suite: Published.model_validate(fields) for suite, fields in yaml.safe_load(text).items()}
