"""The gallery: people whose faces were enrolled, so that videos can name them.

It stores names, roles and embeddings with the engine that made them, in one file of the library that only its owner may
read. Photos aren't kept, and nothing here is exported or sent anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from longtake.errors import LibraryError, file_error
from longtake.memory.layers import write_atomic
from longtake.memory.records import Record

UNKNOWN = "unknown"  # the name of a face that nobody enrolled
MAX_NAME_LENGTH = 100


class EnrolledFace(Record):
    """The face in one photo, embedded by the engine with this id."""

    engine: str
    embedding: tuple[float, ...]


class Person(Record):
    """An enrolled person, possibly from several photos."""

    name: str
    role: str = ""
    faces: tuple[EnrolledFace, ...]


_PEOPLE = TypeAdapter(tuple[Person, ...])


class Gallery:
    """The enrolled people of one library; safe to change from several processes at once."""

    def __init__(self, root: Path) -> None:
        """Open the gallery of the library in this folder; nothing is written until someone is enrolled."""
        self._file = root / "faces.json"

    def people(self) -> tuple[Person, ...]:
        """Everyone, by name.

        Raises:
            LibraryError: if the file is damaged or can't be read.
        """
        try:
            return _PEOPLE.validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return ()
        except (OSError, ValidationError) as error:
            message = f"Couldn't read {self._file}: restore it, or delete it and enrol the faces again."
            raise LibraryError(message) from error

    def enrol(self, name: str, faces: Sequence[EnrolledFace], role: str = "") -> Person:
        """Add faces to a person, creating the person if the name is new. Names ignore case.

        Raises:
            LibraryError: if the name is empty or reserved, or the library can't be written.
        """
        name, role = _plain(name), _plain(role)
        if not name or name.casefold().split()[0] == UNKNOWN:
            raise LibraryError(f"{name!r} can't be a person's name. Names can't be empty or start with {UNKNOWN!r}.")
        with self._changing() as people:
            existing = people.get(name.casefold(), Person(name=name, faces=()))
            joined = tuple(dict.fromkeys((*existing.faces, *faces)))
            person = existing.model_copy(update={"role": role or existing.role, "faces": joined})
            people[name.casefold()] = person
        return person

    def forget(self, name: str) -> Person:
        """Remove a person and their face embeddings.

        Raises:
            LibraryError: if nobody has the name, or the library can't be written.
        """
        with self._changing() as people:
            person = people.pop(_plain(name).casefold(), None)
            if person is None:
                raise LibraryError(_not_enrolled(name, [person.name for person in people.values()]))
        return person

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Person]]:
        """Everyone by lower-case name, for editing; written when the block ends, unless it raises."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._file.with_suffix(".lock")):
                people = {person.name.casefold(): person for person in self.people()}
                yield people
                write_atomic(self._file, _PEOPLE.dump_json(tuple(people[name] for name in sorted(people))))
        except OSError as error:
            raise file_error(error, self._file.parent) from error


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:MAX_NAME_LENGTH]


def _not_enrolled(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"Did you mean {close[0]!r}?" if close else "`longtake faces list` shows everyone enrolled."
    return f"Nobody is enrolled as {name!r}. {hint}"
