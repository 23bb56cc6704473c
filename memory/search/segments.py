"""Segments: the searchable data of one entry and revision, namely times, modalities, words and vectors.

On disk: a folder `<entry>-<revision>` with `documents.npz` and a FAISS file for each vector space. A segment never
changes; it takes effect once `revisions.json` names its revision. It holds the data to search; the data to show is in
the `document_store`, row by row in the same order. The segments of many entries are merged into one
(`merged_segments`), which says itself which of its rows the vectors belong to.
"""

from __future__ import annotations

import errno
import io
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from longtake.errors import LibraryError, LibraryUnavailable
from longtake.memory.layers import write_atomic
from longtake.memory.records import MODALITIES
from longtake.memory.search.compressed_vectors import SegmentVectors
from longtake.memory.search.current_revisions import Revision
from longtake.memory.search.lexical import Postings
from longtake.memory.search.search_index import Batch, Vectors
from longtake.memory.search.vectors import open_vectors, write_parts, write_vectors

_DOCUMENTS = "documents.npz"
_PLACES = "places "  # before the name of a space, in a merged segment: the rows that have vectors


class SegmentError(Exception):
    """A segment is missing or damaged."""


@contextmanager
def _damage_told(what: str) -> Iterator[None]:
    """Damage makes zipfile, NumPy and FAISS raise errors of many kinds; a disk that fails for now is none.

    Raises:
        SegmentError: if something is missing or damaged.
        LibraryUnavailable: if it can't be read now.
    """
    try:
        yield
    except (MemoryError, LibraryError):
        raise
    except OSError as error:
        if error.errno in (None, errno.ENOENT, errno.ENOTDIR):
            raise SegmentError(what) from error
        raise LibraryUnavailable(f"Couldn't read the search index ({error}): check the disk, and try again.") from error
    except Exception as error:
        raise SegmentError(what) from error


class Segment:
    """One revision of one video, or many merged. Times are in seconds; `modalities` are indices into `MODALITIES`."""

    def __init__(self, folder: Path, revision: Revision) -> None:
        """Read everything except the vectors; `revision` is one that the segment holds.

        Raises:
            SegmentError: if it is missing or damaged.
        """
        self._folder = folder
        self._vectors: dict[str, SegmentVectors] = {}
        with (
            _damage_told(f"couldn't read {folder}"),
            np.load(folder / _DOCUMENTS, allow_pickle=False) as arrays,
        ):
            self.starts: npt.NDArray[np.float64] = arrays["start"]
            self.ends: npt.NDArray[np.float64] = arrays["end"]
            self.modalities: npt.NDArray[np.uint8] = arrays["modality"]
            self.postings = Postings(*(arrays[name] for name in Postings.__slots__))
            self._rows: dict[str, npt.NDArray[np.int64]] = {
                name.removeprefix(_PLACES): arrays[name] for name in arrays.files if name.startswith(_PLACES)
            }
        rows = revision.merged[2] if revision.merged else revision.count
        if len(self.starts) != rows:
            raise SegmentError(f"{folder} has {len(self.starts)} documents instead of {rows}")
        if not revision.merged:
            self._rows = {space: np.arange(first, first + count) for space, (first, count) in revision.spaces.items()}

    def rows(self, space: str) -> npt.NDArray[np.int64]:
        """The rows that the vectors of a space belong to, ascending."""
        return self._rows[space]

    def vectors(self, space: str) -> SegmentVectors:
        """The index of the vectors of a space, opened on first use.

        Raises:
            SegmentError: if they are missing or damaged.
        """
        if space not in self._vectors:
            with _damage_told(f"{self._folder} has no vectors of {space}"):
                self._vectors[space] = open_vectors(self._folder, space, len(self._rows[space]))
        return self._vectors[space]


class SegmentStore:
    """The segments of a library."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, video: str, revision: str, batches: Sequence[Batch]) -> None:
        """Write a segment, with the rows of the batches in order."""
        folder = self._folder(video, revision)
        documents = [document for batch in batches for document in batch.documents]
        _write_documents(
            folder,
            Postings.of([document.text for document in documents]),
            start=np.array([document.span.start for document in documents], np.float64),
            end=np.array([document.span.end for document in documents], np.float64),
            modality=np.array([MODALITIES.index(document.modality) for document in documents], np.uint8),
        )
        for batch in batches:
            if batch.vectors is not None:
                write_vectors(folder, batch.space, batch.vectors)

    def write_merged(
        self,
        name: str,
        postings: Postings,
        places: Mapping[str, npt.NDArray[np.int64]],
        vectors: Mapping[str, Iterable[Vectors]],
        **documents: npt.NDArray[Any],
    ) -> None:
        """Write a merged segment: its words, and by space the rows that have vectors and the vectors, part by part."""
        named: dict[str, npt.NDArray[Any]] = {_PLACES + space: rows for space, rows in places.items()}
        _write_documents(self.root / name, postings, **documents, **named)
        for space, parts in vectors.items():
            write_parts(self.root / name, space, parts)

    def open(self, video: str, revision: Revision) -> Segment:
        """Open a segment.

        Raises:
            SegmentError: if it is missing or damaged.
        """
        return Segment(self.root / revision.folder(video), revision)

    def keep_only(self, names: Iterable[str]) -> None:
        """Remove every segment except those of these names."""
        kept = set(names)
        for folder in self.root.glob("*"):
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)  # the next change removes what is still in use

    def _folder(self, video: str, revision: str) -> Path:
        return self.root / f"{video}-{revision}"


def _write_documents(folder: Path, postings: Postings, **arrays: npt.NDArray[Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    words = {name: getattr(postings, name) for name in Postings.__slots__}
    np.savez(content, **arrays, **words)  # type: ignore[arg-type] # no array is called `allow_pickle`
    write_atomic(folder / _DOCUMENTS, content.getvalue())
