"""Segments of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longtake.memory.vectors import VectorStore

AXES = np.eye(4, dtype=np.float32)


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    store = VectorStore(tmp_path, "model/1")
    store.write("video", "one", AXES)
    return store


def test_nearest_comes_first_and_nothing_under_the_floor(store: VectorStore) -> None:
    query = np.array([0.0, 0.6, 0.8, 0.0], np.float32)
    rows, cosines = store.nearest("video", "one", query, None, 4, 0.3)
    assert rows.tolist() == [2, 1]
    assert cosines.tolist() == pytest.approx([0.8, 0.6])


def test_only_allowed_rows_are_found(store: VectorStore) -> None:
    rows, _ = store.nearest("video", "one", AXES[2], np.array([0, 1], np.int64), 4, -1.0)
    assert sorted(rows.tolist()) == [0, 1]
    assert not store.nearest("video", "one", AXES[2], np.zeros(0, np.int64), 4, -1.0)[0].size


def test_a_space_is_not_read_through_another(store: VectorStore, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        VectorStore(tmp_path, "model/2").nearest("video", "one", AXES[0], None, 1, 0.0)


def test_keep_only_sweeps_every_space_and_interrupted_writes(store: VectorStore, tmp_path: Path) -> None:
    VectorStore(tmp_path, "other").write("video", "old", AXES)
    (store.folder / ".segment-left").write_bytes(b"half")
    store.keep_only([("video", "one")])
    assert [file.name for file in tmp_path.glob("*/*")] == ["video-one.faiss"]


def test_an_empty_segment_finds_nothing(store: VectorStore) -> None:
    store.write("video", "empty", np.zeros((0, 4), np.float32))
    assert not store.nearest("video", "empty", AXES[0], None, 3, -1.0)[0].size


def test_equal_vectors_make_equal_bytes(store: VectorStore) -> None:
    store.write("other", "one", AXES)
    assert (store.folder / "other-one.faiss").read_bytes() == (store.folder / "video-one.faiss").read_bytes()
