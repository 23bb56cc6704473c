"""Many vectors: FAISS's inverted lists of 8-bit codes say which rows may be near, the exact vectors say which are.

Lists and vectors both stay in their files, mapped. Rows that a filter leaves few of are compared exactly, all of them.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import Any, Protocol

import faiss
import numpy as np
import numpy.typing as npt

MIN_ROWS = 100_000  # below this, comparing all vectors takes at most 10 ms
_FEW = 20_000  # allowed rows that are all compared
_PROBED = 128  # lists that a search without a filter reads; a filter makes it read more, for as many rows
_SPARE = 2  # times as many candidates as are wanted: codes of 8 bits put few of them in another order
_SAMPLE = 64  # vectors for each list, that the lists' centres are learned from
_ROUNDS = 10  # of learning them

Vectors = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
_FAISS: Any = faiss  # its types are those of C++, and know nothing of what Python may hand over


class FaissIndex(Protocol):
    """What Longtake uses of every index of FAISS, whose own types are those of C++."""

    @property
    def ntotal(self) -> int:
        """Number of vectors."""
        ...

    @property
    def d(self) -> int:
        """Dimensions."""
        ...

    def search(self, x: Vectors, k: int, *, params: Any = None) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """The nearest rows of each vector: their cosines, and their numbers."""
        ...


class FlatIndex(FaissIndex, Protocol):
    """An index that compares all vectors."""

    def get_xb(self) -> Any:
        """Pointer to the vectors."""
        ...

    def reconstruct_n(self, n0: int, ni: int) -> Vectors:
        """`ni` vectors from `n0` on."""
        ...


class ListsIndex(FaissIndex, Protocol):
    """An index of inverted lists."""

    @property
    def nlist(self) -> int:
        """Number of lists."""
        ...

    @property
    def invlists(self) -> Any:
        """The lists."""
        ...


def compress(vectors: Vectors) -> ListsIndex:
    """The inverted lists of vectors, (rows, dimensions) with rows of length 1; the same for the same vectors."""
    rows, dimensions = vectors.shape
    count = max(1, round(sqrt(rows)))
    lists: Any = _FAISS.IndexIVFScalarQuantizer(
        _FAISS.IndexFlatIP(dimensions),
        dimensions,
        count,
        _FAISS.ScalarQuantizer.QT_8bit,
        _FAISS.METRIC_INNER_PRODUCT,
    )
    lists.cp.niter = _ROUNDS
    lists.cp.max_points_per_centroid = _SAMPLE
    lists.train(np.ascontiguousarray(vectors[:: max(1, rows // (count * _SAMPLE))]))
    lists.add(vectors)
    made: ListsIndex = lists
    return made


class CompressedVectors:
    """A flat FAISS index, and inverted lists over the same rows that tell where to look."""

    def __init__(self, exact: FlatIndex, lists: ListsIndex) -> None:
        """Take both, mapped.

        Raises:
            RuntimeError: if they don't belong together.
        """
        if (lists.ntotal, lists.d) != (exact.ntotal, exact.d):
            raise RuntimeError(f"{lists.ntotal} compressed rows for {exact.ntotal}")
        self.ntotal = exact.ntotal
        self.d = exact.d
        self.exact = exact  # keeps `_vectors` alive
        # Mapped lists are read ahead by threads of their own, in a way that two searches at once don't survive.
        _FAISS.downcast_InvertedLists(lists.invlists).prefetch_nthread = 0
        self._lists = lists
        self._vectors: Vectors = _FAISS.rev_swig_ptr(exact.get_xb(), self.ntotal * self.d).reshape(-1, self.d)

    def reconstruct_n(self, first: int, count: int) -> Vectors:
        """These vectors, (count, dimensions)."""
        return self._vectors[first : first + count]

    def candidates(self, vector: Vectors, allowed: Mask, depth: int) -> npt.NDArray[np.int64] | None:
        """Allowed rows among which the nearest are; None if all rows have to be compared.

        Args:
            vector: (dimensions,), length 1.
            allowed: (rows,).
            depth: how many of the nearest are wanted.
        """
        count = int(np.count_nonzero(allowed))
        if count <= _FEW:
            return np.flatnonzero(allowed)
        selector = _FAISS.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
        probed = min(self._lists.nlist, ceil(_PROBED * self.ntotal / count))
        only = _FAISS.SearchParametersIVF(nprobe=probed, sel=selector)
        _, [rows] = self._lists.search(vector[np.newaxis], min(count, depth * _SPARE), params=only)
        rows = np.sort(rows[rows >= 0])
        return rows if len(rows) >= min(depth, count) else None

    def cosines(self, vector: Vectors, rows: npt.NDArray[np.int64]) -> Vectors:
        """The exact cosines of rows."""
        return self._vectors[rows] @ vector


SegmentVectors = FlatIndex | CompressedVectors
