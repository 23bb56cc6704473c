"""The protocol of people engines, which find people and faces and track them through shots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import Track
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
