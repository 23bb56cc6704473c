"""Filters over segments that lie end to end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.memory.records import MODALITIES, MOMENTS
from longtake.memory.search.corpus import Corpus
from longtake.memory.search.current_revisions import Revision
from longtake.memory.search.search_index import Batch, Document, SearchFilter
from longtake.memory.search.segments import SegmentStore
from longtake.memory.timespan import TimeSpan

TIMES = (0.0, 1.0, 1.001, 2.5, 3.0, 1 / 3)
SPANS = [TimeSpan(start=start, end=end) for start in TIMES for end in TIMES if start <= end]
VIDEOS = ("a", "b", "c", "d")


def documents(video: str) -> list[Document]:
    """All spans in an order of the video's own; none of `c`."""
    random = np.random.default_rng(ord(video))
    order = random.permutation(len(SPANS)) if video != "c" else []
    return [
        Document(f"{video}{n}", video, SPANS[n], MODALITIES[random.integers(5)], "text", "engine", "layer")
        for n in order
    ]


HELD = [document for video in VIDEOS for document in documents(video)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    store = SegmentStore(tmp_path_factory.mktemp("segments"))
    for video in VIDEOS:
        store.write(video, "one", [Batch("", documents(video), None)])
    revisions = {video: Revision(key="one", count=len(documents(video)), spaces={}) for video in VIDEOS}
    return Corpus(revisions, store.open)


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
        (not videos or held.video in videos)
        and held.modality in (modalities or MOMENTS)
        and (span is None or held.span.overlaps(span))
        for held in HELD
    ]


def test_every_position_leads_back_to_its_document(corpus: Corpus) -> None:
    assert corpus.count == len(HELD)
    for position, held in enumerate(HELD):
        row = [other for other in HELD if other.video == held.video].index(held)
        assert (corpus.video(position), corpus.name(position), corpus.span(position)) == (
            held.video,
            ("one", row),
            held.span,
        )


def test_without_revisions_there_is_nothing() -> None:
    empty = Corpus({}, lambda video, _: pytest.fail(f"{video} was opened"))
    assert not empty.allowed(SearchFilter(videos=("a",), modalities=("speech",), span=SPANS[0])).size
    assert empty.space("model") is None
    assert not empty.words.scores(["word"]).size
