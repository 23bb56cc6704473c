"""Filters and scores over moments that lie in a row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
import pytest
from helpers.data.search_index import batch, moments, open_index
from hypothesis import given
from hypothesis import strategies as st

from longtake.language.terms import document_terms, query_terms
from longtake.memory.records import MODALITIES, MOMENTS
from longtake.memory.search.corpus import FACTS, Corpus, VideoEntry
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.timespan import TimeSpan

TIMES = (0.0, 1.0, 1.001, 2.5, 3.0, 1 / 3)
SPANS = [TimeSpan(start=start, end=end) for start in TIMES for end in TIMES if start <= end]
VIDEOS = ("a", "b", "c", "d")
FIRSTS = {"a": 40, "b": 7, "c": 6, "d": 100}  # `c` has no moments
HELD = [
    (video, SPANS[n], MODALITIES[(n * ord(video)) % 5])
    for video in VIDEOS
    if video != "c"
    for n in np.random.default_rng(ord(video)).permutation(len(SPANS))
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    counts = {video: sum(held[0] == video for held in HELD) for video in VIDEOS}
    entries = [VideoEntry(FIRSTS[video], counts[video], video, None) for video in VIDEOS]
    facts = [(span.start, span.end, MODALITIES.index(modality), 1) for _, span, modality in HELD]
    return Corpus(entries, np.array(facts, FACTS), [])


@given(
    st.lists(st.sampled_from((*VIDEOS, "unknown")), max_size=3),
    st.lists(st.sampled_from(MODALITIES), max_size=3),
    st.none() | st.sampled_from(SPANS),
)
def test_filters_allow_just_what_a_look_at_every_document_allows(
    corpus: Corpus, videos: Sequence[str], modalities: Sequence[str], span: TimeSpan | None
) -> None:
    where = SearchFilter(tuple(videos), tuple(modalities), span)  # type: ignore[arg-type] # from MODALITIES
    assert corpus.allowed(where).tolist() == [
        (not videos or video in videos) and modality in (modalities or MOMENTS) and (span is None or own.overlaps(span))
        for video, own, modality in HELD
    ]


def test_every_position_leads_back_to_its_moment(corpus: Corpus) -> None:
    ids = [corpus.id(position) for position in range(corpus.count)]
    assert corpus.positions(np.array(ids)).tolist() == list(range(len(HELD)))
    for position, held in enumerate(HELD):
        assert corpus.place(position) == held


def test_without_entries_there_is_nothing() -> None:
    empty = Corpus([], np.zeros(0, FACTS), [])
    assert not empty.allowed(SearchFilter(videos=("a",), modalities=("speech",), span=SPANS[0])).size
    assert not empty.scores([np.zeros(0, np.int64)]).size


def scores(root: Path, texts: list[str], query: str) -> dict[int, float]:
    """BM25 scores of texts that lie in several videos, by their numbers."""
    index = open_index(root)
    for first in range(0, len(texts), 7):
        index.replace(f"{first:03}", [batch(moments(f"{first:03}", *texts[first : first + 7]), None)])
    hits = index.search(query, {}, SearchFilter(), len(texts))
    found = [match for hit in hits if not hit.weak for match in (hit, *hit.also)]
    return {
        int(match.moment.video) + round(match.moment.span.start / 3): match.signals["words"].score for match in found
    }


def test_scores_are_those_of_a_library_that_indexes_all_texts_at_once(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    texts = [" ".join(random.choice("red car bus fly red-car 1:30".split(), random.integers(1, 7))) for _ in range(60)]
    model = bm25s.BM25(method="lucene")
    model.index([document_terms(text) for text in texts], show_progress=False)
    for number, query in enumerate(("red car", "bus boat 1:30", "fly")):
        known = [term for term in query_terms(query) if term in model.vocab_dict]
        expected = {place: score for place, score in enumerate(model.get_scores(known).tolist()) if score}
        assert scores(tmp_path / str(number), texts, query) == pytest.approx(expected, rel=1e-4)


def test_a_phrase_ranks_above_its_scattered_words(tmp_path: Path) -> None:
    found = scores(tmp_path, ["The red car stops.", "A car that is red, and a red bus", "", "Dragons fly"], "red car")
    assert found[0] > found[1] > 0
    assert set(found) == {0, 1}


def test_what_closer_looks_found_is_found_and_moves_no_other_score(tmp_path: Path) -> None:
    texts = ["the red kettle", "a blue kettle and a lamp", "nothing"]
    alone = scores(tmp_path, texts, "kettle")
    closer = moments("000", "a kettle seen closely", "KETTLE 7")
    open_index(tmp_path).replace("000", [batch(closer, None)], refined="look")
    index = open_index(tmp_path)
    hits = index.search("kettle", {}, SearchFilter(), 9)
    found = [match for hit in hits if not hit.weak for match in (hit, *hit.also)]
    assert len(found) == 4
    beside = {match.moment.text: match.signals["words"].score for match in found}
    assert [beside[text] for text in texts[:2]] == [alone[0], alone[1]]
