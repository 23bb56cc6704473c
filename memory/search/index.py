"""Hybrid search: words (BM25) and meaning (vectors) fused by rank, with exact filters, one result per event.

A moment with no word of the query and below the floor of every vector is weak: it comes last and is marked.

Readers never lock. A damaged index is emptied and filled again from the layers.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from filelock import FileLock

from longtake.errors import LibraryError, LibraryUnavailable, file_error
from longtake.language.terms import query_terms
from longtake.lazy import cached_property
from longtake.memory.records import Moment
from longtake.memory.search.corpus import FACTS, Corpus, Mask
from longtake.memory.search.event_merging import Event, find_events
from longtake.memory.search.fusion import WORDS, RankedPosition, fuse, top
from longtake.memory.search.search_types import Batch, Hit, Match, SearchFilter, Vectors
from longtake.memory.search.store import NAME, Snapshot, Store, StoreError
from longtake.memory.search.vectors import VectorsError, VectorSpace

if TYPE_CHECKING:
    from longtake.memory.search.chroma import Chroma, ChromaSpace

_DEPTH = 100  # candidates per signal; deeper ones add less than 1 / 160 to a fused score
_DEEPER = 4  # times as many, if they made too few events
_DAMAGE = (StoreError, VectorsError)
_NOTHING = Corpus([], np.zeros(0, FACTS), [])

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store held when its token and the times of its file were these, as far as it was read."""

    token: bytes
    state: tuple[object, ...] | None
    corpus: Corpus
    spaces: dict[str, VectorSpace | None] = field(default_factory=dict[str, VectorSpace | None])

    def space(self, snapshot: Snapshot, name: str) -> VectorSpace | None:
        """The vectors of a space, read from the snapshot on first use; None if no moment has one."""
        if name not in self.spaces:
            positions = self.corpus.positions(self.corpus.embedded(name))
            self.spaces[name] = VectorSpace(snapshot.vectors(name), positions) if len(positions) else None
        return self.spaces[name]


class Index:
    """The search index of a library."""

    def __init__(
        self,
        root: Path,
        *,
        floors: Mapping[str, float] | None = None,
        rrf_constant: int = 60,
        chroma: str | None = None,
        refill: Callable[[], None] | None = None,
    ) -> None:
        """Open lazily: nothing is read or created before the first call.

        Args:
            root: folder of the index.
            floors: by id of an embedding, the cosine below which a match is weak; 0 for others.
            rrf_constant: constant of reciprocal-rank fusion (Cormack, Clarke and Buettcher, 2009).
            chroma: address of the Chroma server that compares the vectors; None if this process does.
            refill: adds every video again, after damage emptied the index; without it, damage is an error.
        """
        self.root = root
        self.floors = floors or {}
        self.rrf_constant = rrf_constant
        self.chroma = chroma
        self._refill = refill
        self._store = Store(root / NAME)
        self._known: _Known | None = None

    def replace(self, video: str, batches: Sequence[Batch], *, refined: str | None = None) -> None:
        """Make these the moments of a video's layers, or of closer looks with this key; the others stay."""
        self._change([(video, refined, batches)])

    def replace_all(self, videos: Mapping[str, Sequence[Batch]]) -> None:
        """Make these the moments of the layers of many videos, in one change: quicker than one by one."""
        self._change([(video, None, batches) for video, batches in videos.items()])

    def delete(self, video: str) -> None:
        """Remove a video and its closer looks."""
        if self._store.file.exists():
            self._change([], [video])

    def holds(self, video: str, *, refined: str | None = None) -> bool:
        """Whether its moments are in the index."""
        held = self._corpus.held.get((video, refined is not None))
        return refined == "" if held is None else held.refined == refined

    def spaces(self, videos: Sequence[str] = ()) -> frozenset[str]:
        """Ids of the embeddings used by moments of these videos; of all videos if none is given."""
        return self._corpus.spaces(videos)

    @property
    def outdated(self) -> bool:
        """Whether an earlier version wrote it, and not all of it was built again since."""
        return any(self._earlier())

    def forget_earlier(self) -> None:
        """Remove what an earlier version wrote, once all videos are in the index again."""
        for path in self._earlier():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _earlier(self) -> list[Path]:
        """What lies in the folder that this version doesn't write."""
        ours = (self._store.file.stem, "write.lock")
        return [path for path in self.root.glob("[!.]*") if not path.name.startswith(ours)]

    def check(self) -> None:
        """Read everything through. Nothing is written.

        Raises:
            LibraryUnavailable: if the Chroma server doesn't answer.
            LibraryError: if something is missing, damaged or of an earlier version.
        """
        if self.outdated:
            raise LibraryError(
                f"The search index {self.root} is of an earlier version: the next `longtake search` builds it again."
            )
        _ = self._server  # says if it doesn't answer
        try:
            self._store.check()
        except _DAMAGE as error:
            raise self._damaged(error) from error

    def search(self, query: str, vectors: Mapping[str, Vectors], where: SearchFilter, k: int) -> list[Hit]:
        """The k best events, best first; fewer only if the filter allows fewer.

        A moment with no word of the query and below the floor of every vector is weak. If there are fewer than k
        other events, the best weak moments follow, each on its own, because nothing shows that they belong together.

        Args:
            query: in words.
            vectors: the embedded query, (dimensions,) of length 1, by id of the embedding; if empty, only words count.
            where: which moments may be found.
            k: maximum number of events.

        Raises:
            LibraryUnavailable: if the Chroma server doesn't answer; without vectors it isn't asked.
            LibraryError: if the index is damaged and can't be filled again.
        """
        return self._healed(lambda snapshot: self._search(snapshot, query, vectors, where, k))

    def moments(self, video: str) -> list[Moment]:
        """Everything that the layers of a video give, in their order.

        Raises:
            LibraryError: if the index is damaged and can't be filled again.
        """
        return self._healed(lambda snapshot: snapshot.moments_of(video, self._read(snapshot).corpus))

    def _healed(self, read: Callable[[Snapshot], list[T]]) -> list[T]:
        """What is read of the store; a damaged one is filled again first."""
        refill = self._refill
        while True:
            try:
                with self._store.reading() as snapshot:
                    return read(snapshot) if snapshot else []
            except _DAMAGE as error:
                if refill is None or not os.access(self.root, os.W_OK):
                    raise self._damaged(error) from error
                with self._writing():
                    self._empty(error)
                refill()
                refill = None

    def _search(
        self, snapshot: Snapshot, query: str, vectors: Mapping[str, Vectors], where: SearchFilter, k: int
    ) -> list[Hit]:
        known = self._read(snapshot)
        corpus = known.corpus
        allowed = corpus.allowed(where)
        scores = corpus.scores(map(snapshot.postings, query_terms(query)))
        matching = np.flatnonzero((scores > 0) & allowed)
        spaces = {
            name: (space, vector)
            for name, vector in vectors.items()
            if (space := self._space(known, snapshot, name, where))
        }
        depth = max(k, _DEPTH)
        while True:
            ranked = {WORDS: top(matching, scores[matching], depth)}
            for name, (space, vector) in spaces.items():
                ranked[name] = space.nearest(vector, allowed, depth, self.floors.get(name, 0.0))
            strong = fuse(ranked, self.rrf_constant)
            events = find_events(strong, corpus, k)
            if len(events) >= k:
                break
            if all(len(positions) < depth for positions, _ in ranked.values()):
                found = [each.position for each in strong]
                weak = self._weak(spaces, allowed, found, k - len(events))
                events += [Event([each], corpus.span(each.position), weak=True) for each in weak]
                break
            depth *= _DEEPER
        return _hits(snapshot, corpus, events)

    def _weak(
        self,
        spaces: Mapping[str, tuple[VectorSpace | ChromaSpace, Vectors]],
        allowed: Mask,
        found: Sequence[int],
        k: int,
    ) -> list[RankedPosition]:
        """The k best allowed moments not yet found, by their vectors; those without one come last."""
        left = allowed.copy()
        left[list(found)] = False
        # Rank the found moments too, so that a rank counts all nearer moments.
        depth = len(found) + max(k, _DEPTH)
        ranked = {name: space.nearest(vector, allowed, depth, -np.inf) for name, (space, vector) in spaces.items()}
        weak = [each for each in fuse(ranked, self.rrf_constant) if left[each.position]][:k]
        left[[each.position for each in weak]] = False
        rest = np.flatnonzero(left)[: k - len(weak)].tolist()
        return weak + [RankedPosition(position, 0.0, {}) for position in rest]

    @cached_property
    def _server(self) -> Chroma | None:
        """The Chroma server, which answered; None if this process compares vectors."""
        if not self.chroma:
            return None
        from longtake.memory.search.chroma import Chroma

        return Chroma(self.chroma)

    def _space(
        self, known: _Known, snapshot: Snapshot, name: str, where: SearchFilter
    ) -> VectorSpace | ChromaSpace | None:
        if self._server is None:
            return known.space(snapshot, name)
        from longtake.memory.search.chroma import ChromaSpace

        writable = os.access(self.root, os.W_OK)
        turn = FileLock(self._store.file.with_suffix(".chroma.lock")) if writable else nullcontext()
        return ChromaSpace(self._server, snapshot, known.corpus, name, where, turn, lambda: known.space(snapshot, name))

    @property
    def _corpus(self) -> Corpus:
        """The corpus of the store as it is now; nothing where it is damaged, which the next search or change tells."""
        state = self._store.state
        if state is None:
            return _NOTHING
        if self._known is None or self._known.state != state:
            try:
                with self._store.reading() as snapshot:
                    return self._read(snapshot, state).corpus if snapshot else _NOTHING
            except StoreError:
                return _NOTHING
        return self._known.corpus

    def _read(self, snapshot: Snapshot, state: tuple[object, ...] | None = None) -> _Known:
        """What a snapshot holds, which is kept until it changes; `state` is that of the file before the snapshot."""
        known, token = self._known, snapshot.token
        if known is None or known.token != token:
            known = _Known(token, state, snapshot.corpus())
        self._known = known = replace(known, state=state or known.state)
        return known

    def _empty(self, damage: Exception) -> None:
        """Delete everything, and say why."""
        log.warning("The search index %s is built again from the layers, because it is damaged: %s.", self.root, damage)
        self._store.clear()
        self._known = None

    def _change(self, entries: Sequence[tuple[str, str | None, Sequence[Batch]]], gone: Sequence[str] = ()) -> None:
        """Make a change; a damaged index is emptied first, and its other videos return when they are asked about."""
        for _, _, batches in entries:
            for batch in batches:
                if batch.vectors is not None and len(batch.moments) != len(batch.vectors):
                    raise ValueError(f"{len(batch.moments)} moments but {len(batch.vectors)} vectors")
        with self._writing():
            try:
                with self._store.reading() as snapshot:
                    if snapshot:
                        self._read(snapshot)
                self._store.change(entries, gone)
            except _DAMAGE as error:
                self._empty(error)
                self._store.change(entries, gone)

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


def _hits(snapshot: Snapshot, corpus: Corpus, events: Sequence[Event]) -> list[Hit]:
    """Events with their moments."""
    positions = (candidate.position for event in events for candidate in event.candidates)
    moments = iter(snapshot.moments(positions, corpus))
    hits: list[Hit] = []
    for event in events:
        best, *also = (Match(next(moments), each.score, each.signals) for each in event.candidates)
        hits.append(Hit(best.moment, best.score, best.signals, event.span, tuple(also), event.weak))
    return hits
