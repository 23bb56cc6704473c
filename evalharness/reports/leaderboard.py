"""Ranks the subjects of several runs; those that were asked other items or judged by another judge are ranked apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from longtake.console import counted
from longtake.evalharness.reports.document import markdown_table
from longtake.evalharness.reports.grid import Grid, estimate
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.runs.run_folder import Notify, RunFolder, as_asked
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.scoring.score_table import ScoredRun, scored_run, subject_score
from longtake.memory.records import Record


class Entry(Record):
    """A subject of a run."""

    run: str
    subject: str
    headline: Estimate | None = Field(description="None if too many verdicts are missing.")
    items: int
    errors: int = Field(description="Predictions with a reply that is an error.")
    cost: float = Field(description="Of all predictions together, in the unit of the prices.")
    seconds: float


class Ranking(Record):
    """Subjects that were asked the same and are read and judged alike, best first."""

    suite: str
    reading: str
    protocol: str
    judge: str | None
    items: int
    item_set: str = Field(description="Hash of the items and of the ways they were asked.")
    entries: tuple[Entry, ...]

    @property
    def title(self) -> str:
        """What is ranked here."""
        judge = f", judge {self.judge}" if self.judge else ""
        return f"{self.suite} ({self.reading}), {counted(self.items, 'item')}, set {self.item_set}{judge}"


class Leaderboard(Record):
    """The public shape of `eval leaderboard --json`."""

    rankings: tuple[Ranking, ...]


def leaderboard(runs: Sequence[Path], reading: str | None, notify: Notify, judge: str | None = None) -> Leaderboard:
    """Rank the subjects of runs.

    Args:
        runs: folders.
        reading: see `scored_run`.
        notify: called for lines that were left out.
        judge: see `scored_run`.

    Raises:
        ConfigError: see `scored_run`.
    """
    groups: dict[_Group, list[Entry]] = {}
    for path in runs:
        run = scored_run(RunFolder(path), reading, notify, judge)
        for name, scored in run.subjects.items():
            if scored.items:
                groups.setdefault(_group(run, name), []).append(_entry(run, name, path))
    rankings = [
        Ranking(**group._asdict(), items=entries[0].items, entries=tuple(sorted(entries, key=_rank)))
        for group, entries in groups.items()
    ]
    return Leaderboard(rankings=tuple(sorted(rankings, key=lambda each: (each.suite, -each.items, each.item_set))))


def show_leaderboard(found: Leaderboard) -> list[str]:
    """The rankings as text, in columns."""
    lines: list[str] = []
    for grid in grids(found):
        rows = [grid.columns, *(tuple(map(str, row)) for row in grid.rows)]
        widths = [max(len(row[place]) for row in rows) for place in range(len(grid.columns))]
        lines += [
            grid.title,
            *("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows),
        ]
    if len(found.rankings) > 1:
        lines.append("Subjects with different items, readings or judges are ranked separately.")
    return [line.rstrip() for line in lines]


def leaderboard_markdown(found: Leaderboard) -> Iterator[str]:
    """The same as Markdown."""
    yield "# Leaderboard\n"
    for grid in grids(found):
        yield "\n".join(["", f"## {grid.title}", "", *markdown_table(grid), ""])


def grids(found: Leaderboard) -> Iterator[Grid]:
    """The rankings as tables."""
    columns = ("", "Subject", "Run", "Score", "Items", "Errors", "Cost", "Seconds")
    for ranking in found.rankings:
        rows = tuple(
            (
                str(place),
                entry.subject,
                entry.run,
                estimate(entry.headline),
                str(entry.items),
                str(entry.errors),
                f"{entry.cost:.4g}",
                f"{entry.seconds:.1f}",
            )
            for place, entry in enumerate(ranking.entries, 1)
        )
        yield Grid(ranking.title, columns, rows)


class _Group(NamedTuple):
    """What is the same for subjects that are ranked together; see `Ranking`."""

    suite: str
    reading: str
    protocol: str
    judge: str | None
    item_set: str


def _group(run: ScoredRun, name: str) -> _Group:
    scored, card = run.subjects[name], run.card
    ways = [variant.model_dump_json() for variant in scored.variants]
    judge = next((judgement.judge for judgement in scored.judgements), None)
    items = (as_asked(item) for item in sorted(scored.items, key=lambda item: item.id))
    return _Group(card.suite, run.reading, card.protocol, judge, _hash([*items, *ways, str(sorted(card.seeds))]))


def _hash(parts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=3)
    for part in parts:
        digest.update(part.encode() + b"\n")
    return digest.hexdigest()


def _entry(run: ScoredRun, name: str, path: Path) -> Entry:
    scored = run.subjects[name]
    errors, cost, seconds = 0, 0.0, 0.0
    for prediction in scored.predictions:
        errors += failed(prediction)
        cost += sum(reply.usage.cost for reply in prediction.replies if reply.usage)
        seconds += prediction.seconds
    return Entry(
        run=str(path),
        subject=name,
        headline=subject_score(run, name).table.headline,
        items=len(scored.items),
        errors=errors,
        cost=round(cost, 6),
        seconds=round(seconds, 1),
    )


def _rank(entry: Entry) -> tuple[bool, float, str, str]:
    value = entry.headline.value if entry.headline else None
    return value is None, -(value or 0.0), entry.subject, entry.run
