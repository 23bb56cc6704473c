"""What the search indexes hold and the one protocol in front of them."""

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
    """One findable thing of a video: a cue, a text on the screen, a sound."""

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
    """Which documents may be found; an empty tuple or None allows all."""

    videos: tuple[str, ...] = ()
    modalities: tuple[Modality, ...] = ()
    span: TimeSpan | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents embedded by one model: `vectors` is (documents, dimensions), rows of length 1.

    `space` is the id of the embedding. Without vectors it is empty, and the documents are found by words alone; a
    document without text is found by its vector alone.
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
    """A document that was found, its fused score, and what each signal said: `words`, or the id of a vector space."""

    document: Document
    score: float
    signals: Mapping[str, Signal]


@dataclass(frozen=True, slots=True)
class Hit(Match):
    """An event: its best document, the span it covers, and the other documents found of it, best first.

    A weak one holds no word of the query and lies under the floor of every vector: it is the nearest there is, and no
    sign that what was asked for is there. It is one document; its signals are empty where it lies in no space.
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
            refined: of closer looks, a key of what they are made of; None: they are made of the layers.
        """
        ...

    def holds(self, video: str, *, refined: str | None = None) -> bool:
        """Whether documents of a video's layers, or of closer looks with just this key, are in the index.

        The empty key is that of no closer look: it is held where there are no documents of any.
        """
        ...

    def spaces(self, videos: Sequence[str] = ()) -> frozenset[str]:
        """Ids of the embeddings that documents of these videos have vectors of; of all videos where none is given."""
        ...

    def delete(self, video: str) -> None:
        """Forget a video."""
        ...

    def search(self, query: str, vectors: Mapping[str, Vectors], where: SearchFilter, k: int) -> list[Hit]:
        """The k best events, best first: fewer only where the filter allows fewer. Weak ones come after all others.

        Args:
            query: in words.
            vectors: the query embedded, (dimensions,) of length 1, by id of the embedding; none: only words count.
            where: which documents may be found.
            k: most events.
        """
        ...
