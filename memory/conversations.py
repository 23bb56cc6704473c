"""Conversations: the questions of every thread with their full answers, in the library's SQLite file.

A thread's checkpoint holds the context for its next question; this holds what a person rereads.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pydantic import Field

from longtake.errors import LibraryError
from longtake.memory.database import open_database, read_database
from longtake.memory.records import Answer, Record

TITLE_LENGTH = 80  # characters
_TABLES = """
CREATE TABLE IF NOT EXISTS conversations (thread TEXT PRIMARY KEY, title TEXT, videos TEXT NOT NULL, changed REAL);
CREATE TABLE IF NOT EXISTS exchanges (
    thread TEXT NOT NULL, number INTEGER NOT NULL, asked REAL NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (thread, number)
);
"""


class Conversation(Record):
    """A thread, as listed."""

    thread: str
    title: str = Field(description="The first question, or what it was renamed to; empty until there is either.")
    videos: tuple[str, ...] = Field(description="Library ids of the last question's videos.")
    questions: int
    changed: float = Field(description="Seconds since the epoch.")


class Exchange(Record):
    """One question of a thread and its answer."""

    number: int = Field(description="From 0.")
    asked: float = Field(description="Seconds since the epoch.")
    answer: Answer


class Conversations:
    """The conversations of one library; safe to use from several threads and processes at once."""

    def __init__(self, file: Path) -> None:
        """Use an SQLite file, which is created with the first conversation."""
        self._file = file

    def begin(self, thread: str, videos: Sequence[str]) -> None:
        """Record a new thread, or change the videos of an existing one.

        Raises:
            LibraryError: if the file is damaged or can't be written. This holds for every method here.
        """
        with self._open() as connection:
            _begin(connection, thread, videos)

    def add(self, thread: str, videos: Sequence[str], answer: Answer, again: int | None = None) -> int:
        """Append an answer to a thread, or put it in place of the one numbered `again` and those after it.

        Returns:
            its number.
        """
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            _begin(connection, thread, videos)
            if again is not None:
                connection.execute("DELETE FROM exchanges WHERE thread = ? AND number >= ?", (thread, again))
            [number] = connection.execute("SELECT count(*) FROM exchanges WHERE thread = ?", (thread,)).fetchone()
            connection.execute(
                "INSERT INTO exchanges VALUES (?, ?, ?, ?)",
                (thread, number, time.time(), answer.model_dump_json()),
            )
            connection.execute(
                "UPDATE conversations SET title = ? WHERE thread = ? AND title = ''",
                (answer.question[:TITLE_LENGTH], thread),
            )
            return int(number)

    def rename(self, thread: str, title: str) -> None:
        """Give a conversation another title, of at most `TITLE_LENGTH` characters."""
        with self._open() as connection:
            connection.execute("UPDATE conversations SET title = ? WHERE thread = ?", (title[:TITLE_LENGTH], thread))

    def all(self, words: str = "") -> list[Conversation]:
        """The conversations whose title, questions and answers together contain every word, latest change first."""
        wanted = words.casefold().split()
        with read_database(self._file, "conversations", "conversations") as connection:
            if connection is None:
                return []
            connection.create_function("folded", 1, str.casefold, deterministic=True)  # SQLite's own knows ASCII only
            contains = "".join(f" AND instr(folded({_TEXT}), ?)" for _ in wanted)
            rows = connection.execute(f"{_LIST} WHERE true{contains} ORDER BY changed DESC", wanted).fetchall()
        return [_conversation(row) for row in rows]

    def get(self, thread: str) -> Conversation | None:
        """One conversation, or None."""
        with read_database(self._file, "conversations", "conversations") as connection:
            row = connection.execute(f"{_LIST} WHERE thread = ?", (thread,)).fetchone() if connection else None
        return _conversation(row) if row else None

    def exchanges(self, thread: str) -> list[Exchange]:
        """The questions and answers of a thread, in order."""
        with read_database(self._file, "exchanges", "conversations") as connection:
            of_thread = "SELECT number, asked, answer FROM exchanges WHERE thread = ? ORDER BY number"
            rows = connection.execute(of_thread, (thread,)).fetchall() if connection else []
        return [Exchange(number=row[0], asked=row[1], answer=Answer.model_validate_json(row[2])) for row in rows]

    def exchange(self, thread: str, number: int) -> Exchange:
        """One question and its answer.

        Raises:
            LibraryError: if the thread has no answer with this number.
        """
        exchanges = self.exchanges(thread)
        if not 0 <= number < len(exchanges):
            raise LibraryError(
                f"The thread {thread!r} has no answer {number}; it has {len(exchanges)}, counted from 0."
            )
        return exchanges[number]

    def forget(self, thread: str) -> None:
        """Delete a conversation."""
        with self._open() as connection:
            for table in ("exchanges", "conversations"):
                connection.execute(f"DELETE FROM {table} WHERE thread = ?", (thread,))

    def _open(self) -> AbstractContextManager[sqlite3.Connection]:
        return open_database(self._file, _TABLES, "conversations")


_LIST = """
SELECT thread, title, videos, (SELECT count(*) FROM exchanges WHERE thread = conversations.thread), changed
FROM conversations
"""
_TEXT = """title || ' ' || coalesce((
    SELECT group_concat(json_extract(answer, '$.question') || ' ' || json_extract(answer, '$.answer'), ' ')
    FROM exchanges WHERE thread = conversations.thread
), '')"""


def _begin(connection: sqlite3.Connection, thread: str, videos: Sequence[str]) -> None:
    connection.execute(
        "INSERT INTO conversations VALUES (:thread, '', :videos, :now) "
        "ON CONFLICT (thread) DO UPDATE SET videos = :videos, changed = :now",
        {"thread": thread, "videos": json.dumps(list(videos)), "now": time.time()},
    )


def _conversation(row: tuple[str, str, str, int, float]) -> Conversation:
    thread, title, videos, questions, changed = row
    return Conversation(
        thread=thread, title=title, videos=tuple(json.loads(videos)), questions=questions, changed=changed
    )
