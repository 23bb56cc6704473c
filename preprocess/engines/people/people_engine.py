"""People and faces: the shots in which they are looked for, and those who were followed through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_moving import MovingThings
from longtake.preprocess.engines.objects.objects_tracks import Track
from longtake.preprocess.media.frames import Frame


@dataclass(frozen=True, slots=True)
class Footage:
    """One shot, or a part of one: read and learnt from only when an engine asks for it."""

    span: TimeSpan
    frames: Callable[[float], Iterator[tuple[float, Frame]]]  # with their times, at least so many seconds apart
    movers: Callable[[], MovingThings]


@dataclass(frozen=True, slots=True)
class FoundPeople:
    """Those who were found, and in how many pictures they were looked for.

    `perhaps` are those who may be what is asked for and may be none; `doubt` says why there may be more than were
    found, and is empty where their number is settled; `different` is how many of the found are surely not the same;
    `notes`, who is missed.
    """

    tracks: tuple[Track, ...]
    perhaps: tuple[Track, ...]
    different: int
    pictures: int
    notes: tuple[str, ...]
    doubt: str


class PeopleEngine(Protocol):
    """A finder of people and faces that knows nobody by name."""

    @property
    def id(self) -> str:
        """Methods and version."""
        ...

    def knows(self, query: ObjectQuery) -> bool:
        """Whether a query asks for people or faces, and for nothing that cannot be told of them."""
        ...

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """The people, or the faces, that a query asks for, each followed through its shot.

        Raises:
            MediaError: when the file is gone or has no picture.
        """
        ...
