"""Finds flashes: for a moment the picture, or part of it, shows something else, then returns.

Each frame is compared with the one before it, tile by tile. A flash is two jumps a few frames apart in the same tiles
that stand out among the changes around them, where the second undoes the first. So nearby cuts, motion and the picture
of some seconds ago don't matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.changes import Look
from longtake.preprocess.analysis.novelty import Novelty, Spot
from longtake.preprocess.media.frames import SMALL, Picture

_BRIEF = 12  # frames that a flash may last
_AROUND = 10  # frames on each side of a jump, among which it must stand out
_TILES = (SMALL[0] // 10, SMALL[1] // 10)  # columns and rows
_JUMP = 10.0  # mean levels in a tile
_MIN_TILES = 3
_MIN_CHANGE = _JUMP * _MIN_TILES / (_TILES[0] * _TILES[1])  # the resulting mean levels in the whole picture
_AS_LARGE = 0.5  # share of a jump; changes of that size count as jumps too
_MAX_JUMPS = 4  # in a tile among the frames around: itself, the one that undoes it, and a cut on either side
_SMOOTH = 7  # pixels per side; blurs fine detail that moves meanwhile, so that it doesn't hide the return
_NEW = 20  # levels by which a flash differs from the pictures before and after it
_RETURNED = 0.5  # share of these levels by which the pictures before and after it may differ
_MIN_AREA, _LARGE, _VAST = 100, 300, 2400  # pixels of a small picture, 0.7, 2 and 17 %
_FILLED = 0.45  # share of the flash's box; the edges of something that shakes fill less
_BESIDE_SMALL, _BESIDE_LARGE = 0.05, 0.3  # share of the strength by which surroundings may change; no limit when vast

_Tiles = npt.NDArray[np.float32]
_Jump = npt.NDArray[np.bool_]
_STILL: _Tiles = np.zeros(_TILES[::-1], np.float32)


class Flash(NamedTuple):
    """A flash: its start, the time of the frame after it, both in seconds, and its place."""

    start: float
    end: float
    spot: Spot


class Flashes:
    """Finds pairs of jumps, once the frames after the second are known."""

    def __init__(self) -> None:
        self._around = np.zeros((2 * _AROUND + 1, *_STILL.shape), np.float32)  # ring buffer of the latest changes
        self._number = 0
        self._jumps: deque[_Jump | None] = deque(maxlen=_BRIEF + 1)  # tiles, up to the middle of the ring buffer
        self._since = 0  # frames from the last flash, or from the beginning, to there

    def observe(self, looks: Sequence[Look]) -> Flash | None:
        """Process the last look; returns a newly confirmed flash."""
        moved = len(looks) > 1 and looks[-1].change >= _MIN_CHANGE
        return self._add(_change(looks[-2].luma, looks[-1].luma) if moved else _STILL, looks, _AROUND)

    def finish(self, looks: Sequence[Look]) -> list[Flash]:
        """The flashes in the last frames, decided without the frames that would follow."""
        found = (self._add(_STILL, looks, later) for later in reversed(range(_AROUND)))
        return [flash for flash in found if flash]

    def _add(self, change: _Tiles, looks: Sequence[Look], later: int) -> Flash | None:
        """Add a change to the buffer; returns the flash that ends at its middle, `later` looks before the last."""
        self._around[self._number % len(self._around)] = change
        jump = self._jump(self._around[(self._number - _AROUND) % len(self._around)])
        self._number += 1
        if self._number <= _AROUND:
            return None
        self._jumps.append(jump)
        self._since += 1
        if jump is None:
            return None
        at = len(looks) - 1 - later
        for frames in range(1, min(self._since, len(self._jumps))):
            earlier = self._jumps[-1 - frames]
            if earlier is None or np.count_nonzero(earlier & jump) < _MIN_TILES:
                continue
            first, middle = at - frames, at - (frames + 1) // 2
            spot = _flash(*(looks[each].luma for each in (first - 1, first, middle, at - 1, at)))
            if spot:
                self._since = 0
                return Flash(looks[at - frames].time, looks[at].time, spot)
        return None

    def _jump(self, change: _Tiles) -> _Jump | None:
        """The tiles in which a change jumps and stands out; None if there are too few."""
        jump = change >= _JUMP
        if np.count_nonzero(jump) < _MIN_TILES:
            return None
        return np.asarray(jump & ((self._around >= _AS_LARGE * change).sum(axis=0) <= _MAX_JUMPS), np.bool_)


def _change(before: Picture, after: Picture) -> _Tiles:
    return np.asarray(cv2.resize(cv2.absdiff(before, after), _TILES, interpolation=cv2.INTER_AREA), np.float32)


def _flash(*pictures: Picture) -> Spot | None:
    """Where the second to the fourth of five pictures differ from the first and from the last, which are alike."""
    before, first, middle, last, after = (cv2.blur(picture, (_SMOOTH, _SMOOTH)) for picture in pictures)
    came, went = cv2.absdiff(before, first), cv2.absdiff(last, after)
    excess = cv2.min(cv2.min(came, went), cv2.absdiff(before, middle))
    # Subtraction saturates at zero, so pixels that didn't return drop out.
    returned = cv2.addWeighted(excess, _RETURNED, cv2.absdiff(before, after), -1.0, 0.0)
    new = Novelty(np.asarray(cv2.copyTo(excess, returned), np.uint8), _NEW)
    if new.area < _MIN_AREA:
        return None
    spot = max(new.spots(1), key=lambda each: each.area)
    if spot.area < _MIN_AREA or spot.filled < _FILLED:
        return None
    beside = max(_beside(came, spot), _beside(went, spot)) / spot.strength
    if spot.area < _VAST and beside > (_BESIDE_LARGE if spot.area >= _LARGE else _BESIDE_SMALL):
        return None
    return _sharpened(spot, np.asarray(excess, np.uint8))


def _beside(change: cv2.typing.MatLike, spot: Spot) -> float:
    """Mean levels of change around a spot's box, within half its size."""
    width, height = spot.right - spot.left, spot.bottom - spot.top
    rows = slice(max(0, spot.top - height // 2), spot.bottom + height // 2)
    columns = slice(max(0, spot.left - width // 2), spot.right + width // 2)
    near, inside = change[rows, columns], change[spot.top : spot.bottom, spot.left : spot.right]
    outside = cv2.sumElems(near)[0] - cv2.sumElems(inside)[0]
    return float(outside / max(1, near.size - inside.size))


def _sharpened(spot: Spot, excess: Picture) -> Spot:
    """The spot with its box at half strength, which undoes the smoothing at a flash's edges."""
    inside = excess[spot.top : spot.bottom, spot.left : spot.right]
    left, top, width, height = cv2.boundingRect(cv2.threshold(inside, spot.strength / 2, 1, cv2.THRESH_BINARY)[1])
    left, top = spot.left + left, spot.top + top
    return spot._replace(left=left, top=top, right=left + width, bottom=top + height)
