"""Documents and the filters over them, in Chroma.

A document's id in Chroma is `<revision>:<row>`: the new and the old documents of a video lie side by side until the new
ones are declared current.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings

from longtake.memory.index import Document, SearchFilter
from longtake.memory.timespan import TimeSpan

# Chroma insists on an embedding. The vectors live in FAISS, one space per embedding; a second copy here would tie the
# collection to one number of dimensions and double the disk, so Chroma gets a constant.
_DIMENSIONS = 1
_READ_BATCH = 20_000


class DocumentStore:
    """The documents of every video and revision; opened (and on first use made) at `root`."""

    def __init__(self, root: Path) -> None:
        self._client = chromadb.PersistentClient(str(root), settings=Settings(anonymized_telemetry=False))
        self._documents = self._client.get_or_create_collection("documents", embedding_function=None)

    @property
    def batch_size(self) -> int:
        """Most documents Chroma takes at once."""
        return int(self._client.get_max_batch_size())

    def add(self, revision: str, documents: Sequence[Document]) -> None:
        """Store the documents of a revision; storing them again changes nothing."""
        for first in range(0, len(documents), self.batch_size):
            batch = documents[first : first + self.batch_size]
            self._documents.upsert(
                ids=[_key(revision, first + row) for row in range(len(batch))],
                embeddings=np.ones((len(batch), _DIMENSIONS), np.float32),
                documents=[document.text for document in batch],
                metadatas=[_metadata(revision, document) for document in batch],
            )

    def remove_others(self, video: str, revision: str | None) -> None:
        """Remove a video's documents of every revision but this one."""
        where: dict[str, Any] = {"video": video}
        if revision is not None:
            where = {"$and": [where, {"revision": {"$ne": revision}}]}
        self._documents.delete(where=where)

    def get(self, names: Sequence[tuple[str, int]]) -> list[Document]:
        """The documents with these revisions and rows, in this order.

        Raises:
            KeyError: when one is not there.
        """
        if not names:
            return []
        keys = [_key(revision, row) for revision, row in names]
        answer: Any = self._documents.get(ids=keys, include=["documents", "metadatas"])
        found = zip(answer["ids"], answer["documents"], answer["metadatas"], strict=True)
        documents = {key: _document(text, facts) for key, text, facts in found}
        return [documents[key] for key in keys]

    def texts(self, revision: str, count: int) -> list[str]:
        """The texts of a revision of `count` documents, by row.

        Raises:
            KeyError: when one is not there.
        """
        texts: dict[str, str] = {}
        for first in range(0, count, _READ_BATCH):
            answer: Any = self._documents.get(
                where={"revision": revision}, include=["documents"], limit=_READ_BATCH, offset=first
            )
            texts.update(zip(answer["ids"], answer["documents"], strict=True))
        return [texts[_key(revision, row)] for row in range(count)]

    def rows(self, revisions: Sequence[str], where: SearchFilter) -> dict[str, list[int]]:
        """The rows that a filter's modalities and span allow, by revision; Chroma does the filtering."""
        rows: dict[str, list[int]] = {revision: [] for revision in revisions}
        if revisions:
            for key in self._documents.get(where=_condition(revisions, where), include=[])["ids"]:
                revision, _, row = key.partition(":")
                rows[revision].append(int(row))
        return rows


def _key(revision: str, row: int) -> str:
    return f"{revision}:{row}"


def _metadata(revision: str, document: Document) -> dict[str, str | float | bool]:
    return {
        "id": document.id,
        "revision": revision,
        "video": document.video,
        "start": float(document.span.start),
        "end": float(document.span.end),
        "moment": document.span.length == 0,
        "modality": document.modality,
        "engine": document.engine,
        "layer": document.layer,
        "score": float(document.score),
        "trusted": document.trusted,
    }


def _document(text: str, facts: dict[str, Any]) -> Document:
    return Document(
        id=facts["id"],
        video=facts["video"],
        span=TimeSpan(start=facts["start"], end=facts["end"]),
        modality=facts["modality"],
        text=text,
        engine=facts["engine"],
        layer=facts["layer"],
        score=facts["score"],
        trusted=facts["trusted"],
    )


def _condition(revisions: Sequence[str], where: SearchFilter) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"revision": {"$in": list(revisions)}}]
    if where.modalities:
        parts.append({"modality": {"$in": list(where.modalities)}})
    if where.span is not None:
        parts.append(_overlap(where.span))
    return parts[0] if len(parts) == 1 else {"$and": parts}


def _overlap(span: TimeSpan) -> dict[str, Any]:
    """`TimeSpan.overlaps` in Chroma's terms, which cannot compare two fields of a document."""
    start, end = float(span.start), float(span.end)
    touches = [{"start": {"$lte": end}}, {"end": {"$gte": start}}]
    if span.length == 0:
        return {"$and": touches}
    inside = [{"start": {"$lt": end}}, {"end": {"$gt": start}}]
    return {"$or": [{"$and": inside}, {"$and": [{"moment": True}, *touches]}]}
