"""Documents, in Chroma: looked up by revision and row, never searched there.

A document's id in Chroma is `<revision>:<row>`: the new and the old documents of a video lie side by side until the new
ones count. Chroma keeps an index of every metadata value and of every three letters of a text; filters and words are
answered by the segments (`memory.segments`), so a document is one JSON value beside its video. That makes writing about
three times as quick.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings

from longtake.language.json_text import parse_json
from longtake.memory.layers import canonical_json
from longtake.memory.search.search_index import Document
from longtake.memory.timespan import TimeSpan

# Chroma insists on an embedding. The vectors live in FAISS, one space per embedding; a second copy here would tie the
# collection to one number of dimensions and double the disk, so Chroma gets a constant.
_DIMENSIONS = 1
_VECTORS_AT = 20  # bytes before the number of vectors in the header of hnswlib's files
_OPENING = threading.Lock()  # Chroma hands what one thread is still opening to the next


class DocumentsError(Exception):
    """The documents are damaged, or one is missing."""


@contextmanager
def _reported() -> Iterator[None]:
    """Turn whatever Chroma raises into `DocumentsError`.

    Damage in its files shows as errors of many kinds, and as panics of its Rust code, which are no `Exception`.
    """
    try:
        yield
    except OSError:
        raise
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise DocumentsError(f"{type(error).__name__}: {error}") from error
        raise


class DocumentStore:
    """The documents of every video and revision; opened (and on first use made) at `root`.

    Every method raises `DocumentsError` if the documents are damaged.
    """

    @_reported()
    def __init__(self, root: Path) -> None:
        self._root = root
        with _OPENING:
            self._client = chromadb.PersistentClient(str(root), settings=Settings(anonymized_telemetry=False))
            self._documents = self._client.get_or_create_collection("documents", embedding_function=None)

    @staticmethod
    def let_go() -> None:
        """Make the next store open its files anew: Chroma keeps what it opened, even of files deleted since."""
        with _OPENING:
            SharedSystemClient.clear_system_cache()

    @property
    def batch_size(self) -> int:
        """Most documents Chroma takes at once."""
        return int(self._client.get_max_batch_size())

    @_reported()
    def add(self, video: str, revision: str, documents: Sequence[Document]) -> None:
        """Store the documents of a revision; storing them again changes nothing."""
        for first in range(0, len(documents), self.batch_size):
            batch = documents[first : first + self.batch_size]
            self._documents.upsert(
                ids=[_key(revision, first + row) for row in range(len(batch))],
                embeddings=np.ones((len(batch), _DIMENSIONS), np.float32),
                metadatas=[{"video": video, "document": _written(document)} for document in batch],
            )
        _blank_empty_indexes(self._root)

    @_reported()
    def remove_others(self, video: str, revision: str | None) -> None:
        """Remove a video's documents of every revision but this one."""
        held: list[str] = self._documents.get(where={"video": video}, include=[])["ids"]
        others = [key for key in held if revision is None or not key.startswith(_key(revision, ""))]
        for first in range(0, len(others), self.batch_size):
            self._documents.delete(ids=others[first : first + self.batch_size])

    @_reported()
    def get(self, names: Sequence[tuple[str, int]]) -> list[Document]:
        """The documents with these revisions and rows, in this order."""
        if not names:
            return []
        keys = [_key(revision, row) for revision, row in names]
        answer: Any = self._documents.get(ids=keys, include=["metadatas"])
        documents = {key: facts["document"] for key, facts in zip(answer["ids"], answer["metadatas"], strict=True)}
        return [_read(documents[key]) for key in keys]


def _blank_empty_indexes(root: Path) -> None:
    """Overwrite what Chroma writes for a vector index without vectors: memory of this process, secrets included."""
    for header in root.glob("*/header.bin"):
        (vectors,) = struct.unpack_from("<Q", header.read_bytes(), _VECTORS_AT)
        if vectors == 0:
            for file in (header.with_name("data_level0.bin"), header.with_name("length.bin")):
                file.write_bytes(bytes(file.stat().st_size))


def _key(revision: str, row: int | str) -> str:
    return f"{revision}:{row}"


def _written(document: Document) -> str:
    facts = {name: getattr(document, name) for name in Document.__slots__ if name != "span"}
    return canonical_json(facts | {"span": [document.span.start, document.span.end]})


def _read(text: str) -> Document:
    facts = parse_json(text)
    start, end = facts.pop("span")
    return Document(span=TimeSpan(start=start, end=end), **facts)
