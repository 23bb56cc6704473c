"""Measures how far two judges of a run agree. Neither is the reference."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from pydantic import Field

from longtake.evalharness.items import Judgement, PredictionKey
from longtake.evalharness.judges.judge import NO_REPLY
from longtake.evalharness.scoring.agreement import Agreement
from longtake.memory.records import Record

_Verdicts = dict[tuple[PredictionKey, int, str, str], bool | None]


class JudgePair(Record):
    """Two judges on the same replies."""

    first: str
    second: str
    n: int = Field(description="Cases that both decided.")
    same: float | None = Field(description="Share of these with the same verdict.")
    kappa: float | None = Field(description="None if chance explains everything.")
    only_first: int = Field(description="Cases that the first finds met and the second does not.")
    only_second: int
    undecided: int = Field(description="Cases that only one of the two decided; they are in no other figure.")

    def __str__(self) -> str:
        same, kappa = ("none" if share is None else f"{share:.4f}" for share in (self.same, self.kappa))
        return (
            f"{self.first} and {self.second}: n {self.n}, same verdict {same}, kappa {kappa}; "
            f"met for the first alone {self.only_first}, for the second alone {self.only_second}; "
            f"decided by one alone {self.undecided}"
        )


def judge_pairs(judgements: Iterable[Judgement]) -> list[JudgePair]:
    """Each two judges of a run against each other, those that never gave a verdict aside.

    Args:
        judgements: of a run; the last one by a judge on a reply counts. Empty replies need no judge and are skipped.
    """
    by_judge: dict[str, _Verdicts] = {}
    for held in judgements:
        if held.reason == NO_REPLY:
            continue
        by_judge.setdefault(held.judge, {})[held.key, held.turn, held.criterion, held.reply] = held.met
    heard = [judge for judge, found in by_judge.items() if any(met is not None for met in found.values())]
    return [_pair(one, other, by_judge[one], by_judge[other]) for one, other in combinations(heard, 2)]


def _pair(first: str, second: str, found: _Verdicts, other: _Verdicts) -> JudgePair:
    verdicts = [(found.get(case), other.get(case)) for case in found.keys() | other.keys()]
    held = Agreement.of((one, two) for one, two in verdicts if one is not None and two is not None)
    return JudgePair(
        first=first,
        second=second,
        n=held.n,
        same=held.accuracy,
        kappa=held.kappa,
        only_first=held.false_negative,
        only_second=held.false_positive,
        undecided=sum((one is None) != (two is None) for one, two in verdicts),
    )
