"""Finds novelty: content of a frame that its pixels and their neighbours showed neither just before nor just after.

A pixel is new if its brightness is outside the range that it and its neighbours had in the frames compared; this is
double differencing (Kameda and Minoh, 1996) that tolerates one pixel of motion. So cuts and static content aren't new,
slow motion hardly is, and anything in a different place in each frame is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from longtake.preprocess.analysis.changes import Look
from longtake.preprocess.media.frames import SMALL, Picture

REACH = 2  # frames; compares with the frames this far before and after
_NEW = 20  # levels outside the earlier and later range
_NEIGHBOURS = np.ones((3, 3), np.uint8)


class Spot(NamedTuple):
    """A new part of a small picture: its place in pixels, the number of new pixels, and their mean excess in levels."""

    left: int
    top: int
    right: int
    bottom: int
    area: int
    strength: float

    @property
    def centre(self) -> complex:
        """Its middle in pixels; the imaginary part points down."""
        return complex(self.left + self.right, self.top + self.bottom) / 2

    @property
    def side(self) -> int:
        """The longer side of its box, in pixels."""
        return max(self.right - self.left, self.bottom - self.top)

    @property
    def filled(self) -> float:
        """Share of its box that is new."""
        return self.area / ((self.right - self.left) * (self.bottom - self.top))


class Novelty:
    """The new pixels of a small picture: those that stand out by more than `min_levels`; `area` counts them."""

    def __init__(self, excess: Picture, min_levels: int = _NEW) -> None:
        self._excess = excess
        self._new = np.asarray(cv2.threshold(excess, min_levels, 1, cv2.THRESH_BINARY)[1], np.uint8)
        self.area = cv2.countNonZero(self._new)

    def spots(self, gap: int, max_side: int = max(SMALL), max_count: int = SMALL[0] * SMALL[1]) -> list[Spot]:
        """Its parts with no side over `max_side`, merging those up to 2 * `gap` pixels apart.

        Empty if there are more than `max_count` parts of any size.
        """
        if not self.area:
            return []
        # The border keeps dilated parts from being clipped, so that their boxes show the original place.
        spread = cv2.copyMakeBorder(self._new, gap, gap, gap, gap, cv2.BORDER_CONSTANT, value=0)
        spread = cv2.dilate(spread, np.ones((2 * gap + 1, 2 * gap + 1), np.uint8))
        parts, _ = cv2.findContours(spread, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        boxes = map(cv2.boundingRect, parts if len(parts) <= max_count else ())
        return [
            self._spot(left, top, width - 2 * gap, height - 2 * gap)
            for left, top, width, height in boxes
            if max(width, height) <= max_side + 2 * gap
        ]

    def _spot(self, left: int, top: int, width: int, height: int) -> Spot:
        box = slice(top, top + height), slice(left, left + width)
        strength = cv2.mean(self._excess[box], self._new[box])[0]
        return Spot(left, top, left + width, top + height, cv2.countNonZero(self._new[box]), strength)


def novelty(looks: Sequence[Look], at: int) -> Novelty | None:
    """What is new in `looks[at]`; None if it is unchanged, or a frame to compare with is missing."""
    if not REACH <= at < len(looks) - REACH:
        return None
    before, luma, after = looks[at - REACH].luma, looks[at].luma, looks[at + REACH].luma
    if luma is before or luma is after:
        return None
    highest = cv2.dilate(cv2.max(before, after), _NEIGHBOURS)
    lowest = cv2.erode(cv2.min(before, after), _NEIGHBOURS)
    return Novelty(np.asarray(cv2.max(cv2.subtract(luma, highest), cv2.subtract(lowest, luma)), np.uint8))
