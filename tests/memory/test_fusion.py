"""Rankings and their fusion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from longtake.memory.fusion import fuse, top


def positions(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_what_both_rankings_found_comes_first() -> None:
    fused = fuse({"words": positions(4, 7), "vectors": positions(9, 7)}, 60)
    assert fused[0] == (7, pytest.approx(2 / 62), {"words": 2, "vectors": 2})
    assert [position for position, _, _ in fused] == [7, 4, 9]


def test_of_equal_scores_words_come_first() -> None:
    fused = fuse({"words": positions(9), "vectors": positions(4)}, 60)
    assert [position for position, _, _ in fused] == [9, 4]


@given(npst.arrays(np.float32, st.integers(0, 40), elements=st.sampled_from([0.0, 0.5, 1.0, 2.0])), st.integers(1, 50))
def test_top_is_the_beginning_of_a_full_stable_sort(scores: np.ndarray, depth: int) -> None:
    expected = sorted(range(len(scores)), key=lambda position: -scores[position])[:depth]
    assert top(np.arange(len(scores)), scores, depth).tolist() == expected
