"""The protocols of engines that find people and faces and track them through shots, and of those that know faces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import Track
from longtake.preprocess.engines.text.text_engines import Box
from longtake.preprocess.media.frames import Frame


@dataclass(frozen=True, slots=True)
class Footage:
    """One shot, or part of one; loaded only when an engine needs it."""

    span: TimeSpan
    frames: Callable[[float], Iterator[tuple[float, Frame]]]  # with times, at least this many seconds apart


@dataclass(frozen=True, slots=True)
class FoundPeople:
    """The people found, and the number of pictures searched.

    `perhaps` are uncertain matches; `doubt` says why there may be more than were found, and is empty if the number is
    certain; `different` is how many of those found are certainly distinct; `notes` say who is missed; `nobody` are the
    times without anyone, of an engine that finds people anywhere.
    """

    tracks: tuple[Track, ...]
    perhaps: tuple[Track, ...]
    different: int
    pictures: int
    notes: tuple[str, ...]
    doubt: str
    nobody: tuple[TimeSpan, ...] = ()


class PeopleEngine(Protocol):
    """Finds people and faces, without identifying anyone."""

    @property
    def id(self) -> str:
        """Methods and version."""
        ...

    def knows(self, query: ObjectQuery) -> bool:
        """Whether a query asks for people or faces, without conditions that this engine can't check.

        For people it is asked before the engines for objects, for faces after them.
        """
        ...

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """The people or faces that match a query, each tracked through its shot.

        Raises:
            MediaError: if the file is missing or has no picture.
        """
        ...


@dataclass(frozen=True, slots=True)
class Face:
    """One face; `box` is left, top, width and height as fractions of the picture, `confidence` that it is a face.

    The Euclidean distance between two embeddings shows whether they are of the same person.
    """

    box: Box
    confidence: float
    embedding: tuple[float, ...]


class FaceEngine(Protocol):
    """Finds faces."""

    @property
    def id(self) -> str:
        """Models and version; embeddings of different engines can't be compared."""
        ...

    @property
    def same_person(self) -> float:
        """Largest distance between two embeddings of the same person."""
        ...

    def find(self, picture: npt.NDArray[np.uint8]) -> list[Face]:
        """The faces of a picture, (height, width, 3) BGR, from left to right."""
        ...
