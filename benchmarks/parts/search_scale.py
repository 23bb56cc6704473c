"""Measures search as a library of many short videos grows, and extrapolates to a size that was not measured.

One library grows from size to size, so each size is measured with the segments that growing left. The index is opened
anew for each. Memory is as Linux reports it. The documents are made up (`made_up`): sentences of common words, embedded
like real ones.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import linear_regression

import numpy as np

from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.parts.made_up import made_up_batch, queries, sentences, vocabulary
from longtake.benchmarks.timing import Machine, load, timed
from longtake.memory.records import Record
from longtake.memory.search.corpus import Corpus
from longtake.memory.search.current_revisions import read_current
from longtake.memory.search.hybrid_search import HybridIndex
from longtake.memory.search.search_index import Batch, Hit, Index, SearchFilter
from longtake.memory.search.segments import SegmentStore
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding
from longtake.settings import Settings

PER_VIDEO = 100  # documents
FAR = 10_000_000  # documents, extrapolated to from three sizes or more
QUERIES = 100  # different ones for each kind of filter
K = 5
_AT_ONCE = 200  # videos written in one change
_DEPTH = 100  # nearest documents by meaning that recall counts, those over the floor of the embedding
_RECALLED = 20  # queries
_WARMING = 5
_STATM = Path("/proc/self/statm")  # pages of this process: all, resident, and shared with files


class Latency(Record):
    """Milliseconds of a whole search, and the share of the nearest by meaning that it finds; None if none is near."""

    p50: float
    p95: float
    recall: float | None


class Size(Record):
    """One size of the library; `write` and `first_query` in seconds.

    Memory is in MB: `peak` until then, while writing too; `resident` after the searches, of which `mapped` from files.
    """

    documents: int
    videos: int
    segments: int
    bytes_on_disk: int
    write: float
    first_query: float
    peak: int
    resident: int
    mapped: int
    searches: dict[str, Latency]


class SearchScale(Record):
    """The public shape of `bench scale --json`; `extrapolated` is p95 at `FAR` documents in ms, by kind of filter."""

    machine: Machine
    sizes: tuple[Size, ...]
    extrapolated: dict[str, float]


def measure_scale(sizes: Sequence[int], notify: Notify) -> SearchScale:
    """Grow a library in a temporary folder and measure it at each size; `notify` is the progress callback."""
    before = load()
    engine = WordLlamaEmbedding(Settings())
    words = vocabulary()
    texts, asked = sentences(0, words), queries(1, words)
    measured: list[Size] = []
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        written, begun = 0.0, 0
        for size in sorted(sizes):
            written += _grow(Path(folder), begun, size, texts, engine, notify)
            notify(f"searching {size} documents")
            measured.append(_measure(Path(folder), size, written, asked, engine))
            begun = size
    return SearchScale(machine=Machine.since(before), sizes=tuple(measured), extrapolated=_extrapolated(measured))


def extrapolate(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The time at `FAR` documents, on the straight line that fits the measured ones best."""
    slope, constant = linear_regression(sizes, times)
    return round(slope * FAR + constant, 1)


def _extrapolated(measured: Sequence[Size]) -> dict[str, float]:
    if len(measured) < 3:  # any line would fit
        return {}
    sizes = [size.documents for size in measured]
    return {name: extrapolate(sizes, [size.searches[name].p95 for size in measured]) for name in measured[0].searches}


def show_scale(report: SearchScale) -> list[str]:
    """The report as lines to print."""
    lines = [str(report.machine)]
    for size in report.sizes:
        lines += [
            f"{size.documents} documents of {size.videos} videos, {size.bytes_on_disk / 1e6:.0f} MB on disk, "
            f"{size.segments} segments, written in {size.write:.0f} s, first query {size.first_query:.3g} s",
            f"  memory            {size.resident} MB after the searches, {size.mapped} of them mapped from files; "
            f"while writing, {size.peak} MB",
        ]
        for name, each in size.searches.items():
            recall = "none near" if each.recall is None else f"{each.recall:.1%} of the nearest"
            lines.append(f"  {name:<17} p50 {each.p50:.1f} ms, p95 {each.p95:.1f} ms; {recall}")
    lines += [f"{FAR} documents, extrapolated: {name} p95 {time} ms" for name, time in report.extrapolated.items()]
    return lines


def _grow(root: Path, begun: int, size: int, texts: Iterator[str], engine: TextEmbedding, notify: Notify) -> float:
    """Add videos from a number of documents up to another; the seconds that the index took."""
    index = _open(root, engine)
    seconds = 0.0
    for start in range(begun, size, _AT_ONCE * PER_VIDEO):
        notify(f"writing {size} documents: {start}")
        videos: dict[str, list[Batch]] = {}
        for first in range(start, min(size, start + _AT_ONCE * PER_VIDEO), PER_VIDEO):
            video = f"{first:016x}"
            videos[video] = [made_up_batch(video, list(islice(texts, min(PER_VIDEO, size - first))), engine)]
        seconds += timed(partial(index.replace_all, videos))
    return seconds


def _measure(root: Path, size: int, written: float, asked: Iterator[str], engine: TextEmbedding) -> Size:
    index = _open(root, engine)
    first = timed(lambda: _search(index, engine, next(asked), SearchFilter()))
    current = read_current(root / "revisions.json")
    filters = _filters(list(current))
    times = {name: _times(index, engine, asked, where) for name, where in filters.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    resident, mapped = (int(pages) * resource.getpagesize() for pages in _STATM.read_text().split()[1:3])
    corpus = Corpus(current, SegmentStore(root / "segments").open)
    return Size(
        documents=size,
        videos=len(current),
        segments=len(corpus.segments),
        bytes_on_disk=sum(file.stat().st_size for file in root.rglob("*") if file.is_file()),
        write=round(written, 1),
        first_query=round(first, 4),
        peak=round(peak / 1e3),
        resident=round(resident / 1e6),
        mapped=round(mapped / 1e6),
        searches={
            name: Latency(
                p50=round(float(np.percentile(times[name], 50)), 1),
                p95=round(float(np.percentile(times[name], 95)), 1),
                recall=_recall(corpus, engine, islice(asked, _RECALLED), where),
            )
            for name, where in filters.items()
        },
    )


def _times(index: Index, engine: TextEmbedding, asked: Iterator[str], where: SearchFilter) -> list[float]:
    """Milliseconds of searches for different queries, after a few to warm up."""
    for query in islice(asked, _WARMING):
        _search(index, engine, query, where)
    return [1e3 * timed(partial(_search, index, engine, query, where)) for query in islice(asked, QUERIES)]


def _recall(corpus: Corpus, engine: TextEmbedding, asked: Iterable[str], where: SearchFilter) -> float | None:
    """Which share of the nearest documents over the floor is found; None if no query has any."""
    space, allowed = corpus.space(engine.id), corpus.allowed(where)
    assert space is not None
    exact, found, all_near = space.exact(), 0, 0
    for vector in engine.embed(list(asked)):
        near, _ = exact.nearest(vector, allowed, _DEPTH, engine.floor)
        found += len(np.intersect1d(near, space.nearest(vector, allowed, _DEPTH, engine.floor)[0]))
        all_near += len(near)
    return round(found / all_near, 4) if all_near else None


def _search(index: Index, engine: TextEmbedding, query: str, where: SearchFilter) -> list[Hit]:
    return index.search(query, {engine.id: engine.embed([query])[0]}, where, K)


def _filters(videos: Sequence[str]) -> dict[str, SearchFilter]:
    """None, one video, a fifth of the documents by kind, and a tenth by time."""
    return {
        "unfiltered": SearchFilter(),
        "one video": SearchFilter(videos=(videos[len(videos) // 2],)),
        "one modality": SearchFilter(modalities=("audio",)),
        "a stretch of time": SearchFilter(span=TimeSpan(start=100, end=130)),
    }


def _open(root: Path, engine: TextEmbedding) -> HybridIndex:
    return HybridIndex(root, floors={engine.id: engine.floor})
