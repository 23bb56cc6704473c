"""What goes into the search index, what is asked of it, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longtake.memory.records import Modality, Moment
from longtake.memory.timespan import TimeSpan

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Which moments may be found; an empty tuple or None allows all, but not what is only told of the video."""

    videos: tuple[str, ...] = ()
    modalities: tuple[Modality, ...] = ()
    span: TimeSpan | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Moments embedded by one model: `vectors` is (moments, dimensions), rows of length 1.

    `space` is the id of the embedding. Without vectors it is empty, and only words find the moments. Only its vector
    finds a moment without text.
    """

    space: str
    moments: Sequence[Moment]
    vectors: Vectors | None


@dataclass(frozen=True, slots=True)
class Signal:
    """How one signal found a moment: its rank from 1, and its BM25 score or cosine."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Match:
    """A moment found, its fused score, and its signals by name: `words` or the id of a vector space."""

    moment: Moment
    score: float
    signals: Mapping[str, Signal]

    @property
    def scored(self) -> Moment:
        """The moment with the score of the search."""
        return self.moment.model_copy(update={"score": round(self.score, 5)})


@dataclass(frozen=True, slots=True)
class Hit(Match):
    """An event: its best moment, the span it covers, and its other moments, best first.

    A weak event contains no word of the query and is below the floor of every vector: it is merely the nearest, not a
    sign of a match. It has one moment, and no signals if that moment has no vector.
    """

    span: TimeSpan
    also: tuple[Match, ...] = ()
    weak: bool = False
