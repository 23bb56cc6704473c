"""Finds dissolves: one picture gradually replaces another.

Each frame of a dissolve is a mixture of its first and its last, `(1 - a) first + a last`, with a share `a` that grows
from 0 to 1 (Hampapur, Jain and Weymouth, 1994), and halfway its contrast is below both (Alattar, 1993). The test fits
the share of each frame between two that differ, and measures what the mixture leaves unexplained: a moving camera
leaves much, and never loses contrast.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.changes import HISTORY, Changes, Look
from longtake.preprocess.transitions.fades import Gradual

_Cells = npt.NDArray[np.float32]
_Shares = npt.NDArray[np.floating[Any]]

CELLS = (32, 18)
_EVERY = 3  # frames between two tests
_LENGTHS = (12, 18, 27, 40, HISTORY)  # window lengths in frames
_DIFFERENT = 8.0  # levels between first and last
_MIN_DIFFERENT = 0.5  # share of the cells that differ so: a title that fades in is no dissolve
_UNEXPLAINED = 0.45  # share of that difference by which a frame may miss the mixture
_MEDIAN_UNEXPLAINED = 0.3  # the same for half of the frames
_ALIKE = 0.8  # correlation of first and last above which the light has changed, not the scene
_MIN_CONTRAST = 25.0  # mean variance of brightness of first and last
_PALER = 0.8  # share of the contrast of first and last left halfway: their details wash each other out
_BLACK = 28.0  # mean level of a picture into or out of which another fades
_MIN_FRAMES = 4  # frames that are neither the first nor the last picture
_MAX_STEP = 0.5  # of the way from first to last, between two frames; more is a cut
_AT_REST, _MOVED_AT_REST = 1 / 8, 0.07  # share of the frames at both ends, and how far along those may be


class Dissolves:
    """Finds dissolves of up to about two seconds in the latest frames."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._cells: deque[_Cells] = deque(maxlen=HISTORY)
        self._frames = 0
        self._found_until = -1.0

    def observe(self) -> list[Gradual]:
        """Process the latest frame; returns a newly confirmed dissolve."""
        self._frames += 1
        self._cells.append(self._latest_cells())
        if self._frames % _EVERY or self._changes.at_rest:
            return []
        looks = [*self._changes.recent]
        for length in _LENGTHS:
            if length <= len(looks):
                dissolve = self._within(looks[-length:])
                if dissolve and dissolve.start > self._found_until:
                    self._found_until = dissolve.end
                    return [dissolve]
        return []

    def _latest_cells(self) -> _Cells:
        if self._changes.unchanged and self._cells:
            return self._cells[-1]
        luma = self._changes.recent[-1].luma
        return np.asarray(cv2.resize(luma, CELLS, interpolation=cv2.INTER_AREA), dtype=np.float32).ravel()

    def _within(self, looks: Sequence[Look]) -> Gradual | None:
        """The dissolve in the latest frames, if still pictures precede and follow it."""
        length = len(looks)
        # Cheapest first: nearly every run of frames fails here.
        contrast = [look.contrast for look in looks]
        palest = _PALER * (contrast[0] + contrast[-1]) / 2
        if palest < _PALER * _MIN_CONTRAST or min(contrast) > palest:
            return None
        first, middle, last = self._cells[-length], self._cells[-length // 2], self._cells[-1]
        if np.count_nonzero(np.abs(last - first) > _DIFFERENT) < _MIN_DIFFERENT * first.size:
            return None
        if explain_by_mixture(first, last, middle[np.newaxis])[1][0] > _UNEXPLAINED or _alike(first, last):
            return None
        frames = np.stack([self._cells[n] for n in range(-length, 0)])
        shares, unexplained = explain_by_mixture(first, last, frames)
        rest = max(1, round(length * _AT_REST))
        between = np.flatnonzero((shares > 0.1) & (shares < 0.9))
        if unexplained.max() > _UNEXPLAINED or np.median(unexplained) > _MEDIAN_UNEXPLAINED:
            return None
        if len(between) < _MIN_FRAMES or np.diff(shares).max() > _MAX_STEP:
            return None
        if shares[rest] > _MOVED_AT_REST or shares[-1 - rest] < 1 - _MOVED_AT_REST:
            return None
        if contrast[int(np.abs(shares - 0.5).argmin())] > palest:
            return None
        times = [look.time for look in looks]
        low, half, high = np.interp((0.25, 0.5, 0.75), np.maximum.accumulate(shares), times)
        return Gradual(float(half), float(max(times[0], 1.5 * low - high / 2)), float(1.5 * high - low / 2))


def explain_by_mixture(first: _Cells, last: _Cells, frames: npt.NDArray[np.float32]) -> tuple[_Shares, _Shares]:
    """For each row of `frames`, the share of `last` in it, and the unexplained rest relative to the difference."""
    way = last - first
    length = float(way @ way)
    offsets = frames - first
    shares = offsets @ way / length
    # What a frame is off the way, by Pythagoras: cheaper than to subtract the mixture.
    rest = np.einsum("ij,ij->i", offsets, offsets) / length - np.square(shares)
    return np.asarray(shares), np.sqrt(np.maximum(rest, 0.0))


def _alike(first: _Cells, last: _Cells) -> bool:
    """Whether both show the same scene, or one of them is black."""
    if min(float(first.mean()), float(last.mean())) < _BLACK:
        return True
    deviations = float(first.std() * last.std())
    covariance = float(((first - first.mean()) * (last - last.mean())).mean())
    return abs(covariance) > _ALIKE * deviations
