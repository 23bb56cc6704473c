"""Nearest vectors, by a Chroma server: it compares the vectors of a space, and filters by video, modality and time.

SQLite stays the record. A collection is a copy of the vectors of one space, and its metadata names the state of the
store that it copies. Another state, or another number of vectors, is brought up to date before the search. An id says
which vector it is and what it and its facts are, so that nothing is written twice, and a copy that stopped halfway goes
on from there.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from longtake.errors import LibraryUnavailable, LongtakeError
from longtake.memory.records import MOMENTS
from longtake.memory.search.corpus import Corpus
from longtake.memory.search.fusion import Ranking, top
from longtake.memory.search.search_types import SearchFilter, Vectors
from longtake.memory.search.store import Snapshot
from longtake.memory.search.vectors import Mask, VectorSpace
from longtake.memory.timespan import TimeSpan

_COLLECTIONS = "/tenants/default_tenant/databases/default_database/collections"
_HNSW = {"space": "ip", "ef_construction": 200, "ef_search": 400}  # rows of length 1: the inner product is the cosine
_ANSWERS = 5.0  # seconds in which a server must answer at all
_WORKS = 60.0  # seconds that one of its answers may take
_LONG = 200  # characters of an error that are repeated
_ERRNO = re.compile(r"\[Errno -?\d+\] ")


class Chroma:
    """The collections of a library on a Chroma server."""

    def __init__(self, server: str) -> None:
        """Connect to `http://host:port/name`, where the path names the library.

        Raises:
            LibraryUnavailable: if no server answers there.
        """
        address = urlsplit(server)
        self.name = address.path.strip("/")
        self._server = server
        limits = httpx.Timeout(_WORKS, connect=_ANSWERS)
        self._client = httpx.Client(base_url=f"{address.scheme}://{address.netloc}/api/v2", timeout=limits)
        try:
            if "nanosecond heartbeat" not in self._client.get("/heartbeat", timeout=_ANSWERS).raise_for_status().json():
                raise ValueError("something else answers there")
        except LongtakeError as error:  # says itself what to do
            raise LibraryUnavailable(f"Couldn't reach the Chroma server {server}: {error}") from error
        except (httpx.HTTPError, OSError, TypeError, ValueError) as error:
            raise LibraryUnavailable(
                f"Couldn't reach the Chroma server {server} of `search.chroma` ({_said(error)}): start it with "
                "`chroma run`, or change the address."
            ) from error

    def answer(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> Any:
        """What the server answers.

        Raises:
            LibraryUnavailable: if it doesn't, or fails.
        """
        try:
            return self._client.request(method, path, json=content).raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            said = _brief(error.response.text) if isinstance(error, httpx.HTTPStatusError) else _said(error)
            raise LibraryUnavailable(
                f"The Chroma server {self._server} failed ({said}): check its log, or change `search.chroma`."
            ) from error


class ChromaSpace:
    """All vectors of one space in one state of the store, for searches with one filter."""

    def __init__(
        self,
        chroma: Chroma,
        snapshot: Snapshot,
        corpus: Corpus,
        space: str,
        where: SearchFilter,
        turn: AbstractContextManager[Any],
        exact: Callable[[], VectorSpace | None],
    ) -> None:
        """Bring the collection up to date where it isn't; `turn` is held meanwhile.

        `exact` has the same vectors, for when the server finds fewer than there are.

        Raises:
            LibraryUnavailable: if the server doesn't answer.
            StoreError: if vectors in the store are damaged.
        """
        self._chroma, self._where, self._corpus, self._exact = chroma, where, corpus, exact
        self._ids = corpus.embedded(space)
        self._positions = corpus.positions(self._ids)
        token = snapshot.token.hex()
        if self._collection(space) != (token, len(self._ids)):
            with turn:
                if self._collection(space) != (token, len(self._ids)):  # no other process has done it
                    self._copy(snapshot, space)
                    chroma.answer("PUT", self._path, {"new_metadata": {"token": token}})

    def nearest(self, vector: Vectors, allowed: Mask, k: int, floor: float) -> Ranking:
        """Up to k positions, best first, with their cosines, as `VectorSpace.nearest`, but found approximately.

        Malkov and Yashunin 2018 (HNSW): a few of the nearest may be missing. Behind hundreds of equal vectors, others
        may be out of its reach.
        """
        mine = allowed[self._positions]
        depth = min(k, int(np.count_nonzero(mine)))
        if not depth:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        query = {"query_embeddings": [vector.tolist()], "n_results": depth, "include": ["distances"]}
        if not mine.all():  # a filter makes the server slower, also one that all vectors pass
            query["where"] = _condition(self._where)
        answer = self._chroma.answer("POST", f"{self._path}/query", query)
        ids = np.array([int(key.partition("-")[0]) for key in answer["ids"][0]], np.int64)
        cosines = 1 - np.array(answer["distances"][0], np.float32)
        rows = np.searchsorted(self._ids, ids).clip(max=len(self._ids) - 1)
        sound = (self._ids[rows] == ids) & mine[rows]
        if np.count_nonzero(sound) < depth and (exact := self._exact()):
            return exact.nearest(vector, allowed, k, floor)
        kept = sound & (cosines >= floor)
        positions, cosines = self._positions[rows[kept]], cosines[kept]
        order = np.argsort(positions)
        return top(positions[order], cosines[order], k)

    def _collection(self, space: str) -> tuple[str | None, int]:
        """Which state of the store the collection copies, and its number of vectors; it is made if there is none."""
        name = f"{self._chroma.name}-{blake2b(space.encode(), digest_size=5).hexdigest()}"
        wanted = {"name": name, "get_or_create": True, "configuration": {"hnsw": _HNSW}}
        made = self._chroma.answer("POST", _COLLECTIONS, wanted)
        self._path = f"{_COLLECTIONS}/{made['id']}"
        return (made["metadata"] or {}).get("token"), self._chroma.answer("GET", f"{self._path}/count")

    def _copy(self, snapshot: Snapshot, space: str) -> None:
        """Add the vectors that the collection lacks, and remove those that are gone."""
        held = set(self._chroma.answer("POST", f"{self._path}/get", {"include": []})["ids"])
        size = self._chroma.answer("GET", "/pre-flight-checks")["max_batch_size"]
        for first, count, key in snapshot.blocks(space):
            ids = [f"{first + row}-{key}" for row in range(count)]
            missing = [row for row in range(count) if ids[row] not in held]
            held.difference_update(ids)
            vectors = snapshot.block(first) if missing else np.zeros(0, np.float32)
            for begin in range(0, len(missing), size):
                rows = missing[begin : begin + size]
                content = {
                    "ids": [ids[row] for row in rows],
                    "embeddings": [b64encode(vectors[row].tobytes()).decode() for row in rows],
                    "metadatas": [self._facts(first + row) for row in rows],
                }
                self._chroma.answer("POST", f"{self._path}/upsert", content)
        gone = list(held)
        for begin in range(0, len(gone), size):
            self._chroma.answer("POST", f"{self._path}/delete", {"ids": gone[begin : begin + size]})

    def _facts(self, number: int) -> dict[str, str | float]:
        [position] = self._corpus.positions(np.array([number]))
        video, span, modality = self._corpus.place(int(position))
        return {"video": video, "modality": modality, "start": span.start, "end": span.end}


def _condition(where: SearchFilter) -> dict[str, Any]:
    """A filter in Chroma's words."""
    all_of: list[dict[str, Any]] = [{"modality": {"$in": list(where.modalities or MOMENTS)}}]
    if where.videos:
        all_of.append({"video": {"$in": list(where.videos)}})
    if where.span is not None:
        all_of.append(_overlapping(where.span))
    return {"$and": all_of} if len(all_of) > 1 else all_of[0]


def _overlapping(span: TimeSpan) -> dict[str, Any]:
    """`TimeSpan.overlaps` in Chroma's words."""
    if span.length == 0:
        return {"$and": [{"start": {"$lte": span.end}}, {"end": {"$gte": span.start}}]}
    inside = {"$and": [{"start": {"$lt": span.end}}, {"end": {"$gt": span.start}}]}
    moments = [{"$and": [{"start": {"$eq": edge}}, {"end": {"$eq": edge}}]} for edge in (span.start, span.end)]
    return {"$or": [inside, *moments]}


def _said(error: Exception) -> str:
    return _ERRNO.sub("", _brief(str(error))) or type(error).__name__


def _brief(text: str) -> str:
    """The beginning of a text, which may be a page of a proxy."""
    said = " ".join(text.split())
    return said if len(said) <= _LONG else f"{said[:_LONG]}…"
