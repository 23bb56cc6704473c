"""Documents on a Chroma server: looked up by revision and row, never searched there.

A document's id is `<revision>:<row>`. Chroma keeps an index of every metadata value and of every three letters of a
text; filters and words are answered by the segments (`memory.segments`), so a document is one JSON value beside its
video. That makes writing about three times as quick.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from longtake.errors import LibraryUnavailable, LongtakeError
from longtake.memory.search.document_store import DocumentsError, document_of, text_of
from longtake.memory.search.search_index import Document

_COLLECTIONS = "/tenants/default_tenant/databases/default_database/collections"
_TEXT = "document"  # the field of Chroma's metadata that holds a document
_VIDEOS = 500  # that one query names
_ANSWERS = 5.0  # seconds in which a server must answer at all
_WORKS = 60.0  # seconds that one of its answers may take
_LONG = 200  # characters of an error that are repeated
_ERRNO = re.compile(r"\[Errno -?\d+\] ")


class ChromaDocuments:
    """The documents of every video and revision of a library, in a collection of a Chroma server.

    Every method raises `DocumentsError` if documents are missing, and `LibraryUnavailable` if the server doesn't answer
    or fails: it looks after its own files.
    """

    def __init__(self, server: str) -> None:
        """Open the collection, or create it.

        Args:
            server: `http://host:port/name`, where the path names the collection.
        """
        self.server = server
        self._client = connect(server)
        self._name = urlsplit(server).path.strip("/")
        made = self._answer("POST", _COLLECTIONS, {"name": self._name, "get_or_create": True})
        self._documents = f"{_COLLECTIONS}/{made['id']}"
        self._batch_size = int(self._answer("GET", "/pre-flight-checks")["max_batch_size"])

    def add_all(self, revisions: Sequence[tuple[str, str, Sequence[Document]]]) -> None:
        """Store the documents of videos' revisions; storing them again changes nothing."""
        rows = [
            (f"{revision}:{row}", {"video": video, _TEXT: text_of(document)})
            for video, revision, documents in revisions
            for row, document in enumerate(documents)
        ]
        for first in range(0, len(rows), self._batch_size):
            batch = rows[first : first + self._batch_size]
            # Chroma insists on an embedding. The vectors lie in FAISS, one space per embedding, so it gets a constant.
            content = {
                "ids": [key for key, _ in batch],
                "embeddings": [[1.0]] * len(batch),
                "metadatas": [facts for _, facts in batch],
            }
            self._answer("POST", f"{self._documents}/upsert", content)

    def keep_only(self, revisions: Mapping[str, str | None]) -> None:
        """Of each of these videos, remove the documents of every revision but this one."""
        names = list(revisions)
        for first in range(0, len(names), _VIDEOS):
            some = names[first : first + _VIDEOS]
            kept = {revision for name in some if (revision := revisions[name]) is not None}
            held = self._get({"where": {"video": {"$in": some}}, "include": []})["ids"]
            others = [key for key in held if key.rpartition(":")[0] not in kept]
            for start in range(0, len(others), self._batch_size):
                chosen = {"ids": others[start : start + self._batch_size]}
                self._answer("POST", f"{self._documents}/delete", chosen)

    def get(self, names: Sequence[tuple[str, int]]) -> list[Document]:
        """The documents with these revisions and rows, in this order."""
        keys = [f"{revision}:{row}" for revision, row in names]
        answer = self._get({"ids": keys, "include": ["metadatas"]})
        documents = {key: facts[_TEXT] for key, facts in zip(answer["ids"], answer["metadatas"], strict=True)}
        if missing := set(keys) - documents.keys():
            raise DocumentsError(f"documents are missing on {self.server}, such as {min(missing)}")
        return [document_of(documents[key]) for key in keys]

    def clear(self) -> None:
        """Remove all documents; the store can't be used afterwards."""
        self._answer("DELETE", f"{_COLLECTIONS}/{self._name}")

    def _get(self, which: Mapping[str, Any]) -> Any:
        return self._answer("POST", f"{self._documents}/get", which)

    def _answer(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> Any:
        try:
            answer = self._client.request(method, path, json=content)
            if answer.status_code == httpx.codes.NOT_FOUND:
                raise DocumentsError(_brief(answer.text))
            answer.raise_for_status()
            return answer.json()
        except (httpx.HTTPError, ValueError) as error:
            said = _brief(error.response.text) if isinstance(error, httpx.HTTPStatusError) else _said(error)
            raise LibraryUnavailable(
                f"The Chroma server {self.server} failed ({said}): check its log, or change `search.chroma`."
            ) from error


def connect(server: str) -> httpx.Client:
    """A client of the interface of a Chroma server, `http://host:port/name`, that answered.

    Raises:
        LibraryUnavailable: if no server answers there.
    """
    address = urlsplit(server)
    limits = httpx.Timeout(_WORKS, connect=_ANSWERS)
    client = httpx.Client(base_url=f"{address.scheme}://{address.netloc}/api/v2", timeout=limits)
    try:
        if "nanosecond heartbeat" not in client.get("/heartbeat", timeout=_ANSWERS).raise_for_status().json():
            raise ValueError("something else answers there")
    except LongtakeError as error:  # says itself what to do
        raise LibraryUnavailable(f"Couldn't reach the Chroma server {server} of `search.chroma`: {error}") from error
    except (httpx.HTTPError, OSError, TypeError, ValueError) as error:
        raise LibraryUnavailable(
            f"Couldn't reach the Chroma server {server} of `search.chroma` ({_said(error)}): start it with "
            "`chroma run`, or change the address."
        ) from error
    return client


def _said(error: Exception) -> str:
    return _ERRNO.sub("", _brief(str(error))) or type(error).__name__


def _brief(text: str) -> str:
    """The beginning of a text, which may be a page of a proxy."""
    said = " ".join(text.split())
    return said if len(said) <= _LONG else f"{said[:_LONG]}…"
