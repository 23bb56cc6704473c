"""Vectors of documents, in FAISS: one flat index for each segment and space, mapped from its file and not read whole.

A search compares every allowed vector and so is exact. With 256 numbers in a vector it takes 5 to 10 ms for
100,000 documents. A segment of that many vectors or more has compressed ones beside them (`compressed_vectors`). Where
FAISS has a GPU, a large space is copied to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from longtake.memory.search.compressed_vectors import (
    MIN_ROWS,
    CompressedVectors,
    FaissIndex,
    FlatIndex,
    SegmentVectors,
    compress,
)
from longtake.memory.search.fusion import Ranking, top
from longtake.memory.search.gpu_vectors import GpuVectors, Place, copy_to_gpu
from longtake.memory.search.search_index import Vectors

Mask = npt.NDArray[np.bool_]
_COPIED_AFTER = 80  # searches; an H100 saves half the time of each
_LONGEST = 1.01  # cosine, above which a row isn't of length 1
_FAISS: Any = faiss  # its types are those of C++, and know nothing of what Python may hand over


class VectorsError(Exception):
    """Vectors are damaged."""


def write_vectors(folder: Path, space: str, vectors: Vectors) -> None:
    """Write the vectors of a segment, (rows, dimensions) with rows of length 1."""
    write_parts(folder, space, [vectors])


def write_parts(folder: Path, space: str, parts: Iterable[Vectors]) -> None:
    """Write the vectors of a segment, part after part, at least one; many are written compressed as well."""
    index: Any = None
    for part in parts:
        index = index or faiss.IndexFlatIP(part.shape[1])
        index.add(np.ascontiguousarray(part, np.float32))
    _write(index, _file(folder, space))
    if index.ntotal >= MIN_ROWS:
        vectors = _FAISS.rev_swig_ptr(index.get_xb(), index.ntotal * index.d).reshape(-1, index.d)
        _write(compress(vectors), _compressed(folder, space))


def open_vectors(folder: Path, space: str, rows: int) -> SegmentVectors:
    """Map the index of a segment's vectors, which must have this many rows.

    Raises:
        OSError: if it can't be read.
        RuntimeError: if a file is damaged.
    """
    with _file(folder, space).open("rb"):  # FAISS doesn't say why it can't open a file
        pass
    read: Any = faiss.read_index(str(_file(folder, space)), faiss.IO_FLAG_MMAP_IFC)
    if read.ntotal != rows or read.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise RuntimeError(f"{read.ntotal} rows instead of {rows}")
    index: FlatIndex = read
    if (compressed := _compressed(folder, space)).exists():
        return CompressedVectors(index, _FAISS.read_index(str(compressed), faiss.IO_FLAG_MMAP))
    return index


class VectorSpace:
    """All vectors of one space, segment after segment."""

    def __init__(self, segments: Sequence[tuple[Place, SegmentVectors]]) -> None:
        """Take what `open_vectors` returned for each segment, and where its rows lie among all documents."""
        self._segments = segments
        self._searches = 0
        self._copy: GpuVectors | None = None
        self._counting = Lock()

    def nearest(self, vector: Vectors, allowed: Mask, k: int, floor: float) -> Ranking:
        """Up to k positions, best first, with their cosines, none under the floor; equal ones by their position.

        Args:
            vector: (dimensions,), length 1.
            allowed: which positions may be found.
            k: most positions.
            floor: lowest cosine.
        """
        copy = self._on_gpu()
        found = copy.nearest(vector, allowed, k) if copy else None
        positions, cosines = self._nearest(vector, allowed, k) if found is None else found
        if len(cosines) and not np.abs(cosines).max() <= _LONGEST:  # NaN isn't either
            raise VectorsError("rows aren't of length 1")
        near = np.flatnonzero(cosines >= floor)
        near = near[np.argsort(positions[near])]
        return top(positions[near].astype(np.int64), cosines[near].astype(np.float32), k)

    def exact(self) -> VectorSpace:
        """The same space, in which a search compares all vectors."""
        return VectorSpace(
            [(place, index.exact if isinstance(index, CompressedVectors) else index) for place, index in self._segments]
        )

    def _on_gpu(self) -> GpuVectors | None:
        """The copy on the GPU, which is made after as many searches as it takes to pay for it."""
        with self._counting:
            self._searches += 1
            if self._searches == _COPIED_AFTER:
                self._copy = copy_to_gpu(self._segments, sum(index.ntotal for _, index in self._segments))
            return self._copy

    def _nearest(self, vector: Vectors, allowed: Mask, k: int) -> npt.NDArray[Any]:
        """The k nearest positions of each segment, with their cosines, (2, found)."""
        found: list[npt.NDArray[Any]] = [np.zeros((2, 0))]
        for place, index in self._segments:
            mine = allowed[place : place + index.ntotal] if isinstance(place, int) else allowed[place]
            if depth := min(k, int(np.count_nonzero(mine))):
                rows, cosines = _nearest_rows(index, vector, mine, depth)
                if rows.min() < 0:
                    raise VectorsError("rows are missing")
                found.append(np.stack([rows + place if isinstance(place, int) else place[rows], cosines]))
        return np.concatenate(found, axis=1)


def _nearest_rows(
    index: SegmentVectors, vector: Vectors, allowed: Mask, depth: int
) -> tuple[npt.NDArray[np.int64], Vectors]:
    """The nearest allowed rows of a segment, and their cosines."""
    if isinstance(index, CompressedVectors):
        rows = index.candidates(vector, allowed, depth)
        if rows is not None:
            return top(rows, index.cosines(vector, rows), depth)
        index = index.exact
    selector = _FAISS.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
    [cosines], [rows] = index.search(vector[np.newaxis], depth, params=_FAISS.SearchParameters(sel=selector))
    return rows, cosines


def _write(index: FaissIndex, file: Path) -> None:
    """Write an index beside its place, then rename it: readers may have an equal one open."""
    whole = file.with_name(f".{file.name}")
    _FAISS.write_index(index, str(whole))
    os.replace(whole, file)


def _file(folder: Path, space: str) -> Path:
    return folder / ("".join(c if c.isalnum() or c in "._-" else "-" for c in space) + ".faiss")


def _compressed(folder: Path, space: str) -> Path:
    return _file(folder, space).with_suffix(".lists")
