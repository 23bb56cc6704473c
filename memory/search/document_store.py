"""Documents in an SQLite file of the index, looked up by revision and row: the data that a search shows.

The new and the old documents of a video lie side by side until the new ones count. Several processes may read and write
the file, and be killed at any moment.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from longtake.errors import LibraryError, LibraryUnavailable
from longtake.language.text import parse_json
from longtake.memory.database import Connection, check_database, open_database, read_database
from longtake.memory.layers import canonical_json
from longtake.memory.search.search_index import Document
from longtake.memory.timespan import TimeSpan

_WHAT = "documents of the search index"
_TABLE = """
CREATE TABLE IF NOT EXISTS documents (
    revision TEXT, row INTEGER, video TEXT NOT NULL, document BLOB NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (revision, row)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS documents_of_videos ON documents (video);
"""
_SELECT = "SELECT CAST(IFNULL(document, '') AS BLOB), checksum FROM documents"  # damage may change the type of a value


class DocumentsError(Exception):
    """The documents are damaged, or one is missing."""


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except LibraryUnavailable:
        raise
    except LibraryError as error:
        raise DocumentsError(" ".join(str(error.__cause__).split())) from error


class DocumentStore:
    """The documents of every video and revision, in a file that the first change makes.

    Every method raises `DocumentsError` if the file is damaged, and `LibraryUnavailable` if it can't be used now.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def add_all(self, revisions: Sequence[tuple[str, str, Sequence[Document]]]) -> None:
        """Store the documents of videos' revisions, all or none; storing them again changes nothing."""
        rows = (
            (revision, row, video, text, zlib.crc32(text))
            for video, revision, documents in revisions
            for row, text in enumerate(text_of(document).encode() for document in documents)
        )
        with self._writing() as connection:
            for row in rows:
                connection.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)", row)

    def keep_only(self, revisions: Mapping[str, str | None]) -> None:
        """Of each of these videos, remove the documents of every revision but this one."""
        with self._writing() as connection:
            for each in revisions.items():
                connection.execute("DELETE FROM documents WHERE video = ? AND revision IS NOT ?", each)

    def get(self, names: Sequence[tuple[str, int]]) -> list[Document]:
        """The documents with these revisions and rows, in this order."""
        select = f"{_SELECT} WHERE revision = ? AND row = ?"
        with self._reading() as connection:
            found = [connection.execute(select, name).fetchone() for name in names]
        if not all(row and zlib.crc32(row[0]) == row[1] for row in found):
            raise DocumentsError(f"a document is missing or damaged in {self.file}")
        return [document_of(text.decode()) for text, _ in found]

    def check(self, counts: Mapping[str, int]) -> None:
        """Read the file through, and check that it has this many documents of each revision. Nothing is written."""
        with _damage_told():
            check_database(self.file, "documents", _WHAT)
        with self._reading() as connection:
            held = dict(connection.execute("SELECT revision, COUNT(*) FROM documents GROUP BY revision"))
            rows = connection.execute(_SELECT)
            sound = all(zlib.crc32(text) == checksum for text, checksum in rows)
        if not sound or any(held.get(revision, 0) != count for revision, count in counts.items()):
            raise DocumentsError(f"a document is missing or damaged in {self.file}")

    def clear(self) -> None:
        """Delete the file and its logs."""
        for suffix in ("", "-wal", "-shm"):  # in this order: SQLite ignores the logs of a file that is gone
            self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with _damage_told(), open_database(self.file, _TABLE, _WHAT) as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with _damage_told(), read_database(self.file, "documents", _WHAT) as connection:
            if connection is None:
                raise DocumentsError(f"{self.file} has no documents")
            # This reads the first page only, where a wrong byte may show nowhere else until the file is written to.
            if connection.execute("PRAGMA quick_check(sqlite_schema)").fetchone() != ("ok",):
                raise DocumentsError(f"{self.file} begins wrong")
            yield connection


def text_of(document: Document) -> str:
    """A document as text."""
    facts = {name: getattr(document, name) for name in Document.__slots__ if name != "span"}
    return canonical_json(facts | {"span": [document.span.start, document.span.end]})


def document_of(text: str) -> Document:
    """A document from its text.

    Raises:
        DocumentsError: if it isn't one.
    """
    try:
        facts = parse_json(text)
        start, end = facts.pop("span")
        return Document(span=TimeSpan(start=start, end=end), **facts)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise DocumentsError(f"a document has another form: {error}") from error
