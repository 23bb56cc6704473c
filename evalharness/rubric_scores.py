"""Scores of rubrics: what each sample earned of what it could, in the four readings, and the averages over tasks.

`repo` is the released code of LongShOT: weights of met criteria, pooled over the samples of a task; no penalty counts.
`paper` is the paper's weighted sum, met positives less violated penalties over the positive maximum, mean over samples.
`signed` is that sum per sample, not below 0, pooled as `repo` pools. `strict` asks for every positive and no violation.
A category is the plain mean of its tasks, and the overall score that of the categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from longtake.evalharness.items import Criterion, Item

Reading = Literal["repo", "paper", "signed", "strict"]
READINGS: tuple[Reading, ...] = ("repo", "paper", "signed", "strict")


class SampleScore(NamedTuple):
    """What a sample earned of what it could; a sample that could earn nothing has no part in any score."""

    item: Item
    earned: float
    possible: float


class Verdict(NamedTuple):
    """A criterion and what the judge found; None where there is no verdict."""

    criterion: Criterion
    met: bool | None

    @property
    def violated(self) -> bool:
        """Whether a penalty is due: what it forbids was found to have been done."""
        return self.criterion.penalty and self.met is False


def sample_score(item: Item, verdicts: Sequence[Verdict], reading: Reading) -> SampleScore:
    """Score the criteria of all turns of a sample."""
    met = [verdict.criterion for verdict in verdicts if verdict.met and not verdict.criterion.penalty]
    possible = sum(max(0.0, criterion.weight) for turn in item.turns for criterion in turn.criteria)
    if reading != "repo":
        # A penalty is no part of what can be earned, whatever sign its weight has.
        possible = sum(c.weight for turn in item.turns for c in turn.criteria if not c.penalty and c.weight > 0)
    earned = sum(criterion.weight for criterion in met)
    lost = sum(abs(verdict.criterion.weight) for verdict in verdicts if verdict.violated)
    if not possible or reading == "repo":
        return SampleScore(item, earned, possible)
    if reading == "strict":
        return SampleScore(item, float(not lost and earned >= possible), 1.0)
    if reading == "paper":
        return SampleScore(item, (earned - lost) / possible, 1.0)
    return SampleScore(item, max(0.0, earned - lost), possible)


def by_task(scores: Iterable[SampleScore]) -> Mapping[str, list[SampleScore]]:
    """The samples of each task, in the order of first sight."""
    groups: dict[str, list[SampleScore]] = {}
    for score in scores:
        groups.setdefault(score.item.task, []).append(score)
    return groups
