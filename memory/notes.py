"""Notes: what a run wants to remember, by thread, in the library's SQLite file beside the conversations.

They are found by the words that search uses everywhere in the library. A thread keeps few enough of them to look at
each: an FTS5 table would make a file that an SQLite without FTS5 can no longer write.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from longtake.memory.database import open_database
from longtake.memory.search.terms import document_terms, query_terms

MAX_NOTES = 500  # of one thread
MAX_NOTE_LENGTH = 4_000  # characters
_DIGITS = 19  # of a number that SQLite cannot hold
_TABLES = """
CREATE TABLE IF NOT EXISTS notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, thread TEXT NOT NULL, text TEXT NOT NULL, written REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS notes_by_thread ON notes (thread);
"""


class Note(NamedTuple):
    """One note; ids are never used again."""

    id: int
    text: str


class Notes:
    """The notes of one library; safe to use from several threads and processes at once."""

    def __init__(self, file: Path) -> None:
        """Open the notes in an SQLite file, which is made when the first is added or looked for."""
        self._file = file

    def add(self, thread: str, text: str) -> int | None:
        """Keep a text and return its id; None when the thread is full.

        Raises:
            LibraryError: here and below, when the file is damaged or cannot be written.
        """
        with self._open() as connection:
            # One statement, so that nobody writes between the count and the note.
            added = connection.execute(
                "INSERT INTO notes (thread, text, written) SELECT :thread, :text, :written "
                "WHERE (SELECT count(*) FROM notes WHERE thread = :thread) < :most",
                {"thread": thread, "text": text, "written": time.time(), "most": MAX_NOTES},
            )
            return added.lastrowid if added.rowcount else None

    def search(self, thread: str, words: str, most: int) -> list[Note]:
        """The notes with any of the words, those with most of them first and then the newest; without words, all."""
        with self._open() as connection:
            rows = connection.execute("SELECT id, text FROM notes WHERE thread = ? ORDER BY id DESC", (thread,))
            notes = [Note(*row) for row in rows]
        if words.strip():
            wanted = set(query_terms(words))
            held = {note: len(wanted.intersection(document_terms(note.text))) for note in notes}
            notes = sorted((note for note in notes if held[note]), key=lambda note: held[note], reverse=True)
        return notes[:most]

    def delete(self, thread: str, which: str) -> int:
        """Delete the note with this id, or else those with just this text; return how many there were."""
        with self._open() as connection:
            if which.isdecimal() and len(which) < _DIGITS:
                deleted = connection.execute("DELETE FROM notes WHERE thread = ? AND id = ?", (thread, int(which)))
                if deleted.rowcount:
                    return deleted.rowcount
            return connection.execute("DELETE FROM notes WHERE thread = ? AND text = ?", (thread, which)).rowcount

    def forget(self, thread: str) -> None:
        """Delete all notes of a thread."""
        with self._open() as connection:
            connection.execute("DELETE FROM notes WHERE thread = ?", (thread,))

    def _open(self) -> AbstractContextManager[sqlite3.Connection]:
        return open_database(self._file, _TABLES, "notes")
