"""The library's SQLite file, which conversations, notes and readings share; several processes may use it at once."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from filelock import FileLock

from longtake.errors import LibraryError

_WAIT = 30.0  # seconds for another process to finish writing
_NO_LOG = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)  # the files beside can neither be opened nor made


@contextmanager
def open_database(file: Path, tables: str, what: str) -> Iterator[sqlite3.Connection]:
    """A connection whose changes are kept when the block ends, unless it raises.

    Args:
        file: made when it is not there.
        tables: statements that make the tables where they are not there.
        what: they hold, in the plural, for the error.

    Raises:
        LibraryError: when the file is damaged or cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # Two processes that make the same new file at once would lock each other out: SQLite does not wait here.
        with FileLock(file.with_suffix(".lock")):
            connection = sqlite3.connect(file, timeout=_WAIT)
            connection.executescript(f"PRAGMA journal_mode = WAL; {tables}")
        with closing(connection), connection:
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise _unusable(file, what, error) from error


@contextmanager
def read_database(file: Path, table: str, what: str) -> Iterator[sqlite3.Connection | None]:
    """A connection by which nothing is written; None where the table is not there.

    Raises:
        LibraryError: when the file is damaged or cannot be read.
    """
    if not file.exists():
        yield None
        return
    try:
        with closing(_opened_to_read(file)) as connection:
            there = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
            yield connection if there else None
    except sqlite3.Error as error:
        raise _unusable(file, what, error) from error


def _opened_to_read(file: Path) -> sqlite3.Connection:
    """A connection that changes nothing, though others may write meanwhile.

    While SQLite reads, its log lies beside the file: whoever may write it removes it on closing, a connection opened
    with `mode=ro` would leave it there. Where nobody can make it, in a folder that may not be written to, nobody
    writes the file either, which is what `immutable` promises (sqlite.org/wal.html, Read-Only Databases).
    """
    try:
        return _connected(file, "mode=rw")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _NO_LOG or os.access(file.parent, os.W_OK):
            raise
    return _connected(file, "immutable=1")


def _connected(file: Path, mode: str) -> sqlite3.Connection:
    """A connection by which nothing can be written, and by which something was read."""
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", timeout=_WAIT, uri=True)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def check_database(file: Path, table: str, what: str) -> None:
    """Look through a table, if it is there. Nothing is written.

    Raises:
        LibraryError: when the file or the table is damaged or cannot be read.
    """
    with read_database(file, table, what) as connection:
        if connection:
            [said] = connection.execute(f"PRAGMA quick_check({table})").fetchone()
            if said != "ok":
                raise sqlite3.DatabaseError(said)


def _unusable(file: Path, what: str, error: Exception) -> LibraryError:
    """Why what a file holds cannot be used, as one sentence with what to do."""
    return LibraryError(
        f"The {what} in {file} cannot be used ({error}): see that there is room and that it may be "
        f"written to, or move it away, and new {what} begin in a new one."
    )
