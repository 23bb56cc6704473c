"""What goes into the search index, what is asked of it, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longtake.memory.records import Modality
from longtake.memory.timespan import TimeSpan

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Document:
    """One searchable item of a video: a cue, an on-screen text, a sound."""

    id: str
    video: str
    span: TimeSpan
    modality: Modality
    text: str
    engine: str
    layer: str
    score: float = 1.0
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Which documents may be found; an empty tuple or None allows all, but not what is only told of the video."""

    videos: tuple[str, ...] = ()
    modalities: tuple[Modality, ...] = ()
    span: TimeSpan | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents embedded by one model: `vectors` is (documents, dimensions), rows of length 1.

    `space` is the id of the embedding. Without vectors it is empty, and only words find the documents. Only its vector
    finds a document without text.
    """

    space: str
    documents: Sequence[Document]
    vectors: Vectors | None


@dataclass(frozen=True, slots=True)
class Signal:
    """How one signal found a document: its rank from 1, and its BM25 score or cosine."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Match:
    """A document found, its fused score, and its signals by name: `words` or the id of a vector space."""

    document: Document
    score: float
    signals: Mapping[str, Signal]


@dataclass(frozen=True, slots=True)
class Hit(Match):
    """An event: its best document, the span it covers, and its other documents, best first.

    A weak event contains no word of the query and is below the floor of every vector: it is merely the nearest, not a
    sign of a match. It has one document, and no signals if that document has no vector.
    """

    span: TimeSpan
    also: tuple[Match, ...] = ()
    weak: bool = False
