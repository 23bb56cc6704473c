"""Measures search as a library of many short videos grows.

One library grows from size to size. The index is opened anew for each. The moments are made up: sentences of common
words, whose frequencies fall with their rank (Zipf's law), embedded like real ones.
"""

from __future__ import annotations

import json
import os
import re
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer
import wordllama

from longtake.benchmarks.processes import tree
from longtake.benchmarks.reports import Notify, Report
from longtake.memory.records import Modality, Moment, Record
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding
from longtake.settings import Settings

PER_VIDEO = 100  # moments, one every three seconds
QUERIES = 100  # different ones for each kind of filter, after some to warm up
_WARMING, _K = 5, 5
_AT_ONCE = 200  # videos written in one change
_MODALITIES: tuple[Modality, ...] = ("speech", "speech", "speech", "scene_text", "audio")
_LENGTHS = (4, 14)  # words of a sentence, at least and at most
_ASKED = 3  # words of a query
_FREQUENT = 200  # the most frequent words, which carry no meaning, appear in no query
_BATCH = 4096  # sentences drawn at once


class Size(Record):
    """One size of the library; `write` and `first_search` in seconds, of which `write_cpu` of processors in user mode.

    Memory is in MB: `peak` until then, while writing too, and `resident` after the searches.
    """

    documents: int
    disk: int
    write: float
    write_cpu: float
    first_search: float
    peak: int
    resident: int


class Search(Record):
    """Milliseconds of whole searches; `cpu` are those that processors worked for one in user mode, on average."""

    documents: int
    where: str
    p95: float
    cpu: float


class SearchScale(Report):
    """Every size, and searches of each with every kind of filter."""

    sizes: tuple[Size, ...]
    searches: tuple[Search, ...]


def measure_scale(
    notify: Notify,
    documents: Annotated[list[int] | None, typer.Option(min=100, help="Size to measure at; repeatable.")] = None,
) -> SearchScale:
    """Grow a made-up library, by default to 30,000, 100,000 and 300,000 moments, and time search; Linux only."""
    engine = WordLlamaEmbedding(Settings())
    words = _vocabulary()
    texts = _sentences(0, words)
    asked = (" ".join(text.split()[:_ASKED]) for text in _sentences(1, words[_FREQUENT:]))
    sizes: list[Size] = []
    searches: list[Search] = []
    begun, written = 0, np.zeros(2)
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        for size in sorted(documents or [30_000, 100_000, 300_000]):
            notify(f"writing {size} moments")
            written += _grow(_open(folder, engine), range(begun, size, PER_VIDEO), size, texts, engine)
            notify(f"searching {size} moments")
            index = _open(folder, engine)
            first_search, _ = _searched(index, engine, next(asked), SearchFilter())
            for name, where in _filters(size).items():
                times = [_searched(index, engine, query, where) for query in islice(asked, _WARMING + QUERIES)]
                walls, cpus = zip(*times[_WARMING:], strict=True)
                p95, cpu = 1000 * float(np.percentile(walls, 95)), 1000 * fmean(cpus)
                searches.append(Search(documents=size, where=name, p95=round(p95, 1), cpu=round(cpu, 1)))
            sizes.append(
                Size(
                    documents=size,
                    disk=round(sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / 1e6),
                    write=round(float(written[0]), 1),
                    write_cpu=round(float(written[1]), 1),
                    first_search=round(first_search, 4),
                    peak=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
                    resident=round(tree(os.getpid())[0].memory_info().rss / 1e6),
                )
            )
            begun = size
    return SearchScale(sizes=tuple(sizes), searches=tuple(searches))


def _open(folder: str, engine: WordLlamaEmbedding) -> Index:
    return Index(Path(folder), floors={engine.id: engine.floor})


def _grow(
    index: Index, firsts: range, size: int, texts: Iterator[str], engine: WordLlamaEmbedding
) -> npt.NDArray[np.float64]:
    """Add videos, given the number of their first moment; the seconds that the index took, and those of CPU."""
    took = np.zeros(2)
    for start in range(0, len(firsts), _AT_ONCE):
        videos = {
            f"{first:016x}": [_batch(f"{first:016x}", list(islice(texts, min(PER_VIDEO, size - first))), engine)]
            for first in firsts[start : start + _AT_ONCE]
        }
        took += _timed(partial(index.replace_all, videos))
    return took


def _searched(index: Index, engine: WordLlamaEmbedding, query: str, where: SearchFilter) -> tuple[float, float]:
    return _timed(lambda: index.search(query, {engine.id: engine.embed([query])[0]}, where, _K))


def _filters(size: int) -> dict[str, SearchFilter]:
    """None, one video, a fifth of the moments by kind, and a tenth by time."""
    return {
        "unfiltered": SearchFilter(),
        "one video": SearchFilter(videos=(f"{size // PER_VIDEO // 2 * PER_VIDEO:016x}",)),
        "one modality": SearchFilter(modalities=("audio",)),
        "a stretch of time": SearchFilter(span=TimeSpan(start=100, end=130)),
    }


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and those of processors in user mode."""
    began, user = time.perf_counter(), os.times().user
    work()
    return time.perf_counter() - began, os.times().user - user


def _vocabulary() -> list[str]:
    """Words among WordLlama's tokens, roughly by frequency."""
    file = Path(wordllama.__file__).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokens: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    return [token[1:] for token in sorted(tokens, key=tokens.__getitem__) if re.fullmatch("▁[a-z]{3,}", token)]


def _sentences(seed: int, words: Sequence[str]) -> Iterator[str]:
    """Endless sentences of these words."""
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(words) + 1)
    while True:
        lengths = random.integers(*_LENGTHS, size=_BATCH, endpoint=True)
        drawn = random.choice(len(words), size=int(lengths.sum()), p=chances / chances.sum())
        for part in np.split(drawn, np.cumsum(lengths)[:-1]):
            yield " ".join(words[int(place)] for place in part)


def _batch(video: str, texts: Sequence[str], engine: WordLlamaEmbedding) -> Batch:
    """Texts as the moments of a video, most of them speech."""
    moments = [
        Moment(
            video=video,
            span=TimeSpan(start=3.0 * row, end=3.0 * (row + 1)),
            modality=_MODALITIES[row % len(_MODALITIES)],
            text=text,
            engine="made up",
            layer="made up",
        )
        for row, text in enumerate(texts)
    ]
    return Batch(engine.id, moments, engine.embed(texts))
