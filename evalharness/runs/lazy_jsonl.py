"""Reads records from a JSONL file on demand: only the offsets of lines are in memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from pydantic import BaseModel

K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=BaseModel)


class OnDisk(Mapping[K, list[R]]):
    """Records in groups by a key, in the order of first appearance; a group is read each time it is asked for."""

    def __init__(self, file: Path, kind: type[R]) -> None:
        """Begin without a record; `kind` is what every line of the file is."""
        self._file, self._kind = file, kind
        self._places: dict[K, list[int]] = {}

    def add(self, key: K, place: int) -> None:
        """Put the record whose line begins at a byte of the file into the group of a key."""
        self._places.setdefault(key, []).append(place)

    def count(self, key: K) -> int:
        """How many records a group has; none are read."""
        return len(self._places.get(key, ()))

    def __getitem__(self, key: K) -> list[R]:
        places = self._places[key]
        with self._file.open("rb") as stream:
            return [self._read(stream, place) for place in places]

    def __iter__(self) -> Iterator[K]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _read(self, stream: BinaryIO, place: int) -> R:
        stream.seek(place)
        return self._kind.model_validate_json(stream.readline())


class Latest(Mapping[K, R]):
    """The last record of each group."""

    def __init__(self, groups: Mapping[K, list[R]]) -> None:
        self._groups = groups

    def __getitem__(self, key: K) -> R:
        return self._groups[key][-1]

    def __iter__(self) -> Iterator[K]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)


class Flat(Generic[R]):
    """All records of groups, one group after the other, as often as they are iterated over."""

    def __init__(self, groups: Mapping[Any, Iterable[R]]) -> None:
        self._groups = groups

    def __iter__(self) -> Iterator[R]:
        return chain.from_iterable(self._groups.values())
