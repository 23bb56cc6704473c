"""Rankings: picks the best of many scores, and fuses several rankings into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longtake.memory.search.search_types import Signal

Positions = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]
Ranking = tuple[Positions, Scores]
WORDS = "words"  # the signal of BM25; those of vectors are named after their space
RERANKED = "reranked"  # the signal of a reranker, which orders what was fused


@dataclass(frozen=True, slots=True)
class RankedPosition:
    """A position that some signal found, its fused score, and each signal's rank and score."""

    position: int
    score: float
    signals: Mapping[str, Signal]

    @property
    def order(self) -> tuple[float, bool, int]:
        """Sort key, best first. Matching words break ties: that moment contains the query's words."""
        return -self.score, WORDS not in self.signals, self.position


def top(candidates: Positions, scores: Scores, depth: int) -> Ranking:
    """The best candidates by descending score, at most `depth`; equal scores keep their order.

    Args:
        candidates: positions.
        scores: one per candidate.
        depth: maximum number of candidates.
    """
    if len(candidates) > depth:
        kept = scores >= np.partition(scores, -depth)[-depth] if depth else np.zeros(len(scores), np.bool_)
        candidates, scores = candidates[kept], scores[kept]
    order = np.argsort(-scores, kind="stable")[:depth]
    return candidates[order], scores[order]


def contribution(rank: int, constant: int) -> float:
    """What a signal adds to the fused score of a moment at this rank."""
    return 1 / (constant + rank)


def fuse(ranked: Mapping[str, Ranking], constant: int) -> list[RankedPosition]:
    """Reciprocal-rank fusion (Cormack, Clarke and Buettcher 2009), best first."""
    found: dict[int, dict[str, Signal]] = {}
    for name, (positions, scores) in ranked.items():
        for rank, (position, score) in enumerate(zip(positions.tolist(), scores.tolist(), strict=True), start=1):
            found.setdefault(position, {})[name] = Signal(rank, score)
    fused = [
        RankedPosition(position, sum(contribution(signal.rank, constant) for signal in signals.values()), signals)
        for position, signals in found.items()
    ]
    return sorted(fused, key=lambda each: each.order)
