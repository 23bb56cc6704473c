"""The data types of the search index and the protocol it implements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

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


class Index(Protocol):
    """Documents with their vectors, replaced and searched per video."""

    def replace(self, video: str, batches: Sequence[Batch], *, refined: str | None = None) -> None:
        """Make these the documents of a video's layers, or of closer looks at it; the others stay.

        Args:
            video: library id.
            batches: the documents.
            refined: key of the closer looks that the documents come from; None if they come from the layers.
        """
        ...

    def holds(self, video: str, *, refined: str | None = None) -> bool:
        """Whether documents of a video's layers, or of closer looks with exactly this key, are in the index.

        The empty key means no closer looks: it holds if the index has no documents of any.
        """
        ...

    def spaces(self, videos: Sequence[str] = ()) -> frozenset[str]:
        """Ids of the embeddings used by documents of these videos; of all videos if none is given."""
        ...

    def delete(self, video: str) -> None:
        """Remove a video and its closer looks."""
        ...

    def search(self, query: str, vectors: Mapping[str, Vectors], where: SearchFilter, k: int) -> list[Hit]:
        """The k best events, best first; fewer only if the filter allows fewer. Weak ones come last.

        Args:
            query: in words.
            vectors: the embedded query, (dimensions,) of length 1, by id of the embedding; if empty, only words count.
            where: which documents may be found.
            k: maximum number of events.
        """
        ...
