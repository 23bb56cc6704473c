"""Documents in Chroma."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.errors import LibraryUnavailable
from longtake.memory.search.document_store import DocumentStore
from longtake.memory.search.search_index import Document
from longtake.memory.search.stored_documents import DocumentsError
from longtake.memory.timespan import TimeSpan


def document(start: float, text: str = "text", video: str = "a") -> Document:
    span = TimeSpan(start=start, end=start + 1 / 3)
    return Document(f"{video}:{start}", video, span, "scene_text", text, "engine", "layer", 0.75, False)


def holds(store: DocumentStore, revision: str) -> bool:
    try:
        return bool(store.get([(revision, 0)]))
    except DocumentsError:
        return False


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    held = [document(0.1, "It says “no” \u2028 и да"), document(1 / 3), document(7, "")]
    DocumentStore(tmp_path).add("a", "one", held)
    assert DocumentStore(tmp_path).get([("one", 2), ("one", 0), ("one", 1)]) == [held[2], held[0], held[1]]
    assert DocumentStore(tmp_path).get([]) == []


def test_a_missing_document_is_an_error(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    store.add("a", "one", [document(0)])
    with pytest.raises(DocumentsError):
        store.get([("one", 0), ("one", 1)])


def test_removing_other_revisions_leaves_other_videos_alone(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    store.add("a", "old", [document(0)])
    store.add("a", "new", [document(0, "new")])
    store.add("b", "far", [document(0, video="b")])
    store.remove_others("a", "new")
    assert [holds(store, name) for name in ("old", "new", "far")] == [False, True, True]
    store.remove_others("a", None)
    assert [holds(store, name) for name in ("new", "far")] == [False, True]


@pytest.mark.slow
def test_more_documents_than_one_batch_are_stored_and_removed(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    count = store.batch_size + 3
    store.add("a", "many", [document(number) for number in range(count)])
    assert [held.span.start for held in store.get([("many", count - 1), ("many", 0)])] == [count - 1, 0]
    store.remove_others("a", None)
    assert not holds(store, "many")


def test_no_memory_of_the_process_reaches_the_disk(tmp_path: Path) -> None:
    def contents() -> bytes:
        files = (file for name in ("data_level0", "length") for file in tmp_path.glob(f"*/{name}.bin"))
        return b"".join(file.read_bytes() for file in files)

    store = DocumentStore(tmp_path)
    store.add("v", "first", [document(number) for number in range(5)])
    assert set(contents()) == {0}
    store.add("v", "second", [document(number) for number in range(1_500)])  # so many that Chroma writes the vectors
    assert set(contents()) != {0}
    assert DocumentStore(tmp_path).get([("first", 3), ("second", 1_499)]) == [document(3), document(1_499)]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("OS can't spawn worker thread: Resource temporarily unavailable (os error 11)", MemoryError),
        ("Cannot allocate memory (os error 12)", MemoryError),
        ("error returned from database: (code: 11) database disk image is malformed", DocumentsError),
        ("error returned from database: (code: 522) disk I/O error", DocumentsError),  # the file is too short
        ("error returned from database: (code: 5) database is locked", LibraryUnavailable),
        ("error returned from database: (code: 5898) disk I/O error", LibraryUnavailable),
        ("error returned from database: (code: 14) unable to open database file", LibraryUnavailable),
    ],
)
def test_what_cannot_be_used_now_is_no_damage(
    said: str, kind: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(said)

    monkeypatch.setattr("chromadb.PersistentClient", fail)
    with pytest.raises(kind):
        DocumentStore(tmp_path)
