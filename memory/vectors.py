"""Vectors of documents, in FAISS: one immutable segment file for each video and revision, exact inner product.

On disk: `<root>/<space>/<video>-<revision>.faiss`; row n of a segment is document n of that revision. One space per
embedding: vectors of different models are never compared.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from longtake.memory.index import Vectors

Rows = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]


class VectorStore:
    """The segments of one space, loaded on first use and kept by file name."""

    def __init__(self, root: Path, space: str) -> None:
        self.root = root
        self.folder = root / "".join(c if c.isalnum() or c in "._-" else "-" for c in space)
        self._loaded: dict[str, Any] = {}

    def has(self, video: str, revision: str) -> bool:
        """Whether the segment of a revision is there."""
        return self._file(video, revision).is_file()

    def write(self, video: str, revision: str, vectors: Vectors) -> None:
        """Write a segment whole: (documents, dimensions), rows of length 1."""
        self.folder.mkdir(parents=True, exist_ok=True)
        segment = faiss.IndexFlatIP(vectors.shape[1])
        segment.add(np.ascontiguousarray(vectors, np.float32))
        descriptor, name = tempfile.mkstemp(prefix=".segment-", dir=self.folder)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(faiss.serialize_index(segment).tobytes())
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(name, self._file(video, revision))
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name)
            raise

    def nearest(
        self, video: str, revision: str, vector: Vectors, rows: Rows | None, k: int, floor: float
    ) -> tuple[Rows, Scores]:
        """Up to k rows of a segment, best first, with their cosines, none under the floor.

        Args:
            video: library id.
            revision: of the video's documents.
            vector: (dimensions,), length 1.
            rows: the only rows that may be found; None allows all.
            k: most rows.
            floor: lowest cosine.

        Raises:
            RuntimeError: when the segment is missing or damaged.
        """
        segment = self._segment(video, revision)
        if segment.ntotal == 0 or (rows is not None and not rows.size):
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        options: Any = faiss.SearchParameters  # its keyword arguments are added at run time, unseen by type checkers
        options = None if rows is None else options(sel=faiss.IDSelectorBatch(rows))
        scores, found = segment.search(vector.reshape(1, -1), min(k, segment.ntotal), params=options)
        kept = (found[0] >= 0) & (scores[0] >= floor)
        nearest, cosines = found[0][kept], scores[0][kept]
        order = np.lexsort((nearest, -cosines))  # FAISS leaves the order of equal scores open
        return nearest[order], cosines[order]

    def keep_only(self, names: Iterable[tuple[str, str]]) -> None:
        """Remove the segments of every space but those of these (video, revision) pairs, and interrupted writes."""
        wanted = {self._file(*name).name for name in names}
        for file in self.root.glob("*/*"):
            if file.name not in wanted:
                file.unlink(missing_ok=True)
        self._loaded = {name: segment for name, segment in self._loaded.items() if name in wanted}

    def _file(self, video: str, revision: str) -> Path:
        return self.folder / f"{video}-{revision}.faiss"

    def _segment(self, video: str, revision: str) -> Any:
        file = self._file(video, revision)
        segment = self._loaded.get(file.name)
        if segment is None:
            segment = self._loaded[file.name] = faiss.read_index(str(file))
        return segment
