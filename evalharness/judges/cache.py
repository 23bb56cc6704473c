"""Caches the replies of model judges on disk for all runs, by prompt, model and parameters.

A file contains the request and the reply, so that each verdict can be inspected.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from longtake.errors import LibraryError
from longtake.evalharness.runs.journal import write_file
from longtake.memory.records import Record


class Sent(Record):
    """Everything that determines a judge's reply."""

    model: str
    system: str = ""  # the message before the prompt
    prompt: str
    parameters: Mapping[str, Any]
    run: int = 0  # repeats the same request, to see whether the judge agrees with itself

    @property
    def hash(self) -> str:
        """Forty hex digits."""
        kept = self.model_dump_json(exclude=set() if self.system else {"system"})  # others keep their old hashes
        return hashlib.blake2b(kept.encode(), digest_size=20).hexdigest()


class Received(Record):
    """A judge's reply and its request."""

    sent: Sent
    reply: str


class Cache:
    """A folder of replies. Threads and processes may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, sent: Sent) -> str | None:
        """The stored reply to a request; None if there is none or its file is damaged.

        Raises:
            LibraryError: if the folder cannot be read.
        """
        try:
            return Received.model_validate_json(self._file(sent).read_bytes()).reply
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise LibraryError(f"{self._file(sent)} cannot be read: {error.strerror}.") from error

    def put(self, sent: Sent, reply: str) -> None:
        """Keep a reply.

        Raises:
            LibraryError: if the folder cannot be written to.
        """
        write_file(self._file(sent), Received(sent=sent, reply=reply).model_dump_json())

    def _file(self, sent: Sent) -> Path:
        return self._folder / sent.hash[:2] / f"{sent.hash}.json"
