"""What the search indexes hold and the one protocol in front of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
class Hit:
    """A document, its fused score, and its rank (from 1) in each signal that found it."""

    document: Document
    score: float
    ranks: dict[str, int] = field(default_factory=dict)


class Index(Protocol):
    """Documents with their vectors, replaced and searched per video."""

    def replace(self, video: str, documents: Sequence[Document], vectors: Vectors) -> None:
        """Make these the documents of a video; `vectors` is (documents, dimensions), rows of length 1."""
        ...

    def holds(self, video: str) -> bool:
        """Whether documents of a video are in the index."""
        ...

    def delete(self, video: str) -> None:
        """Forget a video."""
        ...

    def search(self, query: str, vector: Vectors | None, where: SearchFilter, k: int) -> list[Hit]:
        """The k best documents, best first; without a vector only words count."""
        ...
