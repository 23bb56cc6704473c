"""Scores rubrics: the points that each sample earned, in the four readings of LongShOT's rubrics.

`repo` is the released code: weights of the criteria that are met, over all positive weights, pooled over the samples of
a task. Penalties have no effect, but one with a positive weight (as v1's rubrics of tool use have) is in what could be
earned. In the other readings a penalty is never to be earned, whatever the sign of its weight, and is lost when it is
violated: `signed` is met positives less violated penalties per sample, not below 0, pooled as in `repo`; `paper` is the
same sum, not clipped, as a share of the positives, and the mean over samples; `strict` asks for every positive and no
violation, and is the mean over samples too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from longtake.evalharness.items import Criterion, Heading
from longtake.evalharness.scoring.estimates import Observation

Reading = Literal["repo", "paper", "signed", "strict"]
READINGS: tuple[Reading, ...] = ("repo", "paper", "signed", "strict")
READING_WORDS: Mapping[str, str] = {
    "repo": "as in the released code",
    "paper": "as in the paper",
    "signed": "penalties count",
    "strict": "all criteria met, none violated",
}


class SampleScore(NamedTuple):
    """What a sample earned of what it could; a sample that could earn nothing has no part in any score."""

    item: Heading
    earned: float
    possible: float

    @property
    def observation(self) -> Observation:
        """What estimates need of it."""
        return Observation(self.earned, self.possible, self.item.video)


class CriterionVerdict(NamedTuple):
    """A criterion and its verdict; None without one, which earns and loses nothing."""

    criterion: Criterion
    met: bool | None

    @property
    def violated(self) -> bool:
        """Whether a penalty is due: what it forbids was found to have been done."""
        return self.criterion.penalty and self.met is False


def sample_score(item: Heading, verdicts: Sequence[CriterionVerdict], reading: Reading) -> SampleScore:
    """Score a sample by the verdicts on all its criteria, those without a verdict among them."""
    rewards = [verdict for verdict in verdicts if not verdict.criterion.penalty]
    if reading == "repo":
        weights = (max(0.0, verdict.criterion.weight) for verdict in verdicts)
        return SampleScore(item, sum(verdict.criterion.weight for verdict in rewards if verdict.met), sum(weights))
    positives = [verdict for verdict in rewards if verdict.criterion.weight > 0]
    possible = sum(verdict.criterion.weight for verdict in positives)
    if not possible:
        return SampleScore(item, 0.0, 0.0)
    if reading == "strict":
        flawless = all(verdict.met for verdict in positives) and not any(verdict.violated for verdict in verdicts)
        return SampleScore(item, float(flawless), 1.0)
    earned = sum(verdict.criterion.weight for verdict in positives if verdict.met)
    earned -= sum(abs(verdict.criterion.weight) for verdict in verdicts if verdict.violated)
    if reading == "paper":
        return SampleScore(item, earned / possible, 1.0)
    return SampleScore(item, max(0.0, earned), possible)
