"""Word search over segments."""

from __future__ import annotations

from itertools import pairwise

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.memory.search.lexical import LexicalIndex, Postings
from longtake.memory.search.terms import document_terms, query_terms

TEXTS = ["The red car stops.", "A car that is red, and a red bus", "", "Dragons fly at 01:00:32:03"]


def scores(texts: list[str], query: str, *cuts: int) -> list[float]:
    """Scores of texts that lie in several segments."""
    bounds = [0, *cuts, len(texts)]
    segments = [Postings.of(texts[first:last]) for first, last in pairwise(bounds)]
    return LexicalIndex(segments).scores(query_terms(query)).tolist()


def test_a_phrase_ranks_above_its_scattered_words() -> None:
    phrase, scattered, *others = scores(TEXTS, "red car")
    assert phrase > scattered > 0
    assert others == [0, 0]


def test_what_no_text_says_scores_nothing() -> None:
    assert not any(scores(TEXTS, "where is the submarine?"))
    assert not any(scores(["", "..."], "anything"))
    assert scores([], "anything") == []


@pytest.mark.parametrize("cuts", [(2,), (1, 1, 3), (0, 4)])
def test_how_texts_are_cut_into_segments_changes_no_score(cuts: tuple[int, ...]) -> None:
    for query in ("red car", "dragons", "01:00:32:03"):
        assert scores(TEXTS, query, *cuts) == pytest.approx(scores(TEXTS, query), rel=1e-6)
        assert any(scores(TEXTS, query))


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("red car bus fly red-car 1:30".split()), max_size=6).map(" ".join), min_size=1),
    st.lists(st.sampled_from("red car bus fly boat 1:30".split()), min_size=1, max_size=3).map(" ".join),
)
def test_scores_are_those_of_a_library_that_indexes_all_texts_at_once(texts: list[str], query: str) -> None:
    model = bm25s.BM25(method="lucene")
    model.index([document_terms(text) or ["-"] for text in texts], show_progress=False)
    # An empty text has a term there, which makes the mean length another one.
    if all(texts):
        known = [term for term in query_terms(query) if term in model.vocab_dict]
        expected = model.get_scores(known) if known else np.zeros(len(texts))
        assert scores(texts, query, len(texts) // 2) == pytest.approx(expected.tolist(), rel=1e-4)


def test_what_is_not_counted_is_found_and_moves_no_other_score() -> None:
    layers, closer = ["the red kettle", "a blue kettle and a lamp", "nothing"], ["a kettle seen closely", "KETTLE 7"]
    alone = LexicalIndex([Postings.of(layers)]).scores(query_terms("kettle")).tolist()
    beside = LexicalIndex([Postings.of(layers), Postings.of(closer)], [True, False]).scores(query_terms("kettle"))
    assert beside.tolist()[:3] == alone
    assert all(score > 0 for score in beside.tolist()[3:])
