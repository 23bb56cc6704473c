"""The names that users give to who and what a video shows, in a file beside its record."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from longtake.errors import LibraryError, file_error
from longtake.language.text import words_of
from longtake.memory.layers import canonical_json, write_atomic

NOBODY = ""  # the name given to what isn't there
MAX_NAME_LENGTH = 100
_NAMES = TypeAdapter(dict[str, str])


class EntityNames:
    """The user's names of one video, by the words of the names that were found."""

    def __init__(self, folder: Path) -> None:
        """Open those of the video in this folder; nothing is written until a name is given."""
        self._file = folder / "entity_names.json"

    def given(self) -> dict[str, str]:
        """All of them.

        Raises:
            LibraryError: if the file is damaged or can't be read.
        """
        try:
            return _NAMES.validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            raise LibraryError(
                f"Couldn't read {self._file}: restore it, or delete it and name the entities again."
            ) from error

    def give(self, names: Mapping[str, str]) -> dict[str, str]:
        """Add names; those that were named before get the new name too. Returns all of them.

        Raises:
            LibraryError: if a name is too long, or the library can't be written.
        """
        for name in names.values():
            if name and not words_of(name):
                raise LibraryError(f"{name!r} is no name: give one with a letter or a digit.")
            if len(name) > MAX_NAME_LENGTH:
                raise LibraryError(f"{name[:20]!r}… is too long for a name: give at most {MAX_NAME_LENGTH} characters.")
        new = {words_of(name): other for name, other in names.items()}
        given = {found: new.get(words_of(name), name) for found, name in self.given().items()}
        given |= new
        self.keep(given)
        return given

    def keep(self, given: Mapping[str, str]) -> None:
        """Keep exactly these names.

        Raises:
            LibraryError: if the library can't be written.
        """
        try:
            write_atomic(self._file, canonical_json(dict(given)) + "\n")
        except OSError as error:
            raise file_error(error, self._file) from error
