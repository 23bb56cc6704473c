"""All current documents as concatenated arrays, entry by entry."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from longtake.lazy import cached_property
from longtake.memory.records import MODALITIES, MOMENTS
from longtake.memory.search.current_revisions import Revision, is_refined, video_of
from longtake.memory.search.gpu_vectors import Place
from longtake.memory.search.lexical import LexicalIndex
from longtake.memory.search.search_index import SearchFilter
from longtake.memory.search.segments import Segment
from longtake.memory.search.vectors import VectorSpace
from longtake.memory.timespan import TimeSpan

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """The documents of one entry, and the position of its first document in the corpus."""

    entry: str
    video: str
    revision: Revision
    first: int


class Corpus:
    """The segments of some revisions, laid end to end; a document is identified by its position."""

    def __init__(self, revisions: Mapping[str, Revision], opened: Callable[[str, Revision], Segment]) -> None:
        """Lay out the segments that `opened` returns for an entry and revision; entries may share one.

        Raises:
            SegmentError: if a segment is missing or damaged.
        """
        self.revisions = revisions
        self.segments: dict[str, Segment] = {}
        self.count = 0
        self._firsts: dict[str, int] = {}
        self._parts: list[Part] = []
        for name, revision in revisions.items():
            folder = revision.folder(name)
            if folder not in self.segments:
                self.segments[folder] = opened(name, revision)
                self._firsts[folder] = self.count
                self.count += len(self.segments[folder].starts)
            first = self._firsts[folder] + (revision.merged[1] if revision.merged else 0)
            self._parts.append(Part(name, video_of(name), revision, first))
        self._parts.sort(key=lambda part: (part.first, part.revision.count))
        segments = self.segments.values()
        self._starts = np.concatenate([np.zeros(0), *(segment.starts for segment in segments)])
        self._ends = np.concatenate([np.zeros(0), *(segment.ends for segment in segments)])
        self._modalities = np.concatenate([np.zeros(0, np.uint8), *(segment.modalities for segment in segments)])
        # A merged segment keeps the rows of documents that were replaced since.
        self._current = self._rows_of(self._parts)
        self._spaces: dict[str, VectorSpace | None] = {}

    @cached_property
    def words(self) -> LexicalIndex:
        """BM25 over all documents."""
        counted = self._current.copy()
        for part in self._parts:
            if is_refined(part.entry):
                counted[part.first : part.first + part.revision.count] = False
        postings = [segment.postings for segment in self.segments.values()]
        return LexicalIndex(postings, np.split(counted, list(self._firsts.values())[1:]))

    def space(self, name: str) -> VectorSpace | None:
        """The vectors of a space; None if no document has one.

        Raises:
            SegmentError: if vectors are missing or damaged.
        """
        if name not in self._spaces:
            within = {part.revision.folder(part.entry): None for part in self._parts if name in part.revision.spaces}
            placed = [
                (_place(self._firsts[folder], self.segments[folder].rows(name)), self.segments[folder].vectors(name))
                for folder in within
            ]
            self._spaces[name] = VectorSpace(placed) if placed else None
        return self._spaces[name]

    def video(self, position: int) -> str:
        """The video of a document."""
        return self._part(position).video

    def name(self, position: int) -> tuple[str, int]:
        """The revision and row of a document."""
        part = self._part(position)
        return part.revision.key, position - part.first

    def span(self, position: int) -> TimeSpan:
        """The time span of a document."""
        return TimeSpan(start=float(self._starts[position]), end=float(self._ends[position]))

    def allowed(self, where: SearchFilter) -> Mask:
        """Which positions a filter allows."""
        if where.videos:
            videos = frozenset(where.videos)
            allowed = self._rows_of(part for part in self._parts if part.video in videos)
        else:
            allowed = self._current.copy()
        modalities = where.modalities or MOMENTS
        allowed &= np.array([modality in modalities for modality in MODALITIES])[self._modalities]
        if where.span is not None:
            allowed &= self._overlapping(where.span)
        return allowed

    def _rows_of(self, parts: Iterable[Part]) -> Mask:
        rows = np.zeros(self.count, np.bool_)
        for part in parts:
            rows[part.first : part.first + part.revision.count] = True
        return rows

    def _part(self, position: int) -> Part:
        return self._parts[bisect_right(self._parts, position, key=attrgetter("first")) - 1]

    def _overlapping(self, span: TimeSpan) -> Mask:
        """`TimeSpan.overlaps` for every position."""
        touching: Mask = (self._starts <= span.end) & (self._ends >= span.start)
        if span.length == 0:
            return touching
        inside: Mask = (self._starts < span.end) & (self._ends > span.start)
        inside |= touching & (self._starts == self._ends)
        return inside


def _place(first: int, rows: npt.NDArray[np.int64]) -> Place:
    """Where the rows of a segment lie in the corpus, the first of which is at `first`."""
    together = not len(rows) or rows[-1] - rows[0] == len(rows) - 1
    return first + int(rows[0] if len(rows) else 0) if together else first + rows
