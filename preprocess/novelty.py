"""Novelty: what a frame shows that its pixels showed neither some frames before nor some frames after.

A pixel is new where its brightness lies outside all that it had around that time; this is double differencing (Kameda
and Minoh, 1996) over several frames on each side. So a cut, a dissolve or a change of light is not new, habitual
motion hardly is, and what comes and goes within a dozen frames is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.changes import Look
from longtake.preprocess.frames import SMALL, Picture

BRIEF = 12  # frames that something new may be in one place
_OFFSETS = (BRIEF + 1, BRIEF + 3, BRIEF + 5, BRIEF + 8)  # frames on each side that are compared with
REACH = _OFFSETS[-1]
_NEW = 20  # levels outside of what was there
_JOIN = np.ones((3, 3), np.uint8)
_CORE = np.ones((2, 2), np.uint8)


class Spot(NamedTuple):
    """A part of a small picture that is new: its place in pixels, how many are new, and by how many levels."""

    left: int
    top: int
    right: int
    bottom: int
    area: int
    strength: float

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle, in pixels."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def filled(self) -> float:
        """Share of its box that is new."""
        return self.area / self._box

    def overlap(self, other: Spot) -> float:
        """Intersection over union of the two boxes."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        shared = max(0, width) * max(0, height)
        return shared / (self._box + other._box - shared)

    @property
    def _box(self) -> int:
        return (self.right - self.left) * (self.bottom - self.top)


class Novelty:
    """The new pixels of a small picture; `area` is how many they are."""

    def __init__(self, excess: Picture, new: Picture) -> None:
        self.area = cv2.countNonZero(new)
        self._excess = excess
        self._new = new

    def solid(self) -> Novelty:
        """What is new without thin lines, as are the edges of whatever moves."""
        return Novelty(self._excess, np.asarray(cv2.erode(self._new, _CORE), np.uint8)) if self.area else self

    def largest(self) -> Spot:
        """The largest connected part; there is one where the area is not 0."""
        return self._spots(1)[0]

    def spots(self, most: int) -> list[Spot]:
        """Its connected parts, largest first; none where they are more than `most`."""
        return self._spots(most) if self.area and self._parts[0] <= most else []

    @cached_property
    def _parts(self) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32], tuple[slice, slice]]:
        """How many parts, which pixel belongs to which, their boxes and areas, and the piece that was looked at."""
        left, top, width, height = cv2.boundingRect(self._new)
        piece = slice(max(0, top - 1), top + height + 1), slice(max(0, left - 1), left + width + 1)
        joined = cv2.dilate(self._new[piece], _JOIN)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
        return count - 1, np.asarray(labels, np.int32), np.asarray(stats, np.int32), piece

    def _spots(self, most: int) -> list[Spot]:
        _, labels, stats, piece = self._parts
        new, excess = self._new[piece], self._excess[piece]
        spots = []
        for label in 1 + np.argsort(-stats[1:, cv2.CC_STAT_AREA], kind="stable")[:most]:
            left, top, width, height = (int(number) for number in stats[label, :4])
            box = slice(top, top + height), slice(left, left + width)
            pixels = (labels[box] == label) & (new[box] > 0)
            left, top = left + piece[1].start, top + piece[0].start
            strength = float(excess[box][pixels].mean())
            spots.append(Spot(left, top, left + width, top + height, int(pixels.sum()), strength))
        return spots


_NOTHING = Novelty(*np.zeros((2, SMALL[1], SMALL[0]), np.uint8))


def novelty(looks: Sequence[Look], at: int) -> Novelty:
    """What is new in `looks[at]`."""
    luma = looks[at].luma
    before = [looks[at - offset].luma for offset in _OFFSETS if at >= offset]
    after = [looks[at + offset].luma for offset in _OFFSETS if at + offset < len(looks)]
    around = {id(each): each for each in before + after}  # pictures that did not change are one
    if not before or not after or (len(around) == 1 and id(luma) in around):
        return _NOTHING
    least, greatest = (reduce(extreme, around.values()) for extreme in (cv2.min, cv2.max))
    excess = cv2.max(cv2.subtract(luma, greatest), cv2.subtract(least, luma))
    new = cv2.threshold(excess, _NEW, 1, cv2.THRESH_BINARY)[1]
    return Novelty(np.asarray(excess, np.uint8), np.asarray(new, np.uint8))
