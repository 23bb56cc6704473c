"""Merging: the segments of many videos become one, so that a search opens a few files and not one for each video.

Merged segments grow by doubling: new segments wait until there are more than `_LOOSE`, then they are merged with all
merged ones that are no larger than what has come together. So a document is written again about as often as the library
doubles. No merged segment has more than `_MOST` documents, which bounds the memory that merging takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from longtake.memory.layers import content_key
from longtake.memory.search.current_revisions import Revision
from longtake.memory.search.lexical import Postings
from longtake.memory.search.search_index import Vectors
from longtake.memory.search.segments import Segment, SegmentStore

_LOOSE = 64  # segments of one video each
_MOST = 1_000_000  # documents


@dataclass(frozen=True, slots=True)
class Piece:
    """The documents of one entry, and the segment that holds them from row `first` on."""

    entry: str
    revision: Revision
    segment: Segment

    @property
    def first(self) -> int:
        """The first row."""
        return self.revision.merged[1] if self.revision.merged else 0

    def rows(self, space: str) -> tuple[int, int]:
        """The first vector of a space in the segment, and their number."""
        first, count = self.revision.spaces[space]
        return int(np.searchsorted(self.segment.rows(space), self.first + first)), count


def merge(revisions: Mapping[str, Revision], store: SegmentStore) -> dict[str, Revision] | None:
    """Merge what is due, and return the revisions that say so; None if nothing is due.

    Raises:
        SegmentError: if a segment to merge is missing or damaged.
    """
    chosen = _due(revisions)
    if not chosen:
        return None
    opened: dict[str, Segment] = {}
    merged = dict(revisions)
    group: list[Piece] = []
    for name, revision in sorted(revisions.items()):
        folder = revision.folder(name)
        if folder not in chosen:
            continue
        if folder not in opened:
            opened[folder] = store.open(name, revision)
        if group and sum(piece.revision.count for piece in group) + revision.count > _MOST:
            merged |= _write(group, store)
            group = []
        group.append(Piece(name, revision, opened[folder]))
    return merged | _write(group, store)


def _due(revisions: Mapping[str, Revision]) -> set[str]:
    """The folders of the segments that are to be merged."""
    held: Counter[str] = Counter()
    for name, revision in revisions.items():
        held[revision.folder(name)] += revision.count
    merged = {revision.merged[0]: revision.merged[2] for revision in revisions.values() if revision.merged}
    chosen = {folder for folder, rows in merged.items() if 2 * held[folder] < rows}  # most of it is outdated
    loose = held.keys() - merged.keys()
    if len(loose) > _LOOSE:
        chosen |= loose
        size = sum(held[folder] for folder in chosen)
        for folder in sorted(merged.keys() - chosen, key=lambda each: (held[each], each)):
            if held[folder] <= size and size + held[folder] <= _MOST:
                chosen.add(folder)
                size += held[folder]
    return chosen


def _write(pieces: Sequence[Piece], store: SegmentStore) -> dict[str, Revision]:
    """Write pieces as one segment, and return their revisions in it."""
    counts = [piece.revision.count for piece in pieces]
    firsts = np.cumsum([0, *counts]).tolist()
    folder = f"merged-{content_key(*(f'{piece.entry} {piece.revision.key}' for piece in pieces))}"
    spaces = sorted({space for piece in pieces for space in piece.revision.spaces})
    places = {
        space: np.concatenate(
            [
                first + piece.revision.spaces[space][0] + np.arange(piece.revision.spaces[space][1])
                for piece, first in zip(pieces, firsts, strict=False)
                if space in piece.revision.spaces
            ]
        )
        for space in spaces
    }
    store.write_merged(
        folder,
        start=_joined(pieces, "starts"),
        end=_joined(pieces, "ends"),
        modality=_joined(pieces, "modalities"),
        postings=Postings.joined([(piece.segment.postings, piece.first, piece.revision.count) for piece in pieces]),
        places=places,
        vectors={space: _vectors(pieces, space) for space in spaces},
    )
    return {
        piece.entry: piece.revision.model_copy(update={"merged": (folder, first, firsts[-1])})
        for piece, first in zip(pieces, firsts, strict=False)
    }


def _joined(pieces: Sequence[Piece], name: str) -> npt.NDArray[Any]:
    return np.concatenate(
        [getattr(piece.segment, name)[piece.first : piece.first + piece.revision.count] for piece in pieces]
    )


def _vectors(pieces: Sequence[Piece], space: str) -> Iterator[Vectors]:
    for piece in pieces:
        if space in piece.revision.spaces:
            yield piece.segment.vectors(space).reconstruct_n(*piece.rows(space))
