"""Vectors of a space: exact up to a number of rows, nearly so beyond."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from longtake.bench.parts.made_up import queries, sentences, vocabulary
from longtake.config import Settings
from longtake.memory.search.search_index import Vectors
from longtake.memory.search.vectors import LIKELY, Mask, StoredVectors, VectorSpace
from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding

AXES = np.eye(4, dtype=np.float32)
ALL = np.ones(20, np.bool_)


def stored(folder: Path, vectors: Vectors, space: str = "model/1") -> StoredVectors:
    folder.mkdir(parents=True, exist_ok=True)
    StoredVectors.write(folder, space, vectors)
    return StoredVectors.open(folder, space)


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
    with pytest.raises(RuntimeError):
        StoredVectors.open(tmp_path, "model/2")


def test_a_segment_without_vectors_is_no_obstacle(tmp_path: Path) -> None:
    empty, full = stored(tmp_path / "a", AXES[:0]), stored(tmp_path / "b", AXES)
    assert VectorSpace([(0, empty), (0, full)]).nearest(AXES[1], ALL, 1, 0.5)[0].tolist() == [1]
    assert not VectorSpace([(0, empty)]).nearest(AXES[1], ALL, 1, -1.0)[0].size


def test_equal_vectors_make_equal_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        stored(tmp_path / folder, AXES)
    assert [file.name for file in sorted((tmp_path / "a").iterdir())] == ["model-1.faiss", "model-1.signs"]
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_beyond_what_is_compared_whole_the_filter_still_holds(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(3 * LIKELY, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    allowed: Mask = random.random(len(vectors)) < 0.5
    space = VectorSpace([(0, stored(tmp_path, vectors))])
    chosen = int(np.flatnonzero(allowed)[-1])
    positions, cosines = space.nearest(vectors[chosen], allowed, 50, -1.0)
    assert (positions[0], cosines[0]) == (chosen, pytest.approx(1.0))
    assert allowed[positions].all()
    assert not np.isin(chosen, space.nearest(vectors[chosen], allowed & (np.arange(len(vectors)) != chosen), 50, -1.0))


def test_many_equal_vectors_are_compared_no_more_often_than_others(tmp_path: Path) -> None:
    space = VectorSpace([(0, stored(tmp_path, np.tile(AXES[:1], (LIKELY + 500, 1))))])
    positions, _ = space.nearest(AXES[0], np.ones(LIKELY + 500, np.bool_), LIKELY + 500, 0.5)
    assert positions.tolist() == list(range(LIKELY))


@pytest.mark.slow
def test_of_the_ten_best_sentences_of_100_000_hardly_one_is_lost(tmp_path: Path) -> None:
    engine = WordLlamaEmbedding(Settings())
    words = vocabulary()
    texts = list(islice(sentences(0, words), 100_000))
    vectors = np.concatenate([engine.embed(texts[first : first + 4000]) for first in range(0, len(texts), 4000)])
    space = VectorSpace([(0, stored(tmp_path, vectors))])
    found = []
    for query in engine.embed(list(islice(queries(1, words), 40))):
        exact = np.argsort(-(vectors @ query), kind="stable")[:10]
        found.append(np.isin(exact, space.nearest(query, np.ones(len(texts), np.bool_), 10, -1.0)[0]).mean())
    assert np.mean(found) >= 0.99
