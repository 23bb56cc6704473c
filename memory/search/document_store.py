"""Documents, in Chroma, in this process or on a server: looked up by revision and row, never searched there.

A document's id in Chroma is `<revision>:<row>`: the new and the old documents of a video lie side by side until the new
ones count. Chroma keeps an index of every metadata value and of every three letters of a text; filters and words are
answered by the segments (`memory.segments`), so a document is one JSON value beside its video. That makes writing about
three times as quick.
"""

from __future__ import annotations

import re
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit

import chromadb
import httpx
import numpy as np
from chromadb.api import ClientAPI
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import NotFoundError

from longtake.errors import LibraryError, LibraryUnavailable, LongtakeError
from longtake.memory.database import advice_for, unusable_now
from longtake.memory.search.search_index import Document
from longtake.memory.search.stored_documents import (
    COLLECTION,
    TEXT,
    DocumentsError,
    document_of,
    key_of,
    leave_to_chroma,
    text_of,
)

P = ParamSpec("P")
T = TypeVar("T")

# Chroma insists on an embedding. The vectors live in FAISS, one space per embedding; a second copy here would tie the
# collection to one number of dimensions and double the disk, so Chroma gets a constant.
_DIMENSIONS = 1
_VECTORS_AT = 20  # bytes before the number of vectors in the header of hnswlib's files
_VIDEOS = 500  # that one query names
_ANSWERS = 5.0  # seconds in which a server must answer at all
_WORKS = 60.0  # seconds that one of its answers may take
_LONG = 200  # characters of an error that are repeated
_OPENING = threading.Lock()  # Chroma hands what one thread is still opening to the next


# How Rust says that a thread or its memory can't be had: EAGAIN and ENOMEM.
_NO_MEMORY = ("(os error 11)", "(os error 12)")
_CODE = re.compile(r"\(code: (\d+)\)")  # of SQLite, in Chroma's errors
_ERRNO = re.compile(r"\[Errno -?\d+\] ")


def _reported(method: Callable[Concatenate[DocumentStore, P], T]) -> Callable[Concatenate[DocumentStore, P], T]:
    """Have a method tell damage from documents that can't be used now.

    Damage in Chroma's files shows as errors of many kinds, and as panics of its Rust code, which are no `Exception`. A
    server looks after its own files: of its errors, only "not found" says something about the documents.
    """

    @wraps(method)
    def reported(store: DocumentStore, /, *arguments: P.args, **named: P.kwargs) -> T:
        try:
            return method(store, *arguments, **named)
        except (OSError, LibraryError, DocumentsError):
            raise
        except NotFoundError as error:
            raise DocumentsError(str(error)) from error
        except BaseException as error:
            if any(number in str(error) for number in _NO_MEMORY):
                raise MemoryError from error
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            if store.server:
                failed = f"The Chroma server {store.server} failed ({_said(error)})"
                raise LibraryUnavailable(f"{failed}: check its log, or change `search.chroma`.") from error
            code = int(found[1]) if (found := _CODE.search(str(error))) else 0
            if unusable_now(code):
                raise LibraryUnavailable(f"Couldn't use {store.root} ({_said(error)}). {advice_for(code)}") from error
            raise DocumentsError(f"{type(error).__name__}: {error}") from error

    return reported


def _said(error: BaseException) -> str:
    """The beginning of what an error says in words, which may be a page of a proxy."""
    said = _ERRNO.sub("", " ".join(str(error).split())) or type(error).__name__
    return said if len(said) <= _LONG else f"{said[:_LONG]}…"


class DocumentStore:
    """The documents of every video and revision; opened (and on first use made) at `root`, or on a server.

    Every method raises `DocumentsError` if the documents are damaged, and `LibraryError` if the server doesn't answer.
    """

    @_reported
    def __init__(self, root: Path, server: str | None = None) -> None:
        """Open the documents.

        Args:
            root: folder of the files, if they have no server.
            server: address of a Chroma server; its path names the collection.
        """
        self.root = root
        self.server = server
        self._name = (urlsplit(server).path.strip("/") if server else "") or COLLECTION
        with _OPENING:
            if server:
                self._client = connect(server)
            else:
                leave_to_chroma()
                self._client = chromadb.PersistentClient(str(root), settings=_settings())
            self._documents = self._client.get_or_create_collection(self._name, embedding_function=None)

    @staticmethod
    def let_go() -> None:
        """Make the next store open its files anew: Chroma keeps what it opened, even of files deleted since."""
        with _OPENING:
            SharedSystemClient.clear_system_cache()

    @property
    def batch_size(self) -> int:
        """Most documents Chroma takes at once."""
        return int(self._client.get_max_batch_size())

    def add(self, video: str, revision: str, documents: Sequence[Document]) -> None:
        """Store the documents of a revision; storing them again changes nothing."""
        self.add_all([(video, revision, documents)])

    @_reported
    def add_all(self, revisions: Sequence[tuple[str, str, Sequence[Document]]]) -> None:
        """Store the documents of many videos' revisions: quicker than one by one, because Chroma takes more at once."""
        rows = [
            (key_of(revision, row), {"video": video, TEXT: text_of(document)})
            for video, revision, documents in revisions
            for row, document in enumerate(documents)
        ]
        for first in range(0, len(rows), self.batch_size):
            batch = rows[first : first + self.batch_size]
            self._documents.upsert(
                ids=[key for key, _ in batch],
                embeddings=np.ones((len(batch), _DIMENSIONS), np.float32),
                metadatas=[facts for _, facts in batch],
            )
        _blank_empty_indexes(self.root)

    def remove_others(self, video: str, revision: str | None) -> None:
        """Remove a video's documents of every revision but this one."""
        self.keep_only({video: revision})

    @_reported
    def keep_only(self, revisions: Mapping[str, str | None]) -> None:
        """Of each of these videos, remove the documents of every revision but this one."""
        names = list(revisions)
        for first in range(0, len(names), _VIDEOS):
            some = names[first : first + _VIDEOS]
            kept = {revision for name in some if (revision := revisions[name]) is not None}
            of_these: Any = {"video": {"$in": some}}
            held: list[str] = self._documents.get(where=of_these, include=[])["ids"]
            others = [key for key in held if key.rpartition(":")[0] not in kept]
            for start in range(0, len(others), self.batch_size):
                self._documents.delete(ids=others[start : start + self.batch_size])

    @_reported
    def clear(self) -> None:
        """Remove all documents of a server; the store can't be used afterwards."""
        self._client.delete_collection(self._name)

    @_reported
    def get(self, names: Sequence[tuple[str, int]]) -> list[Document]:
        """The documents with these revisions and rows, in this order."""
        if not names:
            return []
        keys = [key_of(revision, row) for revision, row in names]
        answer: Any = self._documents.get(ids=keys, include=["metadatas"])
        try:
            documents = {key: facts[TEXT] for key, facts in zip(answer["ids"], answer["metadatas"], strict=True)}
            return [document_of(documents[key]) for key in keys]
        except (LookupError, TypeError, ValueError) as error:
            raise DocumentsError(f"a document is missing or damaged: {error}") from error


def _settings() -> Settings:
    return Settings(anonymized_telemetry=False)  # anew each time, because Chroma writes an address into it


def connect(server: str) -> ClientAPI:
    """A client of a Chroma server, `http://host:port/name`, that answered.

    Raises:
        LibraryUnavailable: if no server answers there.
    """
    address = urlsplit(server)
    host = f"[{address.hostname}]" if ":" in (address.hostname or "") else str(address.hostname)
    secure = address.scheme == "https"
    try:
        port = address.port or (443 if secure else 80)
        # Chroma's client waits without end for a server that accepts a connection and says nothing.
        httpx.get(f"{address.scheme}://{host}:{port}/api/v2/heartbeat", timeout=_ANSWERS).raise_for_status()
        client = chromadb.HttpClient(host, port, ssl=secure, settings=_settings())
        server_of: Any = client
        session: httpx.Client = server_of._server._session  # nothing public sets a limit
        session.timeout = httpx.Timeout(_WORKS, connect=_ANSWERS)
        return client
    except LongtakeError as error:  # says itself what to do
        raise LibraryUnavailable(f"Couldn't reach the Chroma server {server} of `search.chroma`: {error}") from error
    except Exception as error:  # Chroma raises errors of many kinds
        raise LibraryUnavailable(
            f"Couldn't reach the Chroma server {server} of `search.chroma` ({_said(error)}): start it with "
            "`chroma run`, or change the address."
        ) from error


def _blank_empty_indexes(root: Path) -> None:
    """Overwrite what Chroma writes for a vector index without vectors: memory of this process, secrets included."""
    for header in root.glob("*/header.bin"):
        (vectors,) = struct.unpack_from("<Q", header.read_bytes(), _VECTORS_AT)
        if vectors == 0:
            for file in (header.with_name("data_level0.bin"), header.with_name("length.bin")):
                file.write_bytes(bytes(file.stat().st_size))
