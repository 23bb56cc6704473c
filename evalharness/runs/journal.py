"""Append-only JSONL with one record per line, flushed before the next starts, so that a killed run loses none.

If the writer was killed, the last line may be incomplete. Readers skip it, and the next writer cuts it off. A file that
a person wrote may well end without a newline: `by_hand` reads its last line, too. Other files are written whole.
`OnDisk` and `Latest` read records on demand, with nothing but the offsets of lines in memory.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, ValuesView
from copy import copy
from itertools import chain
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, BinaryIO, Generic, Self, TypeVar

from pydantic import BaseModel, ValidationError

from longtake.errors import LibraryError
from longtake.memory.layers import write_atomic

R = TypeVar("R", bound=BaseModel)
# Replacements for messages of the library that mention Python.
_PLAIN = {
    **dict.fromkeys(("tuple_type", "list_type"), "it should be a list"),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type"), "it should hold named fields"
    ),
}
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Journal:
    """A JSONL file open for appending; may be shared by threads."""

    def __init__(self, file: Path) -> None:
        """Open the file, made if it doesn't exist.

        Raises:
            LibraryError: if it cannot be opened or written to.
        """
        self.file = file
        self._lock = Lock()
        try:
            self._stream: BinaryIO = open(file, "ab", buffering=0)  # noqa: SIM115 closed by __exit__
            self._cut_torn_line()
        except OSError as error:
            raise _unwritable(file, error) from error

    def append(self, record: BaseModel) -> None:
        """Write one record; when it returns, the record survives the death of this process.

        Raises:
            LibraryError: if the disk is full or the file cannot be written to. What stood there before stays.
        """
        line = record.model_dump_json().encode() + b"\n"
        with self._lock:
            end = self._stream.tell()
            try:
                written = 0
                while written < len(line):
                    written += self._stream.write(line[written:]) or 0
            except OSError as error:
                os.ftruncate(self._stream.fileno(), end)
                raise _unwritable(self.file, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._stream.fileno())
        self._stream.close()

    def _cut_torn_line(self) -> None:
        end = self._stream.seek(0, os.SEEK_END)
        kept = end
        with open(self.file, "rb") as reader:
            while kept:
                size = min(kept, 1 << 16)
                reader.seek(kept - size)
                newline = reader.read(size).rfind(b"\n")
                kept = kept - size + newline + 1
                if newline >= 0:
                    break
        if kept < end:
            os.ftruncate(self._stream.fileno(), kept)
            self._stream.seek(0, os.SEEK_END)


def read_records(file: Path, kind: type[R], left_out: Callable[[str], None], *, by_hand: bool = False) -> Iterator[R]:
    """The records of a file in order; see `placed_records`."""
    return (record for _, record in placed_records(file, kind, left_out, by_hand=by_hand))


def placed_records(
    file: Path, kind: type[R], left_out: Callable[[str], None], *, by_hand: bool = False, start: int = 0
) -> Iterator[tuple[int, R]]:
    """The records of a file in order, each with the byte at which its line begins; none if it is missing.

    Args:
        file: JSONL.
        kind: what every line is.
        left_out: called with file, line and field for each bad line, except an incomplete last line.
        by_hand: whether a person wrote the file: its last line counts without a newline.
        start: the byte at which the first line to be read begins.

    Raises:
        LibraryError: if the file cannot be read.
    """
    end = start
    try:
        with file.open("rb") as stream:
            stream.seek(start)
            for number, line in enumerate(stream, 1):
                if not (by_hand or line.endswith(b"\n")):
                    return
                place, end = end, end + len(line)
                if not line.strip():
                    continue
                try:
                    yield place, kind.model_validate_json(line.rstrip(b"\n"))
                except ValidationError as error:
                    # A line of JSONL is all that was read: its number is another one in the file.
                    fault = wrong_field(error).replace(" at line 1 column", " at column")
                    left_out(f"{file}, line {number}: {fault}; it was left out.")
    except FileNotFoundError:
        return
    except OSError as error:
        raise LibraryError(f"{file} cannot be read: {error.strerror}.") from error


def set_aside(file: Path, kind: type[R], left_out: Callable[[str], None]) -> None:
    """Move the lines that are no records into FILE.damaged next to it: what is made anew in their place is then whole.

    Nobody else may be writing to the file.

    Raises:
        LibraryError: if the file cannot be read, or the folder not be written to.
    """
    warnings: list[str] = []
    whole = {place for place, _ in placed_records(file, kind, warnings.append)}
    if not warnings:
        return
    part, aside = file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.damaged")
    try:
        with file.open("rb") as stream, part.open("wb") as kept, aside.open("ab") as damaged:
            place = 0
            for line in stream:
                torn = not line.endswith(b"\n")
                (kept if place in whole or torn else damaged).write(line)
                place += len(line)
        part.replace(file)
    except OSError as error:
        raise _unwritable(file, error) from error
    for sentence in warnings:
        left_out(sentence)


def write_file(file: Path, text: str) -> None:
    """Write a file whole or not at all; several may write it at once. Its folder is created if missing.

    Raises:
        LibraryError: if it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text)
    except OSError as error:
        raise _unwritable(file, error) from error


def wrong_field(error: ValidationError) -> str:
    """Which field of a record is wrong, and how, in a few words."""
    first = error.errors(include_url=False)[0]
    place, fault = ".".join(map(str, first["loc"])), _PLAIN.get(first["type"], first["msg"])
    return f"{place}: {fault}" if place else fault


def _unwritable(file: Path, error: OSError) -> LibraryError:
    return LibraryError(f"{file} cannot be written to: {error.strerror}; make room or choose another folder.")


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
