"""Conversations: the questions of every thread with their full answers, in the library's SQLite file.

A thread's checkpoint holds the context for its next question; this holds what a person rereads.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pydantic import Field

from longtake.errors import LibraryError
from longtake.memory.database import Connection, open_database, read_database
from longtake.memory.postgres import Postgres
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

    def __init__(self, file: Path | Postgres) -> None:
        """Use an SQLite file, which is created with the first conversation, or a server."""
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
            rows = connection.execute(f"{_LIST} ORDER BY changed DESC").fetchall()
            texts = {row[0]: [row[1]] for row in rows}
            for thread, answer in connection.execute("SELECT thread, answer FROM exchanges") if wanted else ():
                told = json.loads(answer)
                texts.setdefault(thread, []).extend([told["question"], told["answer"]])
        folded = {thread: " ".join(parts).casefold() for thread, parts in texts.items()}
        return [_conversation(row) for row in rows if all(word in folded[row[0]] for word in wanted)]

    def get(self, thread: str) -> Conversation | None:
        """One conversation, or None."""
        with read_database(self._file, "conversations", "conversations") as connection:
            row = connection.execute(f"{_LIST} WHERE thread = ?", (thread,)).fetchone() if connection else None
        return _conversation(row) if row else None

    def exchanges(self, thread: str) -> list[Exchange]:
        """The questions and answers of a thread, in order."""
        return self._exchanges("", thread)

    def _exchanges(self, which: str, thread: str, *values: str | int) -> list[Exchange]:
        """The questions and answers of a thread that meet a condition, SQL that goes on after `thread = ?`."""
        with read_database(self._file, "exchanges", "conversations") as connection:
            chosen = f"SELECT number, asked, answer FROM exchanges WHERE thread = ? {which} ORDER BY number"
            rows = connection.execute(chosen, (thread, *values)).fetchall() if connection else []
        return [Exchange(number=row[0], asked=row[1], answer=Answer.model_validate_json(row[2])) for row in rows]

    def exchange(self, thread: str, number: int) -> Exchange:
        """One question and its answer.

        Raises:
            LibraryError: if the thread has no answer with this number.
        """
        found = self._exchanges("AND number = ?", thread, number)
        if not found:
            conversation = self.get(thread)
            held = conversation.questions if conversation else 0
            raise LibraryError(f"The thread {thread!r} has no answer {number}; it has {held}, counted from 0.")
        return found[0]

    def number_of(self, thread: str, trace: str) -> int | None:
        """The number of one of the last answers of a thread, by its trace, or None."""
        last_ten = "AND number > (SELECT max(number) FROM exchanges WHERE thread = ?) - 10"
        latest = self._exchanges(last_ten, thread, thread)
        return next((each.number for each in latest if each.answer.trace == trace), None)

    def forget(self, thread: str) -> None:
        """Delete a conversation."""
        with self._open() as connection:
            for table in ("exchanges", "conversations"):
                connection.execute(f"DELETE FROM {table} WHERE thread = ?", (thread,))

    def _open(self) -> AbstractContextManager[Connection]:
        return open_database(self._file, _TABLES, "conversations")


_LIST = """
SELECT thread, title, videos, (SELECT count(*) FROM exchanges WHERE thread = conversations.thread), changed
FROM conversations
"""


def _begin(connection: Connection, thread: str, videos: Sequence[str]) -> None:
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
