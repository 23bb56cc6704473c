"""Voices as turns: how many speakers there are, and who speaks when."""

from __future__ import annotations

import numpy as np
import pytest

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.layers.speakers import Passage, speakers_of, turns_of


def voices(*windows: int, spread: float = 0.35, seed: int = 5) -> Vectors:
    """A vector for each window: that of the voice with this number, disturbed."""
    random = np.random.default_rng(seed)
    means = random.normal(size=(max(windows) + 1, 64))
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    rows = means[list(windows)] + spread * random.normal(size=(len(windows), 64)) / 8
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    "windows",
    [
        [0],
        [0] * 200,
        [0] * 30 + [1] * 30,
        [0, 0, 0, 0, 1, 1, 1, 1] * 10,
        [0] * 40 + [1] * 40 + [2] * 40 + [0] * 20,
        [0] * 900 + [1] * 700 + [2] * 500,
    ],
    ids=["a word", "one", "two", "two in turn", "three", "more than are clustered"],
)
def test_each_voice_is_a_group_in_order_of_appearance(windows: list[int]) -> None:
    assert speakers_of(voices(*windows)).tolist() == windows


def test_a_few_seconds_are_one_speaker() -> None:
    assert set(speakers_of(voices(0, 1, 2, 0, 1, 2)).tolist()) == {0}


def test_turns_end_where_the_voice_changes_and_span_short_pauses() -> None:
    vectors = voices(*[0] * 20, *[1] * 20, *[0] * 20)
    passages = [
        Passage(0.0, 9.0, vectors[:20]),
        Passage(9.5, 18.5, vectors[20:40]),
        Passage(30.0, 34.0, vectors[40:50]),
        Passage(34.6, 38.6, vectors[50:60]),
    ]
    turns = [(turn.start, turn.end, turn.speaker) for turn in turns_of(passages)]
    assert turns == [(0.0, 9.0, 1), (9.5, 18.5, 2), (30.0, 38.6, 1)]
    assert turns_of([]) == []


def test_a_change_within_a_passage_lies_between_the_windows() -> None:
    turns = turns_of([Passage(0.0, 17.6, voices(*[0] * 20, *[1] * 21))])
    assert [turn.speaker for turn in turns] == [1, 2]
    assert turns[0].end == turns[1].start == pytest.approx(20 * 0.4 + 0.8 - 0.2, abs=0.2)
