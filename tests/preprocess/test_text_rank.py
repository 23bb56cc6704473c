"""TextRank summaries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.preprocess.engines.text.textrank import TextRank
from longtake.settings import Settings

ENGINE = TextRank(Settings())
TALK = [
    "Good morning.",
    "The new engine burns hydrogen and emits only water.",
    "My cat slept.",
    "Hydrogen is made from water with electricity.",
    "The engine and its hydrogen tank weigh less than a diesel engine.",
    "Lunch was late.",
]


def test_the_sentences_that_share_their_subject_are_chosen_in_order() -> None:
    assert ENGINE.summarize(TALK, 3) == [1, 3, 4]
    assert ENGINE.summarize(TALK, 1)[0] in (1, 4)


def test_a_repeated_sentence_is_chosen_once_while_there_is_another() -> None:
    repeated = [TALK[1], TALK[1], TALK[1], TALK[3], TALK[2]]
    assert ENGINE.summarize(repeated, 3) == [0, 3, 4]
    assert len(ENGINE.summarize(repeated, 5)) == 5


@pytest.mark.parametrize("sentences", [[], [""], ["one"], ["...", "!"], ["a b", "c d"]])
def test_texts_without_a_graph_are_summarised_all_the_same(sentences: list[str]) -> None:
    assert ENGINE.summarize(sentences, 9) == list(range(len(sentences)))
    assert ENGINE.summarize(sentences, 0) == []


@given(st.lists(st.text(max_size=20), max_size=12), st.integers(0, 14))
def test_indices_are_valid_distinct_and_in_order(sentences: list[str], count: int) -> None:
    chosen = ENGINE.summarize(sentences, count)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(count, len(sentences))
    assert all(0 <= index < len(sentences) for index in chosen)
