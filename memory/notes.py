"""Notes: what a run wants to remember, by thread, in the library's SQLite file alongside the conversations.

They match queries by the same terms as all search in the library. A thread has few enough notes to scan them all; an
FTS5 table would make the file unwritable for an SQLite without FTS5.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from longtake.language.terms import document_terms, query_terms
from longtake.memory.database import Connection, open_database
from longtake.memory.postgres import Postgres

MAX_NOTES = 500  # per thread
MAX_NOTE_LENGTH = 4_000  # characters
_DIGITS = 19  # of a number too large for SQLite
_TABLES = """
CREATE TABLE IF NOT EXISTS notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, thread TEXT NOT NULL, text TEXT NOT NULL, written REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS notes_by_thread ON notes (thread);
"""


class Note(NamedTuple):
    """One note; ids are never reused."""

    id: int
    text: str


class Notes:
    """The notes of one library; safe to use from several threads and processes at once."""

    def __init__(self, file: Path | Postgres) -> None:
        """Open the notes in an SQLite file, which is created on first use, or in a server."""
        self._file = file

    def add(self, thread: str, text: str) -> int | None:
        """Save a text and return its id, or None if the thread is full.

        Raises:
            LibraryError: if the file is damaged or can't be written. This holds for every method here.
        """
        with self._open() as connection:
            added = connection.execute(
                "INSERT INTO notes (thread, text, written) SELECT :thread, :text, :written "
                "WHERE (SELECT count(*) FROM notes WHERE thread = :thread) < :limit RETURNING id",
                {"thread": thread, "text": text, "written": time.time(), "limit": MAX_NOTES},
            ).fetchone()
            return added[0] if added else None

    def search(self, thread: str, words: str, limit: int) -> list[Note]:
        """Up to `limit` notes with any of the words, best matches first, then newest; without words, all."""
        with self._open() as connection:
            rows = connection.execute("SELECT id, text FROM notes WHERE thread = ? ORDER BY id DESC", (thread,))
            notes = [Note(*row) for row in rows]
        if words.strip():
            terms = set(query_terms(words))
            matched = {note: len(terms.intersection(document_terms(note.text))) for note in notes}
            notes = sorted((note for note in notes if matched[note]), key=lambda note: matched[note], reverse=True)
        return notes[:limit]

    def delete(self, thread: str, which: str) -> int:
        """Delete the note with this id, or else the notes with exactly this text; return the number deleted."""
        with self._open() as connection:
            if which.isdecimal() and len(which) < _DIGITS:
                deleted = connection.execute("DELETE FROM notes WHERE thread = ? AND id = ?", (thread, int(which)))
                if deleted.rowcount:
                    return int(deleted.rowcount)
            gone = connection.execute("DELETE FROM notes WHERE thread = ? AND text = ?", (thread, which))
            return int(gone.rowcount)

    def forget(self, thread: str) -> None:
        """Delete all notes of a thread."""
        if self._file.exists():
            with self._open() as connection:
                connection.execute("DELETE FROM notes WHERE thread = ?", (thread,))

    def _open(self) -> AbstractContextManager[Connection]:
        return open_database(self._file, _TABLES, "notes")
