"""Documents and their filters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.memory.documents import DocumentStore
from longtake.memory.index import Document, SearchFilter
from longtake.memory.records import MODALITIES
from longtake.memory.timespan import TimeSpan


def document(start: float, end: float, *, video: str = "a", modality: int = 0, text: str = "text") -> Document:
    span = TimeSpan(start=start, end=end)
    return Document(f"{video}:{start}", video, span, MODALITIES[modality], text, "engine", "layer", 0.75, False)


TIMES = (0.0, 1.0, 1.001, 2.5, 3.0, 1 / 3)
SPANS = [(start, end) for start in TIMES for end in TIMES if start <= end]
HELD = [document(start, end, modality=number % 3) for number, (start, end) in enumerate(SPANS)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> DocumentStore:
    store = DocumentStore(tmp_path_factory.mktemp("chroma"))
    store.add("one", HELD)
    store.add("two", [document(0, 9, video="b")])
    return store


def test_what_is_read_is_what_was_written(store: DocumentStore) -> None:
    assert store.get([("one", 3), ("one", 0), ("one", 4)]) == [HELD[3], HELD[0], HELD[4]]
    assert store.texts("one", len(HELD)) == [held.text for held in HELD]


def test_a_missing_document_is_an_error(store: DocumentStore) -> None:
    with pytest.raises(KeyError):
        store.get([("one", len(HELD))])
    with pytest.raises(KeyError):
        store.texts("one", len(HELD) + 1)


@given(
    st.lists(st.sampled_from(MODALITIES), max_size=3),
    st.none() | st.sampled_from(SPANS).map(lambda bounds: TimeSpan(start=bounds[0], end=bounds[1])),
)
def test_filters_hold_exactly(store: DocumentStore, modalities: Sequence[str], span: TimeSpan | None) -> None:
    where = SearchFilter(modalities=tuple(modalities), span=span)  # type: ignore[arg-type] # from MODALITIES
    expected = [
        row
        for row, held in enumerate(HELD)
        if (not modalities or held.modality in modalities) and (span is None or held.span.overlaps(span))
    ]
    assert {key: sorted(rows) for key, rows in store.rows(["one"], where).items()} == {"one": expected}


def test_removing_other_revisions_leaves_other_videos_alone(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    store.add("old", [document(0, 1)])
    store.add("new", [document(0, 1, text="new")])
    store.add("far", [document(0, 1, video="b")])
    store.remove_others("a", "new")
    assert store.rows(["old", "new", "far"], SearchFilter()) == {"old": [], "new": [0], "far": [0]}
    store.remove_others("a", None)
    assert store.rows(["new", "far"], SearchFilter()) == {"new": [], "far": [0]}


def test_more_documents_than_one_batch_are_stored(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    count = store.batch_size + 3
    store.add("many", [document(0, 1, text=str(number)) for number in range(count)])
    assert store.texts("many", count) == [str(number) for number in range(count)]
