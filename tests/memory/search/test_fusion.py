"""Rankings and their fusion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from longtake.memory.search.fusion import Ranking, contribution, fuse, top
from longtake.memory.search.search_types import Signal


def ranking(*positions: int) -> Ranking:
    """Positions with the scores 9, 8, 7 ..."""
    return np.array(positions, np.int64), np.arange(9, 9 - len(positions), -1).astype(np.float32)


def test_what_both_rankings_found_comes_first_and_says_why() -> None:
    fused = fuse({"words": ranking(4, 7), "space": ranking(9, 7)}, 60)
    assert [candidate.position for candidate in fused] == [7, 4, 9]
    assert fused[0].score == pytest.approx(2 / 62)
    assert fused[0].signals == {"words": Signal(2, 8.0), "space": Signal(2, 8.0)}


def test_what_the_signals_add_is_the_score() -> None:
    for candidate in fuse({"words": ranking(4, 7, 1), "space": ranking(1, 7, 8)}, 20):
        assert candidate.score == pytest.approx(
            sum(contribution(signal.rank, 20) for signal in candidate.signals.values())
        )


def test_of_equal_scores_words_come_first() -> None:
    fused = fuse({"space": ranking(4), "words": ranking(9)}, 60)
    assert [candidate.position for candidate in fused] == [9, 4]


@given(npst.arrays(np.float32, st.integers(0, 40), elements=st.sampled_from([0.0, 0.5, 1.0, 2.0])), st.integers(0, 50))
def test_top_is_the_beginning_of_a_full_stable_sort(scores: np.ndarray, depth: int) -> None:
    expected = sorted(range(len(scores)), key=lambda place: -scores[place])[:depth]
    positions, kept = top(np.arange(len(scores)) + 5, scores, depth)
    assert (positions - 5).tolist() == expected
    assert kept.tolist() == scores[expected].tolist()
