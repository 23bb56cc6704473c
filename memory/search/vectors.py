"""Nearest vectors, by FAISS: every allowed one is compared.

With 256 numbers in a vector, that takes a few milliseconds for 100,000 of them. Where FAISS has a GPU, a large space is
copied to it once it has been searched often enough to pay for the copy.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from longtake.memory.search.fusion import Positions, Ranking, top
from longtake.memory.search.search_types import Vectors

Mask = npt.NDArray[np.bool_]
_FAISS: Any = faiss  # its types are those of C++; the package for CPUs lacks those for GPUs
_COPIED_AFTER = 80  # searches
_COPIED = 200_000  # vectors; copying fewer takes longer than it saves
_MOST = 2_048  # rows that a search on a GPU can return
_LONGEST = 1.01  # cosine, above which a row isn't of length 1


class VectorsError(Exception):
    """Vectors are damaged."""


class VectorSpace:
    """All vectors of one space."""

    def __init__(self, parts: Iterable[Vectors], positions: Positions) -> None:
        """Take one or more arrays, (rows, dimensions) with rows of length 1, and the positions of all their rows.

        Raises:
            VectorsError: if there are more or fewer rows than positions.
        """
        self._index: Any = None
        for part in parts:
            self._index = self._index or _FAISS.IndexFlatIP(part.shape[1])
            self._index.add(np.ascontiguousarray(part, np.float32))
        if self._index is None or self._index.ntotal != len(positions):
            raise VectorsError("rows are missing")
        self._positions = positions
        self._searches = 0
        self._copy: Any = None
        self._counting, self._turn = Lock(), Lock()

    def nearest(self, vector: Vectors, allowed: Mask, k: int, floor: float) -> Ranking:
        """Up to k positions, best first, with their cosines, none under the floor; equal ones by their position.

        Args:
            vector: (dimensions,), length 1.
            allowed: which positions may be found.
            k: most positions.
            floor: lowest cosine.

        Raises:
            VectorsError: if vectors aren't of length 1.
        """
        mine = allowed[self._positions]
        depth = min(k, int(np.count_nonzero(mine)))
        if not depth:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        found = self._nearest_there(vector, mine, depth)
        if found is None:
            only = _FAISS.SearchParameters(sel=_FAISS.IDSelectorBitmap(np.packbits(mine, bitorder="little")))
            [cosines], [rows] = self._index.search(vector[np.newaxis], depth, params=only)
            found = rows, cosines
        rows, cosines = found
        if rows.min() < 0 or not np.abs(cosines).max() <= _LONGEST:  # NaN isn't either
            raise VectorsError("rows aren't of length 1")
        rows, cosines = rows[cosines >= floor], cosines[cosines >= floor]
        order = np.argsort(self._positions[rows])
        return top(self._positions[rows[order]], cosines[order], k)

    def _nearest_there(self, vector: Vectors, mine: Mask, depth: int) -> Ranking | None:
        """The nearest allowed rows and their cosines by the copy on the GPU; None if the CPU has to search.

        The copy is made after as many searches as it takes to pay for it. A search there takes no filter.
        """
        with self._counting:
            self._searches += 1
            if self._searches == _COPIED_AFTER:
                self._copy = _copied(self._index)
        if self._copy is None:
            return None
        try:
            with self._turn:  # two searches at once would end the process
                [cosines], [rows] = self._copy.search(vector[np.newaxis], min(_MOST, len(mine)))
        except RuntimeError:  # something else has filled the GPU
            return None
        kept = mine[rows]
        return (rows[kept][:depth], cosines[kept][:depth]) if np.count_nonzero(kept) >= depth else None


def _copied(index: Any) -> Any:
    """An index on the GPU; None if there is no GPU, or too little room or vectors for it."""
    if index.ntotal < _COPIED or not hasattr(_FAISS, "GpuIndexFlatIP"):
        return None
    try:
        copy = _FAISS.GpuIndexFlatIP(_FAISS.StandardGpuResources(), index.d)
        copy.add(index.reconstruct_n(0, index.ntotal))
    except RuntimeError:
        return None
    return copy
