"""Vectors of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from longtake.memory.search.search_types import Vectors


def unit_rows(rows: npt.NDArray[Any]) -> Vectors:
    """Each row divided by its length; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows, np.float32), where=lengths > 0)
    return unit
