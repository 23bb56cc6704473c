"""The gallery: people whose faces somebody enrolled, so that they can be named in videos.

Kept are names, roles and embeddings with the engine that made them, in one file of the library that only its owner may
read; photos are not kept. Nothing here is exported or sent anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from longtake.errors import LibraryError
from longtake.memory.layers import write_atomic
from longtake.memory.records import Record

UNKNOWN = "unknown"  # what a face is called that nobody enrolled
MAX_NAME_LENGTH = 100


class EnrolledFace(Record):
    """One photo's face, as the engine with this id saw it."""

    engine: str
    embedding: tuple[float, ...]


class Person(Record):
    """Somebody who was enrolled, perhaps from several photos."""

    name: str
    role: str = ""
    faces: tuple[EnrolledFace, ...]


_PEOPLE = TypeAdapter(tuple[Person, ...])


class Gallery:
    """The enrolled people of one library; safe to change from several processes at once."""

    def __init__(self, root: Path) -> None:
        """Open the gallery of the library in this folder; nothing is written before somebody is enrolled."""
        self._file = root / "faces.json"

    def people(self) -> tuple[Person, ...]:
        """Everybody, by name.

        Raises:
            LibraryError: when the file is damaged or may not be read.
        """
        try:
            return _PEOPLE.validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return ()
        except (OSError, ValidationError) as error:
            problem = f"{self._file} cannot be read: restore it, or delete it and enrol the faces again."
            raise LibraryError(problem) from error

    def enrol(self, name: str, faces: Sequence[EnrolledFace], role: str = "") -> Person:
        """Add faces to a person, who is made when nobody has the name yet; case does not tell names apart.

        Raises:
            LibraryError: when the name says nothing, or the library cannot be written.
        """
        name, role = _plain(name), _plain(role)
        if not name or name.casefold().split()[0] == UNKNOWN:
            raise LibraryError(f"{name!r} cannot be a name: give one; {UNKNOWN!r} is what nobody's face is called.")
        with self._changing() as people:
            held = people.get(name.casefold(), Person(name=name, faces=()))
            joined = tuple(dict.fromkeys((*held.faces, *faces)))
            person = held.model_copy(update={"role": role or held.role, "faces": joined})
            people[name.casefold()] = person
        return person

    def forget(self, name: str) -> Person:
        """Remove a person with all that is known of the face.

        Raises:
            LibraryError: when nobody has the name, or the library cannot be written.
        """
        with self._changing() as people:
            person = people.pop(_plain(name).casefold(), None)
            if person is None:
                raise LibraryError(_nobody(name, [person.name for person in people.values()]))
        return person

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Person]]:
        """Everybody by name in lower case, to be changed; written when the block ends, unless it raises."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._file.with_suffix(".lock")):
                people = {person.name.casefold(): person for person in self.people()}
                yield people
                write_atomic(self._file, _PEOPLE.dump_json(tuple(people[name] for name in sorted(people))))
        except OSError as error:
            raise LibraryError(f"{self._file} cannot be written: {error.strerror or error}.") from error


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:MAX_NAME_LENGTH]


def _nobody(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"Did you mean {close[0]!r}?" if close else "`longtake faces list` shows who is."
    return f"Nobody is enrolled as {name!r}. {hint}"
