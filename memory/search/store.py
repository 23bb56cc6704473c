"""What the index holds, in one SQLite file: moments, the terms of their texts (FTS5), and their vectors.

A change is one transaction, so a reader sees a video's old moments or its new ones. Several processes may read and
write, and be killed at any time. FTS5 is the inverted index: it says which moment holds a term and how often, while
the scores are ours, because its own have fixed parameters and count closer looks. Terms are stored as 64-bit hashes, so
no text stays where FTS5 has yet to clear up; among a million terms, any two collide with a chance of 3 in 100 million.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from longtake.errors import LibraryError, LibraryUnavailable
from longtake.language.terms import VERSION, document_terms
from longtake.memory.database import Connection, check_database, open_database, read_database
from longtake.memory.records import MODALITIES, Moment
from longtake.memory.search.corpus import FACTS, Corpus, VideoEntry
from longtake.memory.search.search_types import Batch, Vectors

NAME = f"index-2.{VERSION}.sqlite"  # of another version of the tables or terms: another file
_WHAT = "search index"
_TICK = 100_000_000  # nanoseconds
_TABLES = """
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS state (token BLOB NOT NULL, next INTEGER NOT NULL, words INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    first INTEGER PRIMARY KEY, count INTEGER NOT NULL, video TEXT NOT NULL, refined TEXT,
    facts BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS moments (
    id INTEGER PRIMARY KEY, text TEXT NOT NULL, engine TEXT NOT NULL, layer TEXT NOT NULL,
    score REAL NOT NULL, trusted INTEGER NOT NULL, box TEXT, checksum INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS vectors (
    first INTEGER PRIMARY KEY, count INTEGER NOT NULL, space TEXT NOT NULL, video TEXT NOT NULL,
    data BLOB NOT NULL, checksum INTEGER NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(terms, columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS postings USING fts5vocab(words, instance);
"""
_SHOWN = "SELECT text, engine, layer, score, trusted, box, checksum FROM moments"

Ids = npt.NDArray[np.int64]


class StoreError(Exception):
    """The file is damaged, or lacks what it should hold."""


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except LibraryUnavailable:
        raise
    except LibraryError as error:
        raise StoreError(" ".join(str(error.__cause__).split())) from error


class Snapshot:
    """The store as it was when reading began."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def token(self) -> bytes:
        """A value that every change replaces; empty before the first one."""
        row = self._connection.execute("SELECT token FROM state").fetchone()
        return row[0] if row else b""

    def corpus(self) -> Corpus:
        """Where and when every moment is, ordered by video, layers before closer looks."""
        rows = self._connection.execute("SELECT * FROM entries ORDER BY video, refined IS NOT NULL").fetchall()
        vectors = self._connection.execute("SELECT first, count, space, video FROM vectors ORDER BY first").fetchall()
        [words] = self._connection.execute("SELECT words FROM state").fetchone() or [None]
        if any(_checksum(row[:-1]) != row[-1] for row in rows) or words not in (None, _words(self._connection)):
            raise StoreError("times or terms of moments are damaged")
        facts = np.frombuffer(b"".join(row[4] for row in rows), FACTS)
        return Corpus([VideoEntry(*row[:4]) for row in rows], facts, vectors)

    def postings(self, term: str) -> Ids:
        """The moments that hold a term, once for each time."""
        rows = self._connection.execute("SELECT doc FROM postings WHERE term = ?", (_hashed(term),)).fetchall()
        return np.fromiter((row[0] for row in rows), np.int64, len(rows))

    def moments(self, positions: Iterable[int], corpus: Corpus) -> list[Moment]:
        """The moments at these positions, in this order."""
        found: list[Moment] = []
        for position in positions:
            row = self._connection.execute(f"{_SHOWN} WHERE id = ?", (corpus.id(position),)).fetchone()
            found.append(_moment(row, position, corpus))
        return found

    def moments_of(self, video: str, corpus: Corpus) -> list[Moment]:
        """The moments of a video's layers, in their order."""
        entry = corpus.held.get((video, False))
        if entry is None or not entry.count:
            return []
        select = f"{_SHOWN} WHERE id BETWEEN ? AND ? ORDER BY id"
        rows = self._connection.execute(select, (entry.first, entry.first + entry.count - 1)).fetchall()
        if len(rows) != entry.count:
            raise StoreError("a moment is missing or damaged")
        [first] = corpus.positions(np.array([entry.first])).tolist()
        return [_moment(row, position, corpus) for position, row in enumerate(rows, first)]

    def vectors(self, space: str) -> Iterator[Vectors]:
        """The vectors of a space, (rows, dimensions) at a time, by the ids of their moments."""
        for row in self._connection.execute("SELECT * FROM vectors WHERE space = ? ORDER BY first", (space,)):
            yield _rows(row)

    def blocks(self, space: str) -> list[tuple[int, int, str]]:
        """Of each array of `vectors`: its first moment, its rows, and a checksum of it and its moments' times."""
        entry = "(SELECT checksum FROM entries WHERE first <= vectors.first ORDER BY first DESC LIMIT 1)"
        select = f"SELECT first, count, printf('%08x%08x', checksum, {entry}) FROM vectors WHERE space = ?"
        return [(first, count, key) for first, count, key in self._connection.execute(select, (space,))]

    def block(self, first: int) -> Vectors:
        """The array of `vectors` that begins with this moment."""
        return _rows(self._connection.execute("SELECT * FROM vectors WHERE first = ?", (first,)).fetchone())

    def check(self) -> None:
        """Read everything through."""
        corpus = self.corpus()
        self.moments(range(corpus.count), corpus)
        for space in corpus.spaces():
            for _ in self.vectors(space):
                pass


class Store:
    """The file, which the first change makes.

    Every method raises `StoreError` if it is damaged, and `LibraryUnavailable` if it can't be used now.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def state(self) -> tuple[object, ...] | None:
        """Sizes and times of the file and its log, which every change changes; None if there is no file."""
        if (facts := _stat(self.file)) is None:
            return None
        written = _stat(self.file.with_name(f"{self.file.name}-wal"))  # whoever closes the file last removes it
        logged = (written.st_size, written.st_mtime_ns) if written and written.st_size else (0, 0)
        now = time.time_ns()  # soon after a change, another one may leave the times as they are
        settled = now - max(facts.st_mtime_ns, logged[1]) > _TICK
        return facts.st_ino, facts.st_size, facts.st_mtime_ns, logged, None if settled else now

    def change(self, entries: Sequence[tuple[str, str | None, Sequence[Batch]]], gone: Sequence[str] = ()) -> None:
        """Make these the moments of videos' layers or closer looks, and remove videos; all or nothing.

        Args:
            entries: video, key of the closer looks (None if the moments come from its layers), moments.
            gone: videos to remove.
        """
        with _damage_told(), open_database(self.file, _TABLES, _WHAT) as connection:
            [following] = connection.execute("SELECT next FROM state").fetchone() or [1]
            for video in gone:
                _remove(connection, "video = ?", video)
            for video, refined, batches in entries:
                _remove(connection, f"video = ? AND refined IS {'' if refined is None else 'NOT'} NULL", video)
                following = _insert(connection, following, video, refined, batches)
            connection.execute("SELECT 1 FROM postings").fetchone()  # has FTS5 write out what it holds back
            connection.execute("DELETE FROM state")
            connection.execute("INSERT INTO state VALUES (randomblob(16), ?, ?)", (following, _words(connection)))

    @contextmanager
    def reading(self) -> Iterator[Snapshot | None]:
        """The store as it is now; None if nothing was ever written."""
        with _damage_told(), read_database(self.file, "postings", _WHAT) as connection:
            if connection is None:
                yield None
                return
            connection.execute("BEGIN")
            # This reads the first page only, where a wrong byte may show nowhere else until the file is written to.
            if connection.execute("PRAGMA quick_check(sqlite_schema)").fetchone() != ("ok",):
                raise StoreError(f"{self.file} begins wrong")
            yield Snapshot(connection)

    def check(self) -> None:
        """Read the file through. Nothing is written."""
        with _damage_told():
            for table in ("entries", "moments", "vectors", "words_data", "words_content"):
                check_database(self.file, table, _WHAT)
        with self.reading() as snapshot:
            if snapshot:
                snapshot.check()

    def clear(self) -> None:
        """Delete the file and its logs."""
        for suffix in ("", "-wal", "-shm"):  # in this order: SQLite ignores the logs of a file that is gone
            self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except FileNotFoundError:
        return None


def _remove(connection: Connection, which: str, video: str) -> None:
    for first, count in connection.execute(f"SELECT first, count FROM entries WHERE {which}", (video,)).fetchall():
        rows = (first, first + count - 1)
        connection.execute("DELETE FROM moments WHERE id BETWEEN ? AND ?", rows)
        connection.execute("DELETE FROM words WHERE rowid BETWEEN ? AND ?", rows)
        connection.execute("DELETE FROM vectors WHERE first BETWEEN ? AND ?", rows)
        connection.execute("DELETE FROM entries WHERE first = ?", (first,))


def _insert(connection: Connection, first: int, video: str, refined: str | None, batches: Sequence[Batch]) -> int:
    """Add an entry with ids from `first` on; the id that follows."""
    facts: list[tuple[float, float, int, int]] = []
    following = first
    for batch in batches:
        if batch.vectors is not None and batch.moments:
            data = np.ascontiguousarray(batch.vectors, np.float32).tobytes()
            values = (following, len(batch.moments), batch.space, video, data)
            connection.execute("INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?)", (*values, _checksum(values)))
        for each in batch.moments:
            terms = document_terms(each.text)
            box = json.dumps(each.box) if each.box else None
            shown = (each.text, each.engine, each.layer, float(each.score), int(each.trusted), box)
            row = (following, *shown, _checksum(shown))
            connection.execute("INSERT INTO moments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            held = " ".join(map(_hashed, terms))
            connection.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (following, held))
            facts.append((each.span.start, each.span.end, MODALITIES.index(each.modality), len(terms)))
            following += 1
    entry = (first, len(facts), video, refined, np.array(facts, FACTS).tobytes())
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", (*entry, _checksum(entry)))
    return max(following, first + 1)


def _moment(row: tuple[Any, ...] | None, position: int, corpus: Corpus) -> Moment:
    """The moment at a position, of its row of `_SHOWN`."""
    if row is None or _checksum(row[:-1]) != row[-1]:
        raise StoreError("a moment is missing or damaged")
    video, span, modality = corpus.place(position)
    text, engine, layer, score, trusted, box, _ = row
    return Moment(
        video=video,
        span=span,
        modality=modality,
        text=text,
        score=score,
        engine=engine,
        layer=layer,
        box=json.loads(box) if box else None,
        trusted=bool(trusted),
    )


def _rows(row: tuple[Any, ...]) -> Vectors:
    if _checksum(row[:-1]) != row[-1]:
        raise StoreError("vectors are damaged")
    return np.frombuffer(row[-2], np.float32).reshape(row[1], -1)


def _hashed(term: str) -> str:
    return hashlib.blake2b(term.encode(), digest_size=8).hexdigest()


def _words(connection: Connection) -> int:
    """A checksum of the inverted index, which FTS5 itself doesn't have."""
    found = 0
    for row in connection.execute("SELECT block FROM words_data UNION ALL SELECT segid || term || pgno FROM words_idx"):
        found = zlib.crc32(row[0] if isinstance(row[0], bytes) else repr(row[0]).encode(), found)
    return found


def _checksum(values: tuple[Any, ...]) -> int:
    data = values[-1] if isinstance(values[-1], bytes) else b""  # writing it out would take longer
    return zlib.crc32(data, zlib.crc32(repr(values[:-1] if data else values).encode()))
