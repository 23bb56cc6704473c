"""Vectors of a space."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest

from longtake.memory.search import compressed_vectors, gpu_vectors
from longtake.memory.search import vectors as vectors_module
from longtake.memory.search.compressed_vectors import CompressedVectors
from longtake.memory.search.gpu_vectors import GpuVectors, copy_to_gpu, positions_of
from longtake.memory.search.search_index import Vectors
from longtake.memory.search.vectors import Mask, VectorsError, VectorSpace, open_vectors, write_vectors

AXES = np.eye(4, dtype=np.float32)
ALL = np.ones(20, np.bool_)


def stored(folder: Path, vectors: Vectors, space: str = "model/1") -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    write_vectors(folder, space, vectors)
    return open_vectors(folder, space, len(vectors))


@pytest.fixture
def space(tmp_path: Path) -> VectorSpace:
    """Two segments: positions 3 to 6 hold the axes, positions 10 and 11 the first two turned round."""
    return VectorSpace([(3, stored(tmp_path / "a", AXES)), (10, stored(tmp_path / "b", -AXES[:2]))])


def test_nearest_comes_first_and_nothing_under_the_floor(space: VectorSpace) -> None:
    positions, cosines = space.nearest(np.array([0.0, -0.6, 0.8, 0.0], np.float32), ALL, 4, 0.3)
    assert positions.tolist() == [5, 11]
    assert cosines.tolist() == pytest.approx([0.8, 0.6])


def test_only_allowed_positions_are_found(space: VectorSpace) -> None:
    allowed = ALL.copy()
    allowed[[5, 11]] = False
    assert sorted(space.nearest(AXES[2], allowed, 9, -1.0)[0].tolist()) == [3, 4, 6, 10]
    assert not space.nearest(AXES[2], ~ALL, 9, -1.0)[0].size


def test_a_space_is_not_read_through_another(tmp_path: Path) -> None:
    stored(tmp_path, AXES)
    with pytest.raises(FileNotFoundError):
        open_vectors(tmp_path, "model/2", len(AXES))


def test_a_segment_without_vectors_is_no_obstacle(tmp_path: Path) -> None:
    empty, full = stored(tmp_path / "a", AXES[:0]), stored(tmp_path / "b", AXES)
    assert VectorSpace([(0, empty), (0, full)]).nearest(AXES[1], ALL, 1, 0.5)[0].tolist() == [1]
    assert not VectorSpace([(0, empty)]).nearest(AXES[1], ALL, 1, -1.0)[0].size


def test_equal_vectors_make_equal_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        stored(tmp_path / folder, AXES)
    (file,) = (tmp_path / "a").iterdir()
    assert file.name == "model-1.faiss"
    assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_all_that_is_nearest_is_found_and_nothing_the_filter_forbids(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(3000, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    allowed: Mask = random.random(len(vectors)) < 0.5
    cuts = (0, 700, 701, 3000)
    parts = [(first, stored(tmp_path / str(first), vectors[first:end])) for first, end in pairwise(cuts)]
    positions, cosines = VectorSpace(parts).nearest(vectors[5], allowed, 50, -1.0)
    exact = np.where(allowed, vectors @ vectors[5], -2)
    assert positions.tolist() == np.argsort(-exact, kind="stable")[:50].tolist()
    assert cosines.tolist() == pytest.approx(exact[positions].tolist(), abs=1e-6)


def test_of_equal_vectors_the_first_comes_first(tmp_path: Path) -> None:
    space = VectorSpace([(0, stored(tmp_path, np.tile(AXES[:1], (500, 1))))])
    positions, _ = space.nearest(AXES[0], np.ones(500, np.bool_), 500, 0.5)
    assert positions.tolist() == list(range(500))


def halves(folder: Path) -> tuple[Vectors, list[tuple[int, Any]]]:
    """3,000 vectors, and the segments that hold them from position 5 on, with ten positions between them."""
    vectors = np.random.default_rng(0).normal(size=(3000, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors, [(5, stored(folder / "a", vectors[:1000])), (1015, stored(folder / "b", vectors[1000:]))]


@pytest.mark.parametrize("forbidden", [0, 300, 2900, 3000])
def test_an_index_without_filters_finds_what_a_filtered_one_finds(tmp_path: Path, forbidden: int) -> None:
    vectors, segments = halves(tmp_path)
    allowed = np.ones(3020, np.bool_)
    allowed[positions_of(segments)[np.random.default_rng(1).permutation(3000)[:forbidden]]] = False
    whole = stored(tmp_path / "whole", vectors)
    found = GpuVectors(whole, positions_of(segments)).nearest(vectors[7], allowed, 50)
    if forbidden > 2000:
        assert found is None
    else:
        assert found is not None
        assert found[0].tolist() == VectorSpace(segments).nearest(vectors[7], allowed, 50, -1.0)[0].tolist()


@pytest.mark.gpu
def test_a_gpu_finds_what_the_cpu_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, segments = halves(tmp_path)
    allowed = np.random.default_rng(1).random(3020) < 0.5
    expected = VectorSpace(segments).nearest(vectors[7], allowed, 50, 0.0)
    monkeypatch.setattr(gpu_vectors, "_MIN_ROWS", 1)
    monkeypatch.setattr(vectors_module, "_COPIED_AFTER", 1)
    assert copy_to_gpu(segments, 3000) is not None
    space = VectorSpace(segments)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: space.nearest(vectors[7], allowed, 50, 0.0), range(300)))
    for positions, cosines in found:
        assert positions.tolist() == expected[0].tolist()
        assert cosines.tolist() == pytest.approx(expected[1].tolist(), abs=1e-5)


class OnGpu:
    """A GPU's index with room for one search at a time, which a test can break."""

    def __init__(self, index: Any) -> None:
        self.index, self.room, self.cosines, self.searches = index, Lock(), 1.0, 0

    def search(self, vectors: Vectors, depth: int) -> Any:
        if not self.room.acquire(blocking=False):
            raise AssertionError("two searches at once")
        try:
            self.searches += 1
            cosines, rows = self.index.search(vectors, depth)
            return self.cosines * cosines, rows
        finally:
            self.room.release()


@pytest.fixture
def on_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[VectorSpace, OnGpu]:
    """A space that is copied at its third search."""
    index = stored(tmp_path, clustered(500))
    gpu: Any = OnGpu(index)
    monkeypatch.setattr(vectors_module, "_COPIED_AFTER", 3)
    monkeypatch.setattr(vectors_module, "copy_to_gpu", lambda segments, rows: GpuVectors(gpu, positions_of(segments)))
    return VectorSpace([(0, index)]), gpu


def test_a_space_is_copied_once_it_has_been_searched_often(on_gpu: tuple[VectorSpace, OnGpu]) -> None:
    space, gpu = on_gpu
    used = []
    for query in clustered(5):
        space.nearest(query, np.ones(500, np.bool_), 10, -1.0)
        used.append(gpu.searches)
    assert used == [0, 0, 1, 2, 3]


def test_searches_at_once_take_turns_on_a_gpu(on_gpu: tuple[VectorSpace, OnGpu]) -> None:
    space, gpu = on_gpu
    query, allowed = clustered(1)[0], np.ones(500, np.bool_)
    expected = space.nearest(query, allowed, 10, -1.0)[0].tolist()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: space.nearest(query, allowed, 10, -1.0)[0].tolist(), range(200)))
    assert found == [expected] * 200
    assert gpu.searches > 100


def test_a_gpu_that_is_full_leaves_the_search_to_the_cpu_and_damage_is_told(
    on_gpu: tuple[VectorSpace, OnGpu], monkeypatch: pytest.MonkeyPatch
) -> None:
    space, gpu = on_gpu
    query, allowed = clustered(1)[0], np.ones(500, np.bool_)
    found = [space.nearest(query, allowed, 10, -1.0)[0].tolist() for _ in range(3)]
    for damaged in (float("nan"), 2.0):
        gpu.cosines = damaged
        with pytest.raises(VectorsError):
            space.nearest(query, allowed, 10, -1.0)

    def full(vectors: Vectors, depth: int) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(gpu, "search", full)
    assert [space.nearest(query, allowed, 10, -1.0)[0].tolist()] * 3 == found


def clustered(rows: int) -> Vectors:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(40, 32))[random.integers(0, 40, rows)] + 0.4 * random.normal(size=(rows, 32))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("share", [1.0, 0.4, 0.01, 0.0])
def test_compressed_vectors_lead_to_the_nearest_that_the_filter_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    data = clustered(6000)
    exact = VectorSpace([(5, stored(tmp_path / "exact", data))])
    monkeypatch.setattr(vectors_module, "MIN_ROWS", 1000)
    monkeypatch.setattr(compressed_vectors, "_FEW", 100)
    monkeypatch.setattr(compressed_vectors, "_PROBED", 12)
    opened = stored(tmp_path / "compressed", data)
    assert isinstance(opened, CompressedVectors)
    allowed = np.random.default_rng(1).random(6005) < share
    recalls: list[float] = []
    for place in (5, np.arange(6000) + 5):
        for query in data[:20]:
            near, cosines = VectorSpace([(place, opened)]).nearest(query, allowed, 30, 0.5)
            expected = exact.nearest(query, allowed, 30, 0.5)
            assert allowed[near].all()
            assert cosines.tolist() == pytest.approx((data[near - 5] @ query).tolist(), abs=1e-6)
            recalls.append(len(set(near) & set(expected[0])) / max(1, len(expected[0])))
            if not len(expected[0]):
                recalls[-1] = 1.0
    assert np.mean(recalls) > (0.95 if share > 0.1 else 0.999)


def test_compressed_vectors_are_the_same_for_the_same_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "MIN_ROWS", 1000)
    for name in ("a", "b"):
        stored(tmp_path / name, clustered(3000))
    [lists] = (tmp_path / "a").glob("*.lists")
    assert lists.read_bytes() == (tmp_path / "b" / lists.name).read_bytes()


def test_a_lists_file_of_other_vectors_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "MIN_ROWS", 1000)
    for rows in (2000, 3000):
        stored(tmp_path / str(rows), clustered(rows))
    [lists] = (tmp_path / "2000").glob("*.lists")
    (tmp_path / "3000" / lists.name).write_bytes(lists.read_bytes())
    with pytest.raises(RuntimeError):
        open_vectors(tmp_path / "3000", "model/1", 3000)


def test_threads_search_compressed_vectors_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "MIN_ROWS", 1000)
    monkeypatch.setattr(compressed_vectors, "_FEW", 100)
    data = clustered(3000)
    space = VectorSpace([(0, stored(tmp_path, data))])

    def near(row: int) -> list[int]:
        return space.nearest(data[row], np.ones(3000, np.bool_), 20, 0.0)[0].tolist()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(near, range(100))) == [near(row) for row in range(100)]
