"""Vectors of a space."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import numpy as np
import pytest

from longtake.memory.search import vectors as vectors_module
from longtake.memory.search.search_types import Vectors
from longtake.memory.search.vectors import VectorsError, VectorSpace

AXES = np.eye(4, dtype=np.float32)
ALL = np.ones(20, np.bool_)


def clustered(rows: int) -> Vectors:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(40, 32))[random.integers(0, 40, rows)] + 0.4 * random.normal(size=(rows, 32))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def space() -> VectorSpace:
    """Positions 3 to 6 hold the axes, 10 and 11 the first two turned round."""
    return VectorSpace([AXES, -AXES[:2]], np.array([3, 4, 5, 6, 10, 11]))


def test_nearest_comes_first_and_nothing_under_the_floor(space: VectorSpace) -> None:
    positions, cosines = space.nearest(np.array([0.0, -0.6, 0.8, 0.0], np.float32), ALL, 4, 0.3)
    assert positions.tolist() == [5, 11]
    assert cosines.tolist() == pytest.approx([0.8, 0.6])


def test_only_allowed_positions_are_found(space: VectorSpace) -> None:
    allowed = ALL.copy()
    allowed[[5, 11]] = False
    assert sorted(space.nearest(AXES[2], allowed, 9, -1.0)[0].tolist()) == [3, 4, 6, 10]
    assert not space.nearest(AXES[2], ~ALL, 9, -1.0)[0].size


def test_of_equal_vectors_the_first_comes_first() -> None:
    space = VectorSpace([np.tile(AXES[:1], (500, 1))], np.arange(500)[::-1])
    assert space.nearest(AXES[0], np.ones(500, np.bool_), 500, 0.5)[0].tolist() == list(range(500))


def test_a_row_too_many_or_too_few_is_damage() -> None:
    for parts in ([AXES, AXES], [AXES[:2]], []):
        with pytest.raises(VectorsError):
            VectorSpace(parts, np.arange(4))


@pytest.mark.parametrize("share", [1.0, 0.4, 0.01, 0.0])
def test_all_that_is_nearest_is_found_and_nothing_the_filter_forbids(share: float) -> None:
    data = clustered(6000)
    allowed = np.random.default_rng(1).random(6000) < share
    space = VectorSpace([data[:5000], data[5000:]], np.arange(6000))
    for query in data[:20]:
        near, cosines = space.nearest(query, allowed, 30, 0.5)
        exact = np.where(allowed, data @ query, -2)
        expected = [place for place in np.argsort(-exact, kind="stable")[:30] if exact[place] >= 0.5]
        assert near.tolist() == expected
        assert cosines.tolist() == pytest.approx(exact[near].tolist(), abs=1e-6)


class OnGpu:
    """A GPU's index with room for one search at a time, which a test can break."""

    def __init__(self, _resources: object, dimensions: int) -> None:
        self.vectors, self.room = np.zeros((0, dimensions), np.float32), Lock()
        self.cosines, self.searches, self.full = 1.0, 0, False

    def add(self, vectors: Vectors) -> None:
        self.vectors = vectors

    def search(self, vectors: Vectors, depth: int) -> Any:
        if not self.room.acquire(blocking=False):
            raise AssertionError("two searches at once")
        try:
            if self.full:
                raise RuntimeError("out of memory")
            self.searches += 1
            cosines = vectors @ self.vectors.T
            rows = np.argsort(-cosines, axis=1, kind="stable")[:, :depth]
            return self.cosines * np.take_along_axis(cosines, rows, 1), rows
        finally:
            self.room.release()


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> list[OnGpu]:
    """The copies on a made-up GPU, to which a space goes at its third search."""
    made: list[OnGpu] = []

    def copied(resources: object, dimensions: int) -> OnGpu:
        made.append(OnGpu(resources, dimensions))
        return made[-1]

    monkeypatch.setattr(vectors_module, "_COPIED_AFTER", 3)
    monkeypatch.setattr(vectors_module, "_COPIED", 1)
    monkeypatch.setattr(vectors_module.faiss, "StandardGpuResources", object, raising=False)
    monkeypatch.setattr(vectors_module.faiss, "GpuIndexFlatIP", copied, raising=False)
    return made


@pytest.fixture
def large() -> VectorSpace:
    return VectorSpace([clustered(3000)], np.arange(3000) + 5)


@pytest.mark.parametrize("forbidden", [0, 300, 2900])
def test_a_gpu_finds_what_the_cpu_finds(
    large: VectorSpace, gpus: list[OnGpu], monkeypatch: pytest.MonkeyPatch, forbidden: int
) -> None:
    monkeypatch.setattr(vectors_module, "_MOST", 1000)
    allowed = np.ones(3005, np.bool_)
    allowed[np.random.default_rng(1).permutation(3005)[:forbidden]] = False
    query = clustered(8)[7]
    found = [large.nearest(query, allowed, 50, -1.0)[0].tolist() for _ in range(5)]
    assert found == [found[0]] * 5
    assert gpus[0].searches == 3


def test_searches_at_once_take_turns_on_a_gpu(large: VectorSpace, gpus: list[OnGpu]) -> None:
    query, allowed = clustered(1)[0], np.ones(3005, np.bool_)
    expected = large.nearest(query, allowed, 10, -1.0)[0].tolist()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: large.nearest(query, allowed, 10, -1.0)[0].tolist(), range(200)))
    assert found == [expected] * 200
    assert gpus[0].searches > 100


def test_a_gpu_that_is_full_leaves_the_search_to_the_cpu_and_damage_is_told(
    large: VectorSpace, gpus: list[OnGpu]
) -> None:
    query, allowed = clustered(1)[0], np.ones(3005, np.bool_)
    found = [large.nearest(query, allowed, 10, -1.0)[0].tolist() for _ in range(3)]
    for damaged in (float("nan"), 2.0):
        gpus[0].cosines = damaged
        with pytest.raises(VectorsError):
            large.nearest(query, allowed, 10, -1.0)
    gpus[0].full = True
    assert [large.nearest(query, allowed, 10, -1.0)[0].tolist()] * 3 == found


@pytest.mark.gpu
def test_a_real_gpu_finds_what_the_cpu_finds(large: VectorSpace, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed, query = np.random.default_rng(1).random(3005) < 0.5, clustered(8)[7]
    expected = large.nearest(query, allowed, 50, 0.0)
    monkeypatch.setattr(vectors_module, "_COPIED", 1)
    monkeypatch.setattr(vectors_module, "_COPIED_AFTER", 2)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: large.nearest(query, allowed, 50, 0.0), range(300)))
    for positions, cosines in found:
        assert positions.tolist() == expected[0].tolist()
        assert cosines.tolist() == pytest.approx(expected[1].tolist(), abs=1e-5)
