"""A small search index with vectors along axes, and a writer that another process can run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from longtake.memory.records import Modality, Moment
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, Vectors
from longtake.memory.timespan import TimeSpan

SPACE, PICTURES = "test", "pictures"


def moment(video: str, number: int, text: str, modality: Modality = "speech") -> Moment:
    span = TimeSpan(start=number * 3.0, end=number * 3.0 + 3)
    return Moment(video=video, span=span, modality=modality, text=text, engine="engine", layer="layer")


def moments(video: str, *texts: str) -> list[Moment]:
    return [moment(video, number, text) for number, text in enumerate(texts)]


def axes(*numbers: int) -> Vectors:
    return np.eye(8, dtype=np.float32)[list(numbers)]


def batch(moments: Sequence[Moment], vectors: Vectors | None, space: str = SPACE) -> Batch:
    return Batch(space if vectors is not None else "", moments, vectors)


def open_index(root: Path) -> Index:
    return Index(root, floors={SPACE: 0.5, PICTURES: 0.5}, rrf_constant=60)


def rewrite(root: Path, rounds: int) -> None:
    index = open_index(root)
    for number in range(rounds):
        index.replace("a", [batch(moments("a", *[f"dragon round{number}"] * 20), axes(*[1] * 20))])
