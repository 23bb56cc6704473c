"""The score of each seed: how much a subject varies between repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from longtake.evalharness.items import Judgement, Prediction
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.scoring.rubric_scores import Reading
from longtake.evalharness.suites.suite_table import Scored, Suite

R = TypeVar("R", Prediction, Judgement)


class _OfSeed(Mapping[str, Sequence[R]]):
    """The records of each item for one seed, read on demand."""

    def __init__(self, held: Mapping[str, Sequence[R]], seed: int) -> None:
        self._held: Mapping[str, Sequence[R]] = held
        self._seed = seed

    def __getitem__(self, item: str) -> Sequence[R]:
        return [record for record in self._held[item] if record.seed == self._seed]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


def by_seed(suite: Suite, scored: Scored, reading: Reading, seeds: Sequence[int]) -> Rows:
    """The headline of each seed, or where that is withheld its overall score; nothing if there is one seed."""
    if len(seeds) < 2:
        return {}
    alone = [replace(scored, said=_OfSeed(scored.said, seed), found=_OfSeed(scored.found, seed)) for seed in seeds]
    scores = [suite.score(each, reading).model_dump(include={"headline", "overall"}) for each in alone]
    return {
        f"seed {seed}": Estimate.model_validate(each["headline"] or each["overall"])
        for seed, each in zip(seeds, scores, strict=True)
    }


def spread(rows: Rows) -> str | None:
    """The range of the seeds in a sentence; None if fewer than two have a score."""
    values = [row.value for row in rows.values() if row.value is not None]
    if len(values) < 2:
        return None
    return f"Over {len(values)} seeds the score is between {min(values):.1f} and {max(values):.1f}."
