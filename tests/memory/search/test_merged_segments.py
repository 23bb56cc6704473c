"""Merged segments: a search finds the same in a few of them as in one for each video."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.data.search_index import PICTURES, SPACE, axes, batch, document, open_index

from longtake.errors import LibraryError
from longtake.memory.search import merged_segments
from longtake.memory.search.hybrid_search import HybridIndex
from longtake.memory.search.lexical import Postings
from longtake.memory.search.search_index import Batch, Hit, SearchFilter
from longtake.memory.timespan import TimeSpan

WORDS = ("dragon", "kettle", "river", "tattoo", "price")
VIDEOS = [f"{number:03x}" for number in range(30)]
FILTERS = (
    SearchFilter(),
    SearchFilter(videos=(VIDEOS[4],)),
    SearchFilter(modalities=("scene_text",)),
    SearchFilter(videos=tuple(VIDEOS[::3]), span=TimeSpan(start=4, end=13)),
)


def drawn(video: str, seed: int) -> list[Batch]:
    """Documents of a video with words and vectors drawn at random; pictures for some, and some without vectors."""
    random = np.random.default_rng([int(video, 16), seed])
    said = [document(video, n, " ".join(random.choice(WORDS, 6))) for n in range(random.integers(1, 6))]
    vectors = random.normal(size=(len(said), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    batches = [batch(said, vectors)]
    if random.random() < 0.5:
        batches.append(batch([document(video, 20, "", "visual")], axes(int(random.integers(8))), PICTURES))
    return [*batches, batch([document(video, 30, "A tattoo parlour", "scene_text")], None)]


def write(index: HybridIndex) -> None:
    """Add every video, then replace, delete and look closer at some."""
    for video in VIDEOS:
        index.replace(video, drawn(video, 0))
    for video in VIDEOS[3:6]:
        index.replace(video, drawn(video, 1))
    index.delete(VIDEOS[7])
    for video in VIDEOS[8:11]:
        index.replace(video, drawn(video, 2), refined="look")


def found(index: HybridIndex, where: SearchFilter) -> list[list[Hit]]:
    vectors = {SPACE: np.full(8, 8**-0.5, np.float32), PICTURES: axes(3)[0]}
    return [index.search(query, vectors, where, 200) for query in ("dragon price", "kettle", "submarine")]


def scores(hits: list[Hit]) -> dict[tuple[str, str], float]:
    """What each signal gave each document; ranks of equal ones depend on how they were merged."""
    return {
        (match.document.id, name): round(signal.score, 5)
        for hit in hits
        for match in (hit, *hit.also)
        for name, signal in match.signals.items()
    }


def segments(root: Path) -> list[str]:
    return sorted(folder.name for folder in (root / "segments").iterdir())


@pytest.fixture
def merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an index that merges from five segments on, never more than 60 documents."""
    monkeypatch.setattr(merged_segments, "_LOOSE", 4)
    monkeypatch.setattr(merged_segments, "_MOST", 60)
    write(open_index(tmp_path / "merged"))
    return tmp_path / "merged"


def test_merged_segments_hold_what_separate_ones_do(tmp_path: Path, merged: Path) -> None:
    separate = open_index(tmp_path / "separate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merged_segments, "_LOOSE", 1000)
        write(separate)
    assert len(segments(tmp_path / "separate")) == 32
    assert len(segments(merged)) < 12
    for where in FILTERS:
        for one, other in zip(found(open_index(merged), where), found(separate, where), strict=True):
            assert scores(one) == scores(other)
            assert [hit.weak for hit in one] == [hit.weak for hit in other]


def test_a_merged_segment_of_mostly_outdated_documents_is_written_again(merged: Path) -> None:
    index = open_index(merged)
    for video in VIDEOS[:28]:
        index.delete(video)
    hits = found(index, SearchFilter())[0]
    assert {hit.document.video for hit in hits} == set(VIDEOS[28:])
    assert len(segments(merged)) <= 2
    for video in VIDEOS:
        index.delete(video)
    assert segments(merged) == []


@pytest.mark.parametrize("file", ["documents.npz", "*.faiss"])
def test_a_damaged_merged_segment_is_filled_again_from_the_layers(merged: Path, file: str) -> None:
    expected = found(open_index(merged), SearchFilter())
    damaged = next((merged / "segments").glob(f"merged-*/{file}"))
    damaged.write_bytes(damaged.read_bytes()[:40])
    with pytest.raises(LibraryError):
        found(open_index(merged), SearchFilter())
    again = HybridIndex(merged, floors={SPACE: 0.5, PICTURES: 0.5}, refill=lambda: write(open_index(merged)))
    assert found(again, SearchFilter()) == expected


def test_joined_postings_are_those_of_the_joined_texts() -> None:
    texts = ["a river bends", "the river and the kettle", "", "kettle kettle", "dragon", "a price"]
    first, second = Postings.of(texts[:4]), Postings.of(texts[4:])
    joined = Postings.joined([(second, 1, 1), (first, 1, 3), (second, 0, 1)])
    expected = Postings.of([texts[5], *texts[1:4], texts[4]])
    for name in Postings.__slots__:
        assert getattr(joined, name).tolist() == getattr(expected, name).tolist()
        assert getattr(joined, name).dtype == getattr(expected, name).dtype
