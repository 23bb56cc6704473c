"""The checkpoints of threads, in the library's SQLite file or in its PostgreSQL server."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from longtake.agent.drafts.draft import Draft, DraftClaim
from longtake.agent.gathering.gathered import Briefing, Found, Gathered
from longtake.agent.graph.state import Progress, Question, Turn
from longtake.agent.query.query import Anchor, Query, Reading, Scope
from longtake.agent.verification.judge import Judged
from longtake.errors import LibraryError, LibraryUnavailable
from longtake.memory.database import advice_on, is_damage
from longtake.memory.library import LibraryStore
from longtake.memory.postgres import Postgres
from longtake.memory.records import Answer, Citation, Claim, Closest, FoundBy, Moment, Option, Usage
from longtake.memory.timespan import TimeSpan

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres import PostgresSaver

_STORED = (
    *(Answer, Citation, Claim, Closest, Moment, FoundBy, Option, TimeSpan, Usage),
    *(Anchor, Query, Reading, Scope, Briefing, Found, Gathered, Draft, DraftClaim, Judged, Progress, Question, Turn),
)
# The last checkpoint of a thread holds all that the next question needs; SqliteSaver.prune is not implemented.
_SUPERSEDED = """
DELETE FROM {table} WHERE thread_id = :thread
AND checkpoint_id < (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = :thread)
"""


def open_threads(library: LibraryStore) -> SqliteSaver | PostgresSaver:
    """The checkpoints of all threads of a library.

    Raises:
        LibraryError: if its file is damaged; `LibraryUnavailable` if it can't be written, or its server is down.
    """
    names = [(kind.__module__, kind.__name__) for kind in _STORED]
    serde = JsonPlusSerializer(allowed_msgpack_modules=[*names, (Moment.__module__, "Evidence")])  # of version 0.1
    place = library.memory
    with usable_threads(library):
        return _in_server(place, library, serde) if isinstance(place, Postgres) else _in_file(place, serde)


@contextmanager
def usable_threads(library: LibraryStore) -> Iterator[None]:
    """Raise the errors of the file or the server that holds the threads as `LibraryError`."""
    place = library.memory
    if isinstance(place, Postgres):
        with place.told("threads"):
            yield
        return
    try:
        yield
    except sqlite3.Error as error:
        raise _unusable(place, error) from error


def _unusable(file: Path, error: Exception) -> LibraryError:
    kind = LibraryError if is_damage(error) else LibraryUnavailable
    return kind(f"{file} can't be used ({error}). {advice_on(error, 'new threads in a new one')}")


def keep_last(threads: SqliteSaver | PostgresSaver, thread: str) -> None:
    """Delete all checkpoints of a thread but the last."""
    if not isinstance(threads, SqliteSaver):
        threads.prune([thread])
        return
    with threads.cursor() as cursor:
        for table in ("writes", "checkpoints"):
            cursor.execute(_SUPERSEDED.format(table=table), {"thread": thread})


def close_threads(threads: SqliteSaver | PostgresSaver) -> None:
    """Close the file; the connections to a server are those of the process, and stay."""
    if isinstance(threads, SqliteSaver):
        threads.conn.close()


def _in_file(file: Path, serde: JsonPlusSerializer) -> SqliteSaver:
    try:
        # Two processes that create the same file at once would lock each other out: SQLite doesn't wait here.
        with FileLock(file.with_suffix(".lock")):
            connection = sqlite3.connect(file, check_same_thread=False, timeout=30)
            threads = SqliteSaver(connection, serde=serde)
            threads.setup()
    except OSError as error:
        raise _unusable(file, error) from error
    return threads


def _in_server(place: Postgres, library: LibraryStore, serde: JsonPlusSerializer) -> PostgresSaver:
    pool = place.pool()
    from langgraph.checkpoint.postgres import PostgresSaver

    threads = PostgresSaver(pool, serde=serde)
    # Not a lock in the server: the indexes are made when no transaction is left, and a process that waits has one.
    with library.lock("threads"):
        threads.setup()
    return threads
