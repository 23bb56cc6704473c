"""All current moments as arrays, position by position: filters, and the scores of words.

Word search is BM25 (Robertson et al. 1994, in Lucene's form); the library's term frequencies are counted at query time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longtake.memory.records import MODALITIES, MOMENTS, Modality
from longtake.memory.search.fusion import Positions, Scores
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.timespan import TimeSpan

FACTS = np.dtype([("start", "<f8"), ("end", "<f8"), ("modality", "u1"), ("terms", "<i4")])  # seconds; of `MODALITIES`
_K1 = 1.5  # how quickly repeats of a term stop counting
_B = 0.75  # how strongly long texts are penalised

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class VideoEntry:
    """The moments of a video's layers, or of closer looks with the key `refined`: `count` ids from `first` on."""

    first: int
    count: int
    video: str
    refined: str | None


class Corpus:
    """The moments of all entries, one after the other. A moment has an id in the store, and a position here."""

    def __init__(
        self, entries: Sequence[VideoEntry], facts: npt.NDArray[np.void], vectors: Sequence[tuple[int, int, str, str]]
    ) -> None:
        """Lay out entries.

        Args:
            entries: in order.
            facts: of all their moments, as `FACTS`.
            vectors: which moments have some: the id of the first one, their number, the space and the video; by id.
        """
        self.held = {(entry.video, entry.refined is not None): entry for entry in entries}
        self.count = len(facts)
        self._entries = entries
        self._vectors = vectors
        columns = (np.ascontiguousarray(facts[name]) for name in ("start", "end", "modality", "terms"))
        self._starts, self._ends, self._modalities, lengths = columns
        counts = np.array([entry.count for entry in entries], np.int64)
        self._firsts = np.array([entry.first for entry in entries], np.int64)
        self._begins = np.cumsum(counts) - counts
        self._places: list[int] = self._begins.tolist()
        self._counts = counts
        self._by_id = np.argsort(self._firsts)
        self._counted = np.repeat(np.array([entry.refined is None for entry in entries], np.bool_), counts)
        known = lengths[self._counted]
        mean = known.mean() if known.any() else 1.0
        self._damping = (_K1 * (1 - _B + _B * lengths / mean)).astype(np.float32)

    def spaces(self, videos: Sequence[str] = ()) -> frozenset[str]:
        """The spaces in which moments of these videos, or of all, have vectors."""
        return frozenset(space for *_, space, video in self._vectors if not videos or video in videos)

    def embedded(self, space: str) -> npt.NDArray[np.int64]:
        """The ids of the moments that have a vector in a space, ascending."""
        rows = [np.arange(first, first + count) for first, count, name, _ in self._vectors if name == space]
        return np.concatenate([np.zeros(0, np.int64), *rows])

    def positions(self, ids: npt.NDArray[np.int64]) -> Positions:
        """The positions of moments by their ids."""
        owners = self._by_id[np.searchsorted(self._firsts[self._by_id], ids, side="right") - 1]
        return self._begins[owners] + ids - self._firsts[owners]

    def id(self, position: int) -> int:
        """The id of a moment."""
        owner = self._owner(position)
        return self._entries[owner].first + position - self._places[owner]

    def video(self, position: int) -> str:
        """The video of a moment."""
        return self._entries[self._owner(position)].video

    def place(self, position: int) -> tuple[str, TimeSpan, Modality]:
        """The video, time span and modality of a moment."""
        return self.video(position), self.span(position), MODALITIES[self._modalities[position]]

    def span(self, position: int) -> TimeSpan:
        """The time span of a moment."""
        return TimeSpan(start=float(self._starts[position]), end=float(self._ends[position]))

    def allowed(self, where: SearchFilter) -> Mask:
        """Which positions a filter allows."""
        modalities = where.modalities or MOMENTS
        allowed: Mask = np.array([modality in modalities for modality in MODALITIES])[self._modalities]
        if where.videos:
            videos = frozenset(where.videos)
            allowed &= np.repeat(np.array([entry.video in videos for entry in self._entries], np.bool_), self._counts)
        if where.span is not None:
            allowed &= self._overlapping(where.span)
        return allowed

    def scores(self, postings: Iterable[npt.NDArray[np.int64]]) -> Scores:
        """One score per position; 0 if it contains none of the terms.

        Readings of closer looks can be found but don't affect other scores.

        Args:
            postings: for each term, the ids of the moments that contain it, once for each time.
        """
        scores = np.zeros(self.count, np.float32)
        moments = int(np.count_nonzero(self._counted))
        for ids in postings:
            found, counts = np.unique(ids, return_counts=True)
            positions, counts = self.positions(found), counts.astype(np.float32)
            matching = int(np.count_nonzero(self._counted[positions]))
            # Lucene's inverse document frequency, never negative.
            rarity = np.float32(np.log1p((moments - matching + 0.5) / (matching + 0.5)))
            scores[positions] += rarity * counts / (counts + self._damping[positions])
        return scores

    def _owner(self, position: int) -> int:
        return bisect_right(self._places, position) - 1

    def _overlapping(self, span: TimeSpan) -> Mask:
        """`TimeSpan.overlaps` for every position."""
        starts, ends = self._starts, self._ends
        touching: Mask = (starts <= span.end) & (ends >= span.start)
        if span.length == 0:
            return touching
        inside: Mask = (starts < span.end) & (ends > span.start)
        inside |= touching & (starts == ends)
        return inside
