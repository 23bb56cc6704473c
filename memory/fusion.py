"""Rankings: the best of many scores, and several rankings fused into one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]


def top(candidates: Positions, scores: npt.NDArray[np.float32], depth: int) -> Positions:
    """Candidates by falling score, at most `depth`; equal scores keep their order."""
    if len(candidates) > depth:
        cut = np.partition(scores[candidates], -depth)[-depth]
        candidates = candidates[scores[candidates] >= cut]
    return candidates[np.argsort(-scores[candidates], kind="stable")][:depth]


def fuse(ranked: Mapping[str, Positions], constant: int) -> list[tuple[int, float, dict[str, int]]]:
    """Reciprocal-rank fusion (Cormack, Clarke and Buettcher 2009): position, score and ranks, best first.

    Of equal scores the one found by words comes first: it holds what was asked for.
    """
    ranks: dict[int, dict[str, int]] = {}
    for signal, positions in ranked.items():
        for rank, position in enumerate(positions.tolist(), start=1):
            ranks.setdefault(position, {})[signal] = rank
    fused = [
        (position, sum(1 / (constant + rank) for rank in found.values()), found) for position, found in ranks.items()
    ]
    return sorted(fused, key=lambda entry: (-entry[1], "words" not in entry[2], entry[0]))
