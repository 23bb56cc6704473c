"""Hybrid search: words (BM25) and meaning (vectors) fused by rank, under exact filters.

Readers never lock: they follow `current.json`, and look again when a writer replaced it under them. One
writer at a time.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from chromadb.errors import ChromaError
from filelock import FileLock

from longtake.errors import LibraryError
from longtake.memory.current import Corpus, Revision, content_hash, read_current, write_current
from longtake.memory.documents import DocumentStore
from longtake.memory.fusion import Positions, fuse, top
from longtake.memory.index import Document, Hit, SearchFilter, Vectors
from longtake.memory.lexical import LexicalIndex
from longtake.memory.vectors import VectorStore

_DEPTH = 100  # candidates of each signal; what lies deeper adds less than 1 / 160 to a fused score
_DAMAGE = (ChromaError, RuntimeError, KeyError)  # RuntimeError is FAISS's, KeyError a document that is not there

Mask = npt.NDArray[np.bool_]


class HybridIndex:
    """The search index of a library: documents in Chroma, vectors in FAISS, BM25 built from the documents."""

    def __init__(self, root: Path, *, space: str = "", floor: float = 0.0, rrf_constant: int = 60) -> None:
        """Open lazily: nothing is read or made before the first call.

        Args:
            root: folder of the index.
            space: id of the text embedding that the vectors come from; empty when there is none: words only.
            floor: cosine under which a document is not found by its vector.
            rrf_constant: of reciprocal-rank fusion (Cormack, Clarke and Buettcher, 2009).
        """
        self.root = root
        self.space = space
        self.floor = floor
        self.rrf_constant = rrf_constant
        self._vectors = VectorStore(root / "vectors", space)
        self._lexical: tuple[str, LexicalIndex] | None = None

    def replace(self, video: str, documents: Sequence[Document], vectors: Vectors) -> None:
        """Make these the documents of a video; `vectors` is (documents, dimensions), rows of length 1."""
        if self.space and len(documents) != len(vectors):
            raise ValueError(f"{len(documents)} documents but {len(vectors)} vectors")
        revision = Revision(key=_revision_key(self.space, documents, vectors), count=len(documents), space=self.space)
        with self._writing():
            if self.space:
                self._vectors.write(video, revision.key, vectors)
            self._documents.add(revision.key, documents)
            self._commit(read_current(self._current) | {video: revision}, video)

    def holds(self, video: str) -> bool:
        """Whether documents of a video are in the index."""
        return video in self._read()

    def delete(self, video: str) -> None:
        """Forget a video."""
        if not self._current.exists():
            return
        with self._writing():
            revisions = read_current(self._current)
            revisions.pop(video, None)
            self._commit(revisions, video)

    def search(self, query: str, vector: Vectors | None, where: SearchFilter, k: int) -> list[Hit]:
        """The k best documents, best first; without a vector only words count.

        A document without a word of the query and under the cosine floor is not found at all.

        Raises:
            LibraryError: when the index is damaged.
        """
        while True:
            revisions = self._read()
            try:
                return self._search(revisions, query, vector, where, k)
            except _DAMAGE as error:
                if self._read() == revisions:  # else a writer removed what was current a moment ago: look again
                    raise self._damaged() from error

    def _search(
        self, revisions: Mapping[str, Revision], query: str, vector: Vectors | None, where: SearchFilter, k: int
    ) -> list[Hit]:
        corpus = Corpus(revisions)
        allowed = self._allowed(corpus, where)
        if not allowed.any():
            return []
        depth = max(k, _DEPTH)
        ranked = {"words": self._by_words(corpus, query, allowed, depth)}
        if vector is not None and self.space:
            ranked["vectors"] = self._by_vector(corpus, vector, allowed, depth)
        best = fuse(ranked, self.rrf_constant)[:k]
        documents = self._documents.get([corpus.name(position) for position, _, _ in best])
        return [Hit(document, score, ranks) for document, (_, score, ranks) in zip(documents, best, strict=True)]

    def _allowed(self, corpus: Corpus, where: SearchFilter) -> Mask:
        """Which positions of the corpus a filter allows."""
        allowed = np.zeros(corpus.count, np.bool_)
        parts = [part for part in corpus.parts if not where.videos or part.video in where.videos]
        if not where.modalities and where.span is None:
            for part in parts:
                allowed[part.first : part.first + part.count] = True
            return allowed
        rows = self._documents.rows([part.key for part in parts], where) if corpus.count else {}
        if Corpus(self._read()).id != corpus.id:  # a writer may have removed some of them before they were read
            raise KeyError("replaced while it was read")
        for part in parts:
            allowed[part.first + np.array(rows.get(part.key, ()), np.int64)] = True
        return allowed

    def _by_words(self, corpus: Corpus, query: str, allowed: Mask, depth: int) -> Positions:
        scores = np.where(allowed, self._words(corpus).scores(query), 0)
        return top(np.flatnonzero(scores > 0), scores, depth)

    def _by_vector(self, corpus: Corpus, vector: Vectors, allowed: Mask, depth: int) -> Positions:
        positions, cosines = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        for part in corpus.parts:
            mine = allowed[part.first : part.first + part.count]
            if part.space == self.space and mine.any():
                rows = None if mine.all() else np.flatnonzero(mine)
                found, near = self._vectors.nearest(part.video, part.key, vector, rows, depth, self.floor)
                positions.append(found + part.first)
                cosines.append(near)
        every = np.concatenate(positions)
        return every[top(np.arange(len(every)), np.concatenate(cosines), depth)]

    def _words(self, corpus: Corpus) -> LexicalIndex:
        """The word index of exactly these revisions."""
        if self._lexical is None or self._lexical[0] != corpus.id:
            built = LexicalIndex.cached(self.root / "lexical" / corpus.id, lambda: self._texts(corpus))
            self._lexical = (corpus.id, built)
        return self._lexical[1]

    def _texts(self, corpus: Corpus) -> list[str]:
        return [text for part in corpus.parts for text in self._documents.texts(part.key, part.count)]

    @cached_property
    def _documents(self) -> DocumentStore:
        return DocumentStore(self.root / "chroma")

    @property
    def _current(self) -> Path:
        return self.root / "current.json"

    def _read(self) -> dict[str, Revision]:
        try:
            return read_current(self._current)
        except ValueError as error:
            raise self._damaged() from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock of the one writer."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with FileLock(self.root / "write.lock"):
                yield
        except OSError as error:
            raise LibraryError(f"The search index {self.root} cannot be written: {error.strerror or error}.") from error
        except _DAMAGE as error:
            raise self._damaged() from error

    def _commit(self, revisions: dict[str, Revision], video: str) -> None:
        """Make revisions current, then remove what no longer counts."""
        write_current(self._current, revisions)
        kept = revisions.get(video)
        self._documents.remove_others(video, kept.key if kept else None)
        self._vectors.keep_only((name, revision.key) for name, revision in revisions.items())
        shutil.rmtree(self.root / "lexical", ignore_errors=True)

    def _damaged(self) -> LibraryError:
        return LibraryError(f"The search index is damaged: delete the folder {self.root} and index the videos again.")


def _revision_key(space: str, documents: Sequence[Document], vectors: Vectors) -> str:
    """Changes when anything that is stored does."""
    facts = [repr(document) for document in documents]
    return content_hash(space, hashlib.blake2b(vectors.tobytes()).hexdigest(), *facts)
