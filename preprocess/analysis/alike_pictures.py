"""Tells pictures of the layer `keyframes` that only hold the one before."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import cv2
import numpy as np

from longtake.memory.layers import Layer

_SMALL = (32, 18)  # pixels in which two pictures are compared
_ALIKE = 24  # of 255, by which no channel of a pixel may differ

Alike = Callable[[str, str], bool]


def alike_in(keyframes: Layer) -> Alike:
    """Compares files of the layer in few pixels; one that can't be read is like none."""

    @cache
    def small(file: str) -> Any:
        picture = cv2.imread(str(keyframes.path / file), cv2.IMREAD_REDUCED_COLOR_4)
        return None if picture is None else cv2.resize(picture, _SMALL, interpolation=cv2.INTER_AREA).astype(np.int16)

    def alike(one: str, other: str) -> bool:
        first, second = small(one), small(other)
        if one == other or first is None or second is None:
            return one == other
        return bool(np.abs(first - second).max() < _ALIKE)

    return alike
