"""Vectors of documents, in FAISS: one flat index for each segment and space, mapped from its file and not read whole.

A search compares every allowed vector and so is exact. With 256 numbers in a vector it takes 5 to 10 ms for
100,000 documents, and grows in proportion to them. Where FAISS has a GPU, a large space is copied to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from longtake.lazy import cached_property
from longtake.memory.layers import write_atomic
from longtake.memory.search.fusion import Ranking, top
from longtake.memory.search.gpu_vectors import GpuVectors, copy_to_gpu
from longtake.memory.search.search_index import Vectors

Mask = npt.NDArray[np.bool_]
_LONGEST = 1.01  # cosine, above which a row isn't of length 1
_FAISS: Any = faiss  # its types are those of C++, and know nothing of what Python may hand over


class VectorsError(Exception):
    """Vectors are damaged."""


def write_vectors(folder: Path, space: str, vectors: Vectors) -> None:
    """Write the vectors of a segment, (rows, dimensions) with rows of length 1."""
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors, np.float32))
    write_atomic(_file(folder, space), faiss.serialize_index(index).tobytes())


def open_vectors(folder: Path, space: str, rows: int) -> Any:
    """Map the FAISS index of a segment's vectors, which must have this many rows.

    Raises:
        RuntimeError: if the file is missing or damaged.
    """
    index = faiss.read_index(str(_file(folder, space)), faiss.IO_FLAG_MMAP_IFC)
    if index.ntotal != rows or index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise RuntimeError(f"{index.ntotal} rows instead of {rows}")
    return index


class VectorSpace:
    """All vectors of one space, segment after segment."""

    def __init__(self, segments: Sequence[tuple[int, Any]]) -> None:
        """Take the FAISS indexes of the segments, each with the position of its first row among all documents."""
        self._segments = segments

    def nearest(self, vector: Vectors, allowed: Mask, k: int, floor: float) -> Ranking:
        """Up to k positions, best first, with their cosines, none under the floor; equal ones by their position.

        Args:
            vector: (dimensions,), length 1.
            allowed: which positions may be found.
            k: most positions.
            floor: lowest cosine.
        """
        found = self._on_gpu.nearest(vector, allowed, k) if self._on_gpu else None
        positions, cosines = self._nearest(vector, allowed, k) if found is None else found
        near = np.flatnonzero(cosines >= floor)
        near = near[np.argsort(positions[near])]
        return top(positions[near].astype(np.int64), cosines[near].astype(np.float32), k)

    @cached_property
    def _on_gpu(self) -> GpuVectors | None:
        return copy_to_gpu(self._segments, sum(index.ntotal for _, index in self._segments))

    def _nearest(self, vector: Vectors, allowed: Mask, k: int) -> npt.NDArray[Any]:
        """The k nearest positions of each segment, with their cosines, (2, found)."""
        found = [np.zeros((2, 0))]
        for first, index in self._segments:
            mine = allowed[first : first + index.ntotal]
            if depth := min(k, int(np.count_nonzero(mine))):
                selector = _FAISS.IDSelectorBitmap(np.packbits(mine, bitorder="little"))
                only = _FAISS.SearchParameters(sel=selector)
                cosines, rows = index.search(vector[np.newaxis], depth, params=only)
                if rows.min() < 0 or np.abs(cosines).max() > _LONGEST:  # NaN is never found
                    raise VectorsError("rows aren't of length 1")
                found.append(np.concatenate([rows + first, cosines]))
        return np.concatenate(found, axis=1)


def _file(folder: Path, space: str) -> Path:
    return folder / ("".join(c if c.isalnum() or c in "._-" else "-" for c in space) + ".faiss")
