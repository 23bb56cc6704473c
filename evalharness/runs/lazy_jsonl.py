"""Reads records from a JSONL file on demand: only the offsets of lines are in memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, ValuesView
from copy import copy
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from pydantic import BaseModel

K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=BaseModel)
V = TypeVar("V")


class OnDisk(Mapping[K, list[R]]):
    """Records in groups by a key, in the order of first appearance; a group is read each time it is asked for.

    All `values` are read from a file that is opened once, which takes much less time than one group after the other.
    """

    def __init__(self, file: Path, kind: type[R]) -> None:
        """Begin without a record; `kind` is what every line of the file is."""
        self._file, self._kind = file, kind
        self._places: dict[K, int | array[int]] = {}  # most groups have one record: no list for these

    def add(self, key: K, place: int) -> None:
        """Put the record whose line begins at a byte of the file into the group of a key."""
        held = self._places.get(key)
        if held is None:
            self._places[key] = place
        elif isinstance(held, int):
            self._places[key] = array("q", (held, place))
        else:
            held.append(place)

    def count(self, key: K) -> int:
        """How many records a group has; none are read."""
        return len(_each(self._places[key])) if key in self._places else 0

    def only(self, wanted: Callable[[K], bool]) -> OnDisk[K, R]:
        """The groups of some of the keys; none are read."""
        kept = OnDisk[K, R](self._file, self._kind)
        kept._places = {key: copy(places) for key, places in self._places.items() if wanted(key)}
        return kept

    def values(self) -> ValuesView[list[R]]:
        """All groups."""
        return _Values(self, self._groups)

    def __getitem__(self, key: K) -> list[R]:
        places = self._places[key]
        with self._file.open("rb") as stream:
            return self._read(stream, places)

    def __iter__(self) -> Iterator[K]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _groups(self) -> Iterator[list[R]]:
        if self._places:
            with self._file.open("rb") as stream:
                yield from (self._read(stream, places) for places in self._places.values())

    def _read(self, stream: BinaryIO, places: int | array[int]) -> list[R]:
        group: list[R] = []
        for place in _each(places):
            stream.seek(place)
            group.append(self._kind.model_validate_json(stream.readline()))
        return group


def _each(places: int | array[int]) -> Sequence[int]:
    return (places,) if isinstance(places, int) else places


class Latest(Mapping[K, R]):
    """The last record of each group."""

    def __init__(self, groups: OnDisk[K, R]) -> None:
        self._groups = groups

    def only(self, wanted: Callable[[K], bool]) -> Latest[K, R]:
        """The records of some of the keys; none are read."""
        return Latest(self._groups.only(wanted))

    def values(self) -> ValuesView[R]:
        """All records, read like those of `OnDisk`."""
        return _Values(self, lambda: (group[-1] for group in self._groups.values()))

    def __getitem__(self, key: K) -> R:
        return self._groups[key][-1]

    def __iter__(self) -> Iterator[K]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)


class _Values(ValuesView[V]):
    """The values of a mapping, in a way of its own to read them."""

    def __init__(self, mapping: Mapping[Any, V], read: Callable[[], Iterator[V]]) -> None:
        super().__init__(mapping)
        self._each = read

    def __iter__(self) -> Iterator[V]:
        return self._each()


class Flat(Generic[R]):
    """All records of groups, one group after the other, as often as they are iterated over."""

    def __init__(self, groups: Mapping[Any, Iterable[R]]) -> None:
        self._groups = groups

    def __iter__(self) -> Iterator[R]:
        return chain.from_iterable(self._groups.values())
