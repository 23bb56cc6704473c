"""Ranks the subjects of several runs; those that were asked other items or judged by another judge are ranked apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from longtake.console import counted
from longtake.evalharness.reports.document import markdown_table
from longtake.evalharness.reports.grid import Cell, Grid, estimate
from longtake.evalharness.runs.run_folder import Notify, RunFolder, as_asked
from longtake.evalharness.scoring.choice_scores import CountedShare
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.scoring.score_table import ScoredRun, scored_run, subject_score
from longtake.evalharness.scoring.spending import money
from longtake.memory.records import Record

_TAKEN = ("Items", "Errors", "Cost", "Judging", "Seconds")


class LeaderboardEntry(Record):
    """A subject of a run."""

    run: str
    subject: str
    headline: Estimate | None = Field(description="None if it is withheld, or there are `headlines`.")
    headlines: Mapping[str, Estimate] = Field(description="Of tests that aren't pooled, by name.")
    unranked: str = Field(description="Why it isn't ranked; empty if it is.")
    items: int
    errors: CountedShare = Field(description="As `score` counts them.")
    cost: float | None = Field(description="Of all predictions together; None if a price isn't known.")
    judging: float | None = Field(description="Of all verdicts together; None if a price isn't known.")
    seconds: float


class Ranking(Record):
    """Subjects that were asked the same and are read and judged alike, best first."""

    suite: str
    reading: str
    protocol: str
    judge: str | None
    items: int
    item_set: str = Field(description="Hash of the items and of the ways they were asked.")
    entries: tuple[LeaderboardEntry, ...]

    @property
    def title(self) -> str:
        """What is ranked here."""
        judge = f", judge {self.judge}" if self.judge else ""
        return f"{self.suite} ({self.reading}), {counted(self.items, 'item')}, set {self.item_set}{judge}"


class Leaderboard(Record):
    """The public shape of `eval leaderboard --json`."""

    rankings: tuple[Ranking, ...]


def leaderboard(runs: Sequence[Path], reading: str | None, notify: Notify, judge: str | None = None) -> Leaderboard:
    """Rank the subjects of runs; see `scored_run`."""
    groups: dict[Ranking, list[LeaderboardEntry]] = {}
    for path in runs:
        run = scored_run(RunFolder(path), reading, notify, judge)
        for name, scored in run.subjects.items():
            if scored.items:
                groups.setdefault(_empty_ranking(run, name), []).append(_entry(run, name, path))
    rankings = [
        ranking.model_copy(update={"entries": tuple(sorted(entries, key=lambda entry: _rank(entry.headline, entry)))})
        for ranking, entries in groups.items()
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
            *filter(None, grid.caption.split("\n")),
        ]
    if len(found.rankings) > 1:
        lines.append("Subjects that differ in items, ways of asking, readings or judges are ranked separately.")
    return [line.rstrip() for line in lines]


def leaderboard_markdown(found: Leaderboard) -> Iterator[str]:
    """The same as Markdown."""
    yield "# Leaderboard\n"
    for grid in grids(found):
        yield "\n".join(["", f"## {grid.title}", "", *markdown_table(grid), ""])


def grids(found: Leaderboard) -> Iterator[Grid]:
    """The rankings as tables: one for each headline, and where there are several one of what the run took."""
    for ranking in found.rankings:
        unranked = "\n".join(
            f"{one.subject} of {one.run} isn't ranked: {one.unranked}" for one in ranking.entries if one.unranked
        )
        tests = dict.fromkeys(test for entry in ranking.entries for test in entry.headlines)
        if not tests:
            rows = _placed((entry.headline, entry) for entry in ranking.entries)
            columns = ("", "Subject", "Run", "Score", *_TAKEN)
            yield Grid(ranking.title, columns, tuple((*row, *_taken(entry)) for row, entry in rows), unranked)
            continue
        for test in tests:
            rows = _placed((entry.headlines.get(test), entry) for entry in ranking.entries)
            yield Grid(f"{ranking.title}: {test}", ("", "Subject", "Run", "Score"), tuple(row for row, _ in rows))
        taken = tuple((entry.subject, entry.run, *_taken(entry)) for entry in ranking.entries)
        yield Grid(f"{ranking.title}: all tests", ("Subject", "Run", *_TAKEN), taken, unranked)


def _placed(
    scored: Iterable[tuple[Estimate | None, LeaderboardEntry]],
) -> Iterator[tuple[tuple[Cell, ...], LeaderboardEntry]]:
    """The rows of a table, best first; one without a score has no place."""
    place = 0
    for score, entry in sorted(scored, key=lambda pair: _rank(*pair)):
        ranked = score is not None and score.value is not None
        place += ranked
        yield (str(place) if ranked else "-", entry.subject, entry.run, estimate(score)), entry


def _taken(entry: LeaderboardEntry) -> tuple[str, ...]:
    errors = f"{entry.errors.count} of {entry.errors.n}"
    return str(entry.items), errors, money(entry.cost), money(entry.judging), f"{entry.seconds:.1f}"


def _empty_ranking(run: ScoredRun, name: str) -> Ranking:
    """A ranking without entries: what all subjects have in common that are ranked together with this one."""
    scored, card = run.subjects[name], run.card
    ways = [variant.model_dump_json() for variant in scored.variants]
    judge = next((judgement.judge for judgement in scored.judgements), None)
    items = map(as_asked, sorted(scored.items, key=lambda item: item.id))
    digest = hashlib.blake2b(digest_size=3)
    for part in (*items, *ways, str(sorted(card.seeds))):
        digest.update(part.encode() + b"\n")
    return Ranking(
        suite=card.suite,
        reading=run.reading,
        protocol=card.protocol,
        judge=judge,
        items=len(scored.items),
        item_set=digest.hexdigest(),
        entries=(),
    )


def _entry(run: ScoredRun, name: str, path: Path) -> LeaderboardEntry:
    scored, table = run.subjects[name], subject_score(run, name).table
    return LeaderboardEntry(
        run=str(path),
        subject=name,
        headline=table.headline,
        headlines=table.headlines,
        unranked=table.unranked,
        items=len(scored.items),
        errors=table.rates["errors"],
        cost=table.spent.cost,
        judging=table.judging.cost,
        seconds=round(sum(prediction.seconds for prediction in scored.predictions), 1),
    )


def _rank(score: Estimate | None, entry: LeaderboardEntry) -> tuple[bool, float, str, str]:
    value = score.value if score else None
    return value is None, -(value or 0.0), entry.subject, entry.run
