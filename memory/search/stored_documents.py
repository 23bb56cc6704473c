"""The form in which Chroma keeps documents, and how they are read without it.

Chroma takes a third of a second to import, and it writes as it opens its files. So a search reads their SQLite file,
but not in a process that has opened Chroma: it brings an SQLite of its own, and where two of them have a file open in
one process, closing it in one releases the locks of the other (sqlite.org/howtocorrupt.html, section 2.2.1).
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from longtake.errors import LibraryUnavailable
from longtake.language.json_text import parse_json
from longtake.memory.database import advice_on, connect_to_read, unusable_now
from longtake.memory.layers import canonical_json
from longtake.memory.search.search_index import Document
from longtake.memory.timespan import TimeSpan

COLLECTION = "documents"  # unless the address of a server names another
TEXT = "document"  # the field of Chroma's metadata that holds a document
_READING = threading.Lock()
_of_chroma = threading.Event()  # set once this process has opened Chroma
# In this order, each row is found by an index of Chroma's tables.
_BY_KEY = """
SELECT held.embedding_id, facts.string_value
FROM json_each(?) AS wanted CROSS JOIN collections CROSS JOIN segments CROSS JOIN embeddings AS held
CROSS JOIN embedding_metadata AS facts
WHERE collections.name = ? AND segments.collection = collections.id
AND held.segment_id = segments.id AND held.embedding_id = wanted.value AND facts.id = held.id AND facts.key = ?
"""


class DocumentsError(Exception):
    """The documents are damaged, or one is missing."""


def leave_to_chroma() -> None:
    """Read nothing here from now on: this process opens Chroma."""
    with _READING:
        _of_chroma.set()


def read_documents(root: Path, names: Sequence[tuple[str, int]]) -> list[Document] | None:
    """The documents with these revisions and rows, in this order, from Chroma's files; None once Chroma has them open.

    Raises:
        DocumentsError: if the file or a document is missing or damaged.
        LibraryUnavailable: if the file is busy or can't be read now.
    """
    keys, file = [key_of(revision, row) for revision, row in names], root / "chroma.sqlite3"
    try:
        with _READING:
            if _of_chroma.is_set():
                return None
            with closing(connect_to_read(file)) as connection:
                documents = dict(connection.execute(_BY_KEY, (json.dumps(keys), COLLECTION, TEXT)).fetchall())
        return [document_of(documents[key]) for key in keys]
    except sqlite3.OperationalError as error:
        if file.exists() and unusable_now(error.sqlite_errorcode):
            raise LibraryUnavailable(f"Couldn't read {file} ({error}). {advice_on(error, 'anew')}") from error
        raise DocumentsError(f"a document is missing or damaged: {error}") from error
    except (sqlite3.Error, LookupError, TypeError, ValueError) as error:
        raise DocumentsError(f"a document is missing or damaged: {error}") from error


def key_of(revision: str, row: int | str) -> str:
    """The id in Chroma."""
    return f"{revision}:{row}"


def text_of(document: Document) -> str:
    """A document as text."""
    facts = {name: getattr(document, name) for name in Document.__slots__ if name != "span"}
    return canonical_json(facts | {"span": [document.span.start, document.span.end]})


def document_of(text: str) -> Document:
    """A document from its text.

    Raises:
        LookupError, TypeError, ValueError: if it isn't one.
    """
    facts = parse_json(text)
    start, end = facts.pop("span")
    return Document(span=TimeSpan(start=start, end=end), **facts)
