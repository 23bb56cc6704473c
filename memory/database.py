"""Access to the SQLite file or server that holds conversations, notes and readings; several processes may use it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from filelock import FileLock

from longtake.errors import LibraryError, LibraryUnavailable
from longtake.memory.postgres import Postgres

_WAIT = 30.0  # seconds for another process to finish writing
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CHANGED = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR_SHORT_READ)  # a table or text has another form, the file was cut
_NO_LOG = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)  # its log files can be neither opened nor created
_NO_ROOM = (sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE)  # for them


class Connection(Protocol):
    """What runs statements: SQLite's own connection, or one to a server."""

    def execute(self, statement: str, values: Any = ..., /) -> Any:
        """Run a statement, and return its cursor."""
        ...


@contextmanager
def open_database(file: Path | Postgres, tables: str, what: str) -> Iterator[Connection]:
    """A connection that commits when the block ends, unless the block raises.

    Args:
        file: created if it's missing; or a server, which has the database.
        tables: statements that create missing tables.
        what: the tables' contents, in the plural, for error messages.

    Raises:
        LibraryError: if the file is damaged; `LibraryUnavailable` if it can't be written.
    """
    if isinstance(file, Postgres):
        with file.session(what) as session:
            session.write(tables)
            yield session
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # Two processes that create the same file at once would lock each other out: SQLite doesn't wait here.
        with ExitStack() as opened:
            with FileLock(file.with_suffix(".lock")):
                connection = opened.enter_context(closing(sqlite3.connect(file, timeout=_WAIT)))
                connection.executescript(f"PRAGMA journal_mode = WAL; {tables}")
            opened.enter_context(connection)
            connection.execute("BEGIN IMMEDIATE")  # so that nobody writes between what is read and what is written
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise _unusable(file, what, error) from error


@contextmanager
def read_database(file: Path | Postgres, table: str, what: str) -> Iterator[Connection | None]:
    """A read-only connection, or None if the table doesn't exist.

    Raises:
        LibraryError: if the file is damaged; `LibraryUnavailable` if it can't be read.
    """
    if isinstance(file, Postgres):
        with file.session(what) as session:
            yield session if session.has(table) else None
        return
    if not file.exists():
        yield None
        return
    try:
        with closing(connect_to_read(file)) as connection:
            exists = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
            yield connection if exists else None
    except sqlite3.Error as error:
        raise _unusable(file, what, error) from error


def connect_to_read(file: Path) -> sqlite3.Connection:
    """A connection that changes nothing, though others may write meanwhile.

    While SQLite reads, it keeps its log next to the file. A connection with write access removes the log on closing;
    with `mode=ro` it would stay. In a folder without write access, the file is read as it lies there, which is what
    `immutable` means (sqlite.org/wal.html, Read-Only Databases): what another user or machine writes meanwhile may be
    missed. So it is on a full disk, if nothing lies in the log.
    """
    try:
        return _connect(file, "mode=rw")
    except sqlite3.OperationalError as error:
        log = file.with_name(f"{file.name}-wal")
        full = error.sqlite_errorcode in _NO_ROOM and not (log.exists() and log.stat().st_size)
        if not full and (error.sqlite_errorcode & 0xFF not in _NO_LOG or os.access(file.parent, os.W_OK)):
            raise
    return _connect(file, "immutable=1")


def _connect(file: Path, mode: str) -> sqlite3.Connection:
    """A connection that can't write and has proved that it can read."""
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", timeout=_WAIT, uri=True)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def check_database(file: Path | Postgres, table: str, what: str) -> None:
    """Check the integrity of a table, if it exists. Nothing is written.

    Raises:
        LibraryError: if the file or the table is damaged; `LibraryUnavailable` if it can't be read.
    """
    with read_database(file, table, what) as connection:
        if connection and not isinstance(file, Postgres):
            [result] = connection.execute(f"PRAGMA quick_check({table})").fetchone()
            if result != "ok":
                raise sqlite3.DatabaseError(result)


def is_damage(error: Exception) -> bool:
    """Whether an error of SQLite says that the file is damaged, and not that it can't be reached now."""
    if isinstance(error, sqlite3.OperationalError):
        return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) in _CHANGED
    return isinstance(error, sqlite3.DatabaseError)


def advice_on(error: Exception, what: str) -> str:
    """What to do about an error of SQLite: only a damaged file is worth losing what it holds.

    Args:
        error: of SQLite, or of the disk.
        what: a new file would start.
    """
    if is_damage(error):
        return f"The file is damaged: move it away to start {what}."
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
        return "Another process is still writing: try again in a moment."
    return "Check free disk space and write permission."


def _unusable(file: Path, what: str, error: Exception) -> LibraryError:
    kind = LibraryError if is_damage(error) else LibraryUnavailable
    return kind(f"Couldn't use the {what} in {file} ({error}). {advice_on(error, 'a new one')}")
