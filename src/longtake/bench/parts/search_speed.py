"""Times search over large libraries, through the real index.

The libraries are made up (`made_up`). The baseline, timed in the same run, is a flat FAISS scan over the same vectors,
which searches by meaning alone and without filters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import faiss

from longtake.bench.hour.reel import Notify
from longtake.bench.parts.made_up import made_up_batch, queries, sentences, vocabulary
from longtake.bench.timing import Comparison, Machine, load, timed
from longtake.memory.records import Record
from longtake.memory.search.hybrid_search import HybridIndex
from longtake.memory.search.search_index import Hit, Index, SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding
from longtake.settings import Settings

PER_VIDEO = 3000  # documents
QUERIES = 40  # different ones per kind of filter
K = 5


class LibrarySpeed(Record):
    """One library; times are seconds, `warm` is by kind of filter."""

    documents: int
    videos: int
    bytes_on_disk: int
    write: float
    first_query: float
    after_a_change: float
    warm: dict[str, Comparison]


class SearchSpeed(Record):
    """The public shape of `bench search --json`."""

    machine: Machine
    libraries: tuple[LibrarySpeed, ...]


def measure_search(sizes: Sequence[int], notify: Notify) -> SearchSpeed:
    """Make a library of each size in a temporary folder and measure; `notify` is the progress callback."""
    before = load()
    engine = WordLlamaEmbedding(Settings())  # the fastest: up to a million sentences are embedded
    libraries = tuple(_measure_library(size, engine, notify) for size in sizes)
    return SearchSpeed(machine=Machine.since(before), libraries=libraries)


def show_search(report: SearchSpeed) -> list[str]:
    """The report as lines to print."""
    lines = [str(report.machine), "seconds as median [min, max] n=queries"]
    for library in report.libraries:
        size = library.bytes_on_disk / 1e6
        lines += [
            f"{library.documents} documents of {library.videos} videos, {size:.0f} MB on disk",
            f"  write             {library.write:.3g}",
            f"  first query       {library.first_query:.3g}, after a change {library.after_a_change:.3g}",
            *(f"  {name:<17} {warm.against('a flat scan')}" for name, warm in library.warm.items()),
        ]
    return lines


def _measure_library(size: int, engine: TextEmbedding, notify: Notify) -> LibrarySpeed:
    words = vocabulary()
    texts, asked = sentences(0, words), queries(1, words)
    flat: Any = faiss.IndexFlatIP(engine.dimensions)
    videos = [f"{number:016x}" for number in range(-(-size // PER_VIDEO))]
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        index = _open(folder, engine)
        written = 0.0
        for number, video in enumerate(videos):
            notify(f"writing {size} documents, video {number + 1} of {len(videos)}")
            batch = made_up_batch(video, list(islice(texts, min(PER_VIDEO, size - number * PER_VIDEO))), engine)
            flat.add(batch.vectors)
            written += timed(partial(index.replace, video, [batch]))
        notify(f"searching {size} documents")
        index = _open(folder, engine)
        ask = partial(_search, index, engine)
        first = timed(lambda: ask(next(asked)))
        _open(folder, engine).replace(videos[0], [made_up_batch(videos[0], list(islice(texts, PER_VIDEO)), engine)])
        after = timed(lambda: ask(next(asked)))
        warm = {name: _warm(index, engine, flat, asked, where) for name, where in _filters(videos).items()}
        on_disk = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    return LibrarySpeed(
        documents=size,
        videos=len(videos),
        bytes_on_disk=on_disk,
        write=round(written, 3),
        first_query=round(first, 4),
        after_a_change=round(after, 4),
        warm=warm,
    )


def _warm(index: Index, engine: TextEmbedding, flat: Any, asked: Iterator[str], where: SearchFilter) -> Comparison:
    """Time different queries in turns with the floor; both embed them."""
    chosen = list(islice(asked, QUERIES))
    ours, floor = iter(chosen), iter(chosen)
    return Comparison.measure(
        lambda: _search(index, engine, next(ours), where),
        lambda: flat.search(engine.embed([next(floor)]), K),
        QUERIES,
    )


def _search(index: Index, engine: TextEmbedding, query: str, where: SearchFilter | None = None) -> list[Hit]:
    return index.search(query, {engine.id: engine.embed([query])[0]}, where or SearchFilter(), K)


def _filters(videos: Sequence[str]) -> dict[str, SearchFilter]:
    """None, one of each kind, and all at once."""
    tenth = tuple(videos[::10])
    span = TimeSpan(start=1000, end=3000)
    return {
        "unfiltered": SearchFilter(),
        "one modality": SearchFilter(modalities=("speech",)),
        "a stretch of time": SearchFilter(span=span),
        "a tenth of videos": SearchFilter(videos=tenth),
        "all three": SearchFilter(tenth, ("speech",), span),
    }


def _open(folder: str, engine: TextEmbedding) -> Index:
    return HybridIndex(Path(folder), floors={engine.id: engine.floor})
