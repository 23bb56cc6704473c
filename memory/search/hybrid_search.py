"""Hybrid search: words (BM25) and meaning (vectors) fused by rank, with exact filters, one result per event.

A document with no word of the query and below the floor of every vector is weak: it comes last and is marked.

Readers never lock: they follow `revisions.json`, and retry if a writer replaced it meanwhile. There is one writer at a
time. A damaged index is emptied and filled again from the layers; damage to `revisions.json` empties it too. Without
the file of the documents, nothing counts as indexed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock

from longtake.errors import LibraryError, LibraryUnavailable, file_error
from longtake.lazy import cached_property
from longtake.memory.layers import content_key
from longtake.memory.search.corpus import Corpus, Mask
from longtake.memory.search.current_revisions import Revision, entry, read_current, video_of, write_current
from longtake.memory.search.document_store import DocumentsError, DocumentStore
from longtake.memory.search.event_merging import Event, find_events
from longtake.memory.search.fusion import WORDS, Candidate, Ranking, fuse, top
from longtake.memory.search.merged_segments import merge
from longtake.memory.search.search_index import Batch, Hit, Match, SearchFilter, Vectors
from longtake.memory.search.segments import Segment, SegmentError, SegmentStore
from longtake.memory.search.terms import VERSION, query_terms
from longtake.memory.search.vectors import VectorsError

if TYPE_CHECKING:
    from longtake.memory.search.chroma_server import ChromaDocuments

_DEPTH = 100  # candidates per signal; deeper ones add less than 1 / 160 to a fused score
_DEEPER = 4  # times as many, if they made too few events
_DAMAGE = (DocumentsError, SegmentError, VectorsError)

log = logging.getLogger(__name__)


class HybridIndex:
    """The search index of a library: documents in SQLite or Chroma, their times, words and vectors in segments."""

    def __init__(
        self,
        root: Path,
        *,
        floors: Mapping[str, float] | None = None,
        rrf_constant: int = 60,
        refill: Callable[[], None] | None = None,
        chroma: str | None = None,
    ) -> None:
        """Open lazily: nothing is read or created before the first call.

        Args:
            root: folder of the index.
            floors: by id of an embedding, the cosine below which a match is weak; 0 for others.
            rrf_constant: constant of reciprocal-rank fusion (Cormack, Clarke and Buettcher, 2009).
            refill: adds every video again, after damage emptied the index; without it, damage is an error.
            chroma: address of the Chroma server that keeps the documents; None if a file of the index does.
        """
        self.root = root
        self.floors = floors or {}
        self.rrf_constant = rrf_constant
        self.chroma = chroma
        self._refill = refill
        self._segments = SegmentStore(root / "segments")
        self._file = root / "documents.sqlite"
        self._earlier = root / "chroma"  # where earlier versions had Chroma keep the documents
        self._corpus = Corpus({}, self._open)
        self._known: tuple[tuple[int, ...], dict[str, Revision]] | None = None

    def replace(self, video: str, batches: Sequence[Batch], *, refined: str | None = None) -> None:
        """Make these the documents of a video's layers, or of closer looks with this key; the others stay."""
        name, revision = entry(video, refined=refined is not None), _revision(batches, refined)
        self._change(lambda: self._add({name: revision}, [batches]))

    def replace_all(self, videos: Mapping[str, Sequence[Batch]]) -> None:
        """Make these the documents of the layers of many videos, in one change: quicker than one by one."""
        revisions = {entry(video): _revision(batches, None) for video, batches in videos.items()}
        self._change(lambda: self._add(revisions, list(videos.values())))

    def holds(self, video: str, *, refined: str | None = None) -> bool:
        """Whether its documents are in the index, split into terms the way queries are."""
        revision = self._read().get(entry(video, refined=refined is not None))
        if revision is None:
            return refined == ""
        return (revision.terms, revision.made_of) == (VERSION, refined)

    def spaces(self, videos: Sequence[str] = ()) -> frozenset[str]:
        """Ids of the embeddings used by documents of these videos; of all videos if none is given."""
        within = (revision for name, revision in self._read().items() if not videos or video_of(name) in videos)
        return frozenset(space for revision in within for space in revision.spaces)

    @property
    def outdated(self) -> bool:
        """Whether an earlier version wrote it, and not all of it was built again since."""
        return not self.chroma and self._earlier.exists()

    def forget_earlier(self) -> None:
        """Remove the documents of an earlier version, once all videos are in the index again."""
        shutil.rmtree(self._earlier, ignore_errors=True)

    def check(self) -> None:
        """Open the words and vectors of every video, and read the documents through. Nothing is written.

        Raises:
            LibraryUnavailable: if the server of the documents doesn't answer.
            LibraryError: if something is missing, damaged or of an earlier version.
        """
        if self.outdated:
            raise LibraryError(
                f"The search index {self.root} is of an earlier version: the next `longtake search` builds it again."
            )
        if self.chroma:
            from longtake.memory.search.chroma_server import connect

            connect(self.chroma).close()
        revisions = self._read()
        try:
            corpus = self._laid_out(revisions)
            for name in {space for revision in revisions.values() for space in revision.spaces}:
                corpus.space(name)
            if revisions and isinstance(self._documents, DocumentStore):
                self._documents.check({revision.key: revision.count for revision in revisions.values()})
        except _DAMAGE as error:
            if self._read() == revisions:
                raise self._damaged(error) from error

    def delete(self, video: str) -> None:
        """Remove a video and its closer looks."""
        if not self._current.exists():
            return
        self._change(lambda: self._remove(entry(video), entry(video, refined=True)))

    def search(self, query: str, vectors: Mapping[str, Vectors], where: SearchFilter, k: int) -> list[Hit]:
        """The k best events, best first; fewer only if the filter allows fewer.

        A document with no word of the query and below the floor of every vector is weak. If there are fewer than k
        other events, the best weak documents follow, each on its own, because nothing shows that they belong together.

        Args:
            query: in words.
            vectors: the embedded query, (dimensions,) of length 1, by id of the embedding; if empty, only words count.
            where: which documents may be found.
            k: maximum number of events.

        Raises:
            LibraryError: if the index is damaged and can't be filled again.
        """
        damage = 0
        while True:
            revisions = self._read()
            try:
                return self._search(self._laid_out(revisions), query, vectors, where, k)
            except _DAMAGE as error:
                if self._read() == revisions:  # otherwise a writer replaced it meanwhile: retry
                    damage += 1
                    self._mend(damage, error)

    def _search(
        self, corpus: Corpus, query: str, vectors: Mapping[str, Vectors], where: SearchFilter, k: int
    ) -> list[Hit]:
        allowed = corpus.allowed(where)
        depth = max(k, _DEPTH)
        while True:
            ranked = self._ranked(corpus, query, vectors, allowed, depth)
            strong = fuse(ranked, self.rrf_constant)
            events = find_events(strong, corpus, k)
            if len(events) >= k:
                break
            if all(len(positions) < depth for positions, _ in ranked.values()):
                found = [each.position for each in strong]
                weak = self._weak(corpus, vectors, allowed, found, k - len(events))
                events += [Event([each], corpus.span(each.position), weak=True) for each in weak]
                break
            depth *= _DEEPER
        return self._hits(corpus, events)

    def _weak(
        self, corpus: Corpus, vectors: Mapping[str, Vectors], allowed: Mask, found: Sequence[int], k: int
    ) -> list[Candidate]:
        """The k best allowed documents not yet found, by their vectors; those without one come last."""
        left = allowed.copy()
        left[list(found)] = False
        # Rank the found documents too, so that a rank counts all nearer documents.
        depth = len(found) + max(k, _DEPTH)
        ranked = {
            name: space.nearest(vector, allowed, depth, -np.inf)
            for name, vector in vectors.items()
            if (space := corpus.space(name))
        }
        weak = [each for each in fuse(ranked, self.rrf_constant) if left[each.position]][:k]
        left[[each.position for each in weak]] = False
        rest = np.flatnonzero(left)[: k - len(weak)].tolist()
        return weak + [Candidate(position, 0.0, {}) for position in rest]

    def _ranked(
        self, corpus: Corpus, query: str, vectors: Mapping[str, Vectors], allowed: Mask, depth: int
    ) -> dict[str, Ranking]:
        """The best documents by each signal."""
        scores = corpus.words.scores(query_terms(query))
        matching = np.flatnonzero((scores > 0) & allowed)
        ranked = {WORDS: top(matching, scores[matching], depth)}
        for name, vector in vectors.items():
            if space := corpus.space(name):
                ranked[name] = space.nearest(vector, allowed, depth, self.floors.get(name, 0.0))
        return ranked

    def _hits(self, corpus: Corpus, events: Sequence[Event]) -> list[Hit]:
        """Events with their documents."""
        if not events:
            return []
        names = [corpus.name(candidate.position) for event in events for candidate in event.candidates]
        documents = iter(self._documents.get(names))
        hits: list[Hit] = []
        for event in events:
            best, *also = (Match(next(documents), each.score, each.signals) for each in event.candidates)
            hits.append(Hit(best.document, best.score, best.signals, event.span, tuple(also), event.weak))
        return hits

    def _laid_out(self, revisions: dict[str, Revision]) -> Corpus:
        """The corpus of exactly these revisions; open segments stay open."""
        if self._corpus.revisions is not revisions and self._corpus.revisions != revisions:
            self._corpus = Corpus(revisions, self._open)
        return self._corpus

    def _open(self, name: str, revision: Revision) -> Segment:
        """Open a segment, or reuse it from the previous corpus."""
        return self._corpus.segments.get(revision.folder(name)) or self._segments.open(name, revision)

    @cached_property
    def _documents(self) -> DocumentStore | ChromaDocuments:
        if not self.chroma:
            return DocumentStore(self._file)
        from longtake.memory.search.chroma_server import ChromaDocuments

        return ChromaDocuments(self.chroma)

    @property
    def _current(self) -> Path:
        return self.root / "revisions.json"

    def _read(self) -> dict[str, Revision]:
        """The current revisions; read again only if the file is another."""
        if not self.chroma and not self._file.exists():
            return {}
        with suppress(FileNotFoundError):
            facts = self._current.stat()
            state = facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
            if self._known is None or self._known[0] != state:
                self._known = state, self._parsed()
            return self._known[1]
        return {}

    def _parsed(self) -> dict[str, Revision]:
        try:
            return read_current(self._current)
        except ValueError:  # damaged, so nothing counts as indexed; the next writer replaces the file
            return {}

    def _mend(self, damage: int, error: Exception) -> None:
        """Open everything anew and, if it was found damaged before, empty the index and fill it again.

        Raises:
            LibraryError: if it can't be filled again, or still is damaged afterwards.
        """
        self._let_go()
        if damage == 1:  # maybe only what this process had opened
            return
        if self._refill is None or damage > 2 or not os.access(self.root, os.W_OK):
            raise self._damaged(error) from error
        with self._writing():
            self._empty(error)
        self._refill()

    def _empty(self, damage: Exception) -> None:
        """Delete everything, and say why."""
        log.warning("The search index %s is built again from the layers, because it is damaged: %s.", self.root, damage)
        self._current.unlink(missing_ok=True)
        shutil.rmtree(self.root / "segments", ignore_errors=True)
        self._documents.clear()
        self._let_go()

    def _let_go(self) -> None:
        """Forget everything that is open."""
        self._corpus = Corpus({}, self._open)
        self.__dict__.pop("_documents", None)

    def _change(self, change: Callable[[], None]) -> None:
        """Make a change; a damaged index is emptied first, and its other videos return when they are asked about."""
        with self._writing():
            if not self._read():
                self._current.unlink(missing_ok=True)  # it may name documents that are gone
            try:
                change()
            except _DAMAGE as error:
                self._let_go()
                self._empty(error)
                change()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the writer's lock."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with FileLock(self.root / "write.lock"):
                yield
        except OSError as error:
            raise file_error(error, self.root) from error
        except _DAMAGE as error:
            raise LibraryError(
                f"Couldn't write the search index {self.root} ({error}): check free disk space and write permission. "
                "If both are fine, delete the folder: the next question builds another from the layers."
            ) from error

    def _add(self, revisions: Mapping[str, Revision], added: Sequence[Sequence[Batch]]) -> None:
        """Add the batches of entries, of which these are the revisions."""
        for (name, revision), batches in zip(revisions.items(), added, strict=True):
            self._segments.write(name, revision.key, batches)
        self._documents.add_all(
            [
                (name, revision.key, [document for batch in batches for document in batch.documents])
                for (name, revision), batches in zip(revisions.items(), added, strict=True)
            ]
        )
        self._commit({**self._read(), **revisions})
        self._documents.keep_only({name: revision.key for name, revision in revisions.items()})

    def _remove(self, *names: str) -> None:
        """Remove entries."""
        self._commit({name: revision for name, revision in self._read().items() if name not in names})
        self._documents.keep_only(dict.fromkeys(names))

    def _commit(self, revisions: dict[str, Revision]) -> None:
        """Make revisions current, then merge segments and remove outdated ones."""
        write_current(self._current, revisions)
        if merged := merge(revisions, self._segments):
            write_current(self._current, merged)
            revisions = merged
        self._segments.keep_only(revision.folder(name) for name, revision in revisions.items())

    def _damaged(self, damage: Exception) -> LibraryError:
        if not os.access(self.root, os.W_OK):
            return LibraryUnavailable(
                f"Couldn't use the search index {self.root}: grant write permission, or copy the library to where you "
                "may write and name the copy with --library."
            )
        return LibraryError(
            f"The search index is damaged ({damage}): delete the folder {self.root}, and the next question builds "
            "another."
        )


def _revision(batches: Sequence[Batch], made_of: str | None) -> Revision:
    """The `revisions.json` entry for these batches; its key changes whenever any stored data does."""
    facts: list[str] = []
    spaces: dict[str, tuple[int, int]] = {}
    count = 0
    for batch in batches:
        facts += [batch.space, *(repr(document) for document in batch.documents)]
        if batch.vectors is not None:
            if len(batch.documents) != len(batch.vectors):
                raise ValueError(f"{len(batch.documents)} documents but {len(batch.vectors)} vectors")
            spaces[batch.space] = (count, len(batch.documents))
            facts.append(hashlib.blake2b(batch.vectors.tobytes()).hexdigest())
        count += len(batch.documents)
    key = content_key(str(VERSION), *facts)
    return Revision(key=key, terms=VERSION, count=count, spaces=spaces, made_of=made_of)
