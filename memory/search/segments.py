"""Segments: the searchable data of one entry and revision, namely times, modalities, words and vectors.

On disk: a folder `<entry>-<revision>` with `documents.npz` and a FAISS file for each vector space. A segment never
changes; it takes effect once `revisions.json` names its revision. It holds the data to search and Chroma the data to
show, row by row in the same order.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from longtake.memory.layers import write_atomic
from longtake.memory.records import MODALITIES
from longtake.memory.search.current_revisions import Revision
from longtake.memory.search.lexical import Postings
from longtake.memory.search.search_index import Batch
from longtake.memory.search.vectors import open_vectors, write_vectors

_DOCUMENTS = "documents.npz"


class SegmentError(Exception):
    """A segment is missing or damaged."""


class Segment:
    """One revision of one video. Times are in seconds; `modalities` are indices into `MODALITIES`."""

    def __init__(self, folder: Path, revision: Revision) -> None:
        """Read everything except the vectors.

        Raises:
            SegmentError: if it is missing or damaged.
        """
        self._folder = folder
        self._spaces = revision.spaces
        self._vectors: dict[str, Any] = {}
        try:
            with np.load(folder / _DOCUMENTS, allow_pickle=False) as arrays:
                self.starts: npt.NDArray[np.float64] = arrays["start"]
                self.ends: npt.NDArray[np.float64] = arrays["end"]
                self.modalities: npt.NDArray[np.uint8] = arrays["modality"]
                self.postings = Postings(*(arrays[name] for name in Postings.__slots__))
        except Exception as error:  # damage makes zipfile and numpy raise errors of many kinds
            raise SegmentError(f"couldn't read {folder}") from error
        if len(self.starts) != revision.count:
            raise SegmentError(f"{folder} has {len(self.starts)} documents instead of {revision.count}")

    def vectors(self, space: str) -> Any:
        """The FAISS index of the vectors of a space, opened on first use.

        Raises:
            SegmentError: if they are missing or damaged.
        """
        try:
            if space not in self._vectors:
                self._vectors[space] = open_vectors(self._folder, space, self._spaces[space][1])
        except Exception as error:  # damage makes FAISS raise errors of several kinds
            raise SegmentError(f"{self._folder} has no vectors of {space}") from error
        return self._vectors[space]


class SegmentStore:
    """The segments of a library."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, video: str, revision: str, batches: Sequence[Batch]) -> None:
        """Write a segment, with the rows of the batches in order."""
        folder = self._folder(video, revision)
        folder.mkdir(parents=True, exist_ok=True)
        documents = [document for batch in batches for document in batch.documents]
        postings = Postings.of([document.text for document in documents])
        content = io.BytesIO()
        np.savez(
            content,
            start=np.array([document.span.start for document in documents], np.float64),
            end=np.array([document.span.end for document in documents], np.float64),
            modality=np.array([MODALITIES.index(document.modality) for document in documents], np.uint8),
            **{name: getattr(postings, name) for name in Postings.__slots__},
        )
        write_atomic(folder / _DOCUMENTS, content.getvalue())
        for batch in batches:
            if batch.vectors is not None:
                write_vectors(folder, batch.space, batch.vectors)

    def open(self, video: str, revision: Revision) -> Segment:
        """Open a segment.

        Raises:
            SegmentError: if it is missing or damaged.
        """
        return Segment(self._folder(video, revision.key), revision)

    def keep_only(self, names: Iterable[tuple[str, str]]) -> None:
        """Remove every segment except those of these (video, revision) pairs."""
        kept = {self._folder(*name).name for name in names}
        for folder in self.root.glob("*"):
            if folder.name not in kept:
                shutil.rmtree(folder)

    def _folder(self, video: str, revision: str) -> Path:
        return self.root / f"{video}-{revision}"
