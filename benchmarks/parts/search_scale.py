"""Measures search as a library of many short videos grows, and extrapolates to a size that was not measured.

One library grows from size to size. The index is opened anew for each. Memory is as Linux reports it. The moments are
made up (`made_up`): sentences of common words, embedded like real ones.
"""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import linear_regression

import numpy as np

from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.parts.made_up import made_up_batch, queries, sentences, vocabulary
from longtake.benchmarks.timing import Machine, load, timed
from longtake.memory.records import Record
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, Hit, SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_embedding import TextEmbedding
from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding
from longtake.settings import Settings

PER_VIDEO = 100  # moments
FAR = 10_000_000  # moments, extrapolated to from three sizes or more
QUERIES = 100  # different ones for each kind of filter
K = 5
_AT_ONCE = 200  # videos written in one change
_WARMING = 5
_STATM = Path("/proc/self/statm")  # pages of this process: all, resident, and shared with files


class Latency(Record):
    """Milliseconds of a whole search; `cpu` are those that processors worked for it in user mode, on average."""

    p50: float
    p95: float
    cpu: float


class Size(Record):
    """One size of the library; `write` and `first_query` in seconds, of which `write_cpu` of processors in user mode.

    Memory is in MB: `peak` until then, while writing too; `resident` after the searches, of which `mapped` from files.
    """

    documents: int
    videos: int
    bytes_on_disk: int
    write: float
    write_cpu: float
    first_query: float
    peak: int
    resident: int
    mapped: int
    searches: dict[str, Latency]


class SearchScale(Record):
    """The public shape of `bench scale --json`; `extrapolated` is p95 at `FAR` moments in ms, by kind of filter."""

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
        written, begun = (0.0, 0.0), 0
        for size in sorted(sizes):
            more = _grow(Path(folder), begun, size, texts, engine, notify)
            written = written[0] + more[0], written[1] + more[1]
            notify(f"searching {size} moments")
            measured.append(_measure(Path(folder), size, written, asked, engine))
            begun = size
    return SearchScale(machine=Machine.since(before), sizes=tuple(measured), extrapolated=_extrapolated(measured))


def extrapolate(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The time at `FAR` moments, on the straight line that fits the measured ones best."""
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
            f"{size.documents} moments of {size.videos} videos, {size.bytes_on_disk / 1e6:.0f} MB on disk, "
            f"written in {size.write:.0f} s ({size.write_cpu:.0f} s of CPU), first query {size.first_query:.3g} s",
            f"  memory            {size.resident} MB after the searches, {size.mapped} of them mapped from files; "
            f"while writing, {size.peak} MB",
        ]
        for name, each in size.searches.items():
            lines.append(f"  {name:<17} p50 {each.p50:.1f} ms, p95 {each.p95:.1f} ms; {each.cpu:.1f} ms of CPU")
    lines += [f"{FAR} moments, extrapolated: {name} p95 {time} ms" for name, time in report.extrapolated.items()]
    return lines


def _grow(
    root: Path, begun: int, size: int, texts: Iterator[str], engine: TextEmbedding, notify: Notify
) -> tuple[float, float]:
    """Add videos from a number of moments up to another; the seconds that the index took, and those of CPU."""
    index = _open(root, engine)
    seconds = cpu = 0.0
    for start in range(begun, size, _AT_ONCE * PER_VIDEO):
        notify(f"writing {size} moments: {start}")
        videos: dict[str, list[Batch]] = {}
        for first in range(start, min(size, start + _AT_ONCE * PER_VIDEO), PER_VIDEO):
            video = f"{first:016x}"
            videos[video] = [made_up_batch(video, list(islice(texts, min(PER_VIDEO, size - first))), engine)]
        took = _timed(partial(index.replace_all, videos))
        seconds, cpu = seconds + took[0], cpu + took[1]
    return seconds, cpu


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds that work took, and those of CPU in user mode."""
    before = os.times().user
    return timed(work), os.times().user - before


def _measure(root: Path, size: int, written: tuple[float, float], asked: Iterator[str], engine: TextEmbedding) -> Size:
    index = _open(root, engine)
    first = timed(lambda: _search(index, engine, next(asked), SearchFilter()))
    videos = [f"{first:016x}" for first in range(0, size, PER_VIDEO)]
    filters = _filters(videos)
    times = {name: _times(index, engine, asked, where) for name, where in filters.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    resident, mapped = (int(pages) * resource.getpagesize() for pages in _STATM.read_text().split()[1:3])
    return Size(
        documents=size,
        videos=len(videos),
        bytes_on_disk=sum(file.stat().st_size for file in root.rglob("*") if file.is_file()),
        write=round(written[0], 1),
        write_cpu=round(written[1], 1),
        first_query=round(first, 4),
        peak=round(peak / 1e3),
        resident=round(resident / 1e6),
        mapped=round(mapped / 1e6),
        searches={
            name: Latency(
                p50=round(float(np.percentile([wall for wall, _ in times[name]], 50)), 1),
                p95=round(float(np.percentile([wall for wall, _ in times[name]], 95)), 1),
                cpu=round(float(np.mean([cpu for _, cpu in times[name]])), 1),
            )
            for name in filters
        },
    )


def _times(index: Index, engine: TextEmbedding, asked: Iterator[str], where: SearchFilter) -> list[tuple[float, float]]:
    """Milliseconds of searches for different queries, after a few to warm up, and those of CPU."""
    for query in islice(asked, _WARMING):
        _search(index, engine, query, where)
    return [
        (1e3 * wall, 1e3 * cpu)
        for query in islice(asked, QUERIES)
        for wall, cpu in [_timed(partial(_search, index, engine, query, where))]
    ]


def _search(index: Index, engine: TextEmbedding, query: str, where: SearchFilter) -> list[Hit]:
    return index.search(query, {engine.id: engine.embed([query])[0]}, where, K)


def _filters(videos: Sequence[str]) -> dict[str, SearchFilter]:
    """None, one video, a fifth of the moments by kind, and a tenth by time."""
    return {
        "unfiltered": SearchFilter(),
        "one video": SearchFilter(videos=(videos[len(videos) // 2],)),
        "one modality": SearchFilter(modalities=("audio",)),
        "a stretch of time": SearchFilter(span=TimeSpan(start=100, end=130)),
    }


def _open(root: Path, engine: TextEmbedding) -> Index:
    return Index(root, floors={engine.id: engine.floor})
