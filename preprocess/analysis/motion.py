"""Detects camera motion (pans, tilts, zooms and shaking) from how the whole picture shifts between looks.

Phase correlation (Kuglin and Hines, 1975) finds the shift of each quarter and is reliable for large shifts. Least
squares (Lucas and Kanade, 1981) refines it to a fraction of a pixel, without which slow zooms are lost. If the quarters
agree, the camera moved; if they move away from the middle, it zoomed.
"""

from __future__ import annotations

from itertools import groupby
from math import dist, hypot
from statistics import fmean, median
from typing import NamedTuple

import cv2
import numpy as np

from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.analysis.observers import Found
from longtake.preprocess.media.frames import SMALL, Frame, Picture

_LOOKS_PER_SECOND = 5.0
_PART = (80, 40)  # width and height of the four parts compared; odd sizes shift the correlation by half a pixel
_PLACES = tuple((left, top) for top in (5, 45) for left in (0, 80))
_WINDOW = (39, 39)  # pixels around the middle of a part, used to refine its shift
_MAX_REFINEMENT = 1.5  # pixels
_SURE = 0.15  # response of the correlation; below this, the pictures show different things
_MIN_PARTS = 3  # that must agree
_TOLERANCE, _TOLERATED = 0.4, 0.35  # pixels, or share of the motion, by which a part may differ
_MIN_SHIFT = 0.02  # of the width, in a second
_MIN_ZOOM = 0.04  # of the size, in a second
_MIN_STEADY = 4  # looks that agree
_MIN_SHAKY = 6  # looks that move but don't agree
_BRIDGED = 1.0  # seconds without a certain look between two spans of one motion
_MAX_LOOKS = 150  # in one run, to bound memory


class _Move(NamedTuple):
    """How many pixels the content of a part moved right and down, and the part's middle relative to the picture's."""

    across: float
    along: float
    x: float
    y: float

    def outward(self, x: float, y: float) -> float:
        """The growth that this part shows, if the whole moved by (x, y)."""
        return ((self.x - x) * self.across + (self.y - y) * self.along) / (self.across**2 + self.along**2)

    def misses(self, x: float, y: float, growth: float) -> float:
        """Pixels by which its motion differs from a picture that moved by (x, y) and grew."""
        return hypot(self.x - x - growth * self.across, self.y - y - growth * self.along)


class _Look(NamedTuple):
    """How the content moved up to `time`: right and down in widths per second, and growth per second."""

    time: float
    kind: str
    right: float
    down: float
    growth: float

    @property
    def speed(self) -> float:
        """Shift in widths per second, or growth."""
        return abs(self.growth) if self.kind.startswith("zoom") else hypot(self.right, self.down)


class CameraMotion:
    """Compares the picture with the last one a few times a second.

    Items are {start, end, kind, speed}: the kind is pan_left, pan_right, tilt_up, tilt_down, zoom_in, zoom_out or
    shake; the speed is in picture widths per second, or in picture sizes per second for a zoom.
    """

    def __init__(self, changes: Changes) -> None:
        self.found = Found()
        self._changes = changes
        self._time = 0.0
        self._last: Picture | None = None
        self._start = 0.0
        self._stretch: list[_Look] = []  # consecutive looks in which the camera moved

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        if self._last is not None and frame.time < self._time + 0.9 / _LOOKS_PER_SECOND:
            return
        luma = self._changes.recent[-1].luma
        look = None
        if self._last is not None and luma is not self._last:
            look = _compare(self._last, luma, frame.time - self._time, frame)
        if look is None or len(self._stretch) >= _MAX_LOOKS:
            self._write()
        if look is not None:
            if not self._stretch:
                self._start = self._time
            self._stretch.append(look)
        self._last, self._time = luma, frame.time

    def finish(self, end: float) -> None:
        """Write the last run."""
        self._write()

    def _write(self) -> None:
        """Record the steady motions of the run, and shaking in between."""
        start, shaky = self._start, list[_Look]()
        shaky_since = start
        for _, looks in groupby(self._stretch, key=lambda look: look.kind):
            run = list(looks)
            if len(run) >= _MIN_STEADY:
                self._keep("shake", shaky_since, shaky, _MIN_SHAKY)
                self._keep(run[0].kind, start, run, _MIN_STEADY)
                shaky, shaky_since = [], run[-1].time
            else:
                shaky += run
            start = run[-1].time
        self._keep("shake", shaky_since, shaky, _MIN_SHAKY)
        self._stretch = []

    def _keep(self, kind: str, start: float, looks: list[_Look], fewest: int) -> None:
        if len(looks) < fewest:
            return
        speed, seconds = fmean(look.speed for look in looks), looks[-1].time - start
        last = self.found.items[-1] if self.found.items else None
        if last and last["kind"] == kind and start - last["end"] <= _BRIDGED:
            before = last["end"] - last["start"]
            speed = (last["speed"] * before + speed * seconds) / (before + seconds)
            start = self.found.items.pop()["start"]
        span = {"start": round(start, 3), "end": round(looks[-1].time, 3), "kind": kind}
        self.found.items.append(span | {"speed": round(speed, 3)})


def _compare(before: Picture, after: Picture, seconds: float, frame: Frame) -> _Look | None:
    """How the content moved between two looks; None if it is still or only parts of it moved."""
    moves = [move for place in _PLACES if (move := _move(before, after, place))]
    if len(moves) < _MIN_PARTS:
        return None
    x, y = median(move.x for move in moves), median(move.y for move in moves)
    growth = median(move.outward(x, y) for move in moves)
    tolerance = max(_TOLERANCE, _TOLERATED * max(hypot(x, y), abs(growth) * hypot(*_PART) / 2))
    agreeing = sum(move.misses(x, y, growth) <= tolerance for move in moves)
    if agreeing < _MIN_PARTS:
        return None
    right, down = x / SMALL[0] / seconds, y / SMALL[1] * frame.stream.height / frame.stream.width / seconds
    return _named(frame.time, right, down, growth / seconds)


def _named(time: float, right: float, down: float, growth: float) -> _Look | None:
    """The look with its kind of motion; None if the camera is still. Content moves opposite to the camera."""
    shift = hypot(right, down)
    if abs(growth) >= max(_MIN_ZOOM, 2 * shift):
        kind = "zoom_in" if growth > 0 else "zoom_out"
    elif shift < _MIN_SHIFT:
        return None
    elif abs(right) >= abs(down):
        kind = "pan_left" if right > 0 else "pan_right"
    else:
        kind = "tilt_up" if down > 0 else "tilt_down"
    return _Look(time, kind, right, down, growth)


def _move(before: Picture, after: Picture, place: tuple[int, int]) -> _Move | None:
    """How the content of a quarter moved; None if that is uncertain."""
    (width, height), (left, top) = _PART, place
    part = slice(top, top + height), slice(left, left + width)
    window = cv2.createHanningWindow(_PART, cv2.CV_32F)
    (x, y), response = cv2.phaseCorrelate(before[part].astype(np.float32), after[part].astype(np.float32), window)
    if response <= _SURE:
        return None
    across, along = left + (width - SMALL[0]) / 2, top + (height - SMALL[1]) / 2
    return _Move(across, along, *_refined(before, after, (left + width / 2, top + height / 2), (x, y)))


def _refined(
    before: Picture, after: Picture, middle: tuple[float, float], shift: tuple[float, float]
) -> tuple[float, float]:
    """Refine a shift around a place, in pixels; unchanged if the result would be far from it."""
    start = np.array([[middle]], np.float32)
    expected = start + np.array(shift, np.float32)
    flow = cv2.OPTFLOW_USE_INITIAL_FLOW
    end, found, _ = cv2.calcOpticalFlowPyrLK(before, after, start, expected, winSize=_WINDOW, maxLevel=0, flags=flow)
    x, y = (float(value) for value in (end - start).ravel())
    return (x, y) if found[0, 0] and dist((x, y), shift) <= _MAX_REFINEMENT else shift
