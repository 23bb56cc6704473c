"""Detects camera motion (pans, tilts, zooms and shaking) from how the whole picture shifts between looks.

Corners (Shi and Tomasi, 1994) are followed from look to look (Lucas and Kanade, 1981) and back; for a fast motion, from
where phase correlation (Kuglin and Hines, 1975) expects them. RANSAC (Fischler and Bolles, 1981) finds the shift and
growth that most of them share. If they lie all over the picture, the camera moved.
"""

from __future__ import annotations

from itertools import groupby
from math import hypot
from statistics import fmean
from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.frames import SMALL, Frame, Picture

Places = npt.NDArray[np.float32]

_NOWHERE: Places = np.empty((0, 2), np.float32)
_LOOKS_PER_SECOND = 5.0
_CORNERS, _QUALITY, _APART = 40, 0.01, 3.0  # how many at most, against the best one, and pixels between two
_WINDOW = (15, 15)  # pixels around a corner
_PRECISE = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 10, 0.03)  # steps at most, and pixels of the last one
_FEWEST = 8  # corners to decide from
_RETURNED = 0.3  # pixels by which a corner that is followed back may miss its place
_FOLLOWED = 0.4  # share of the corners; below this, the pictures show different things
_TOLERANCE = 1.0  # pixels by which a corner may differ from the common motion: near things move more than far ones
_AGREEING = 0.5  # share of the followed corners
_QUARTERS = 3  # of the picture, in which corners agree
_MIN_SHIFT = 0.02  # of the width, in a second
_MIN_ZOOM = 0.04  # of the size, in a second
_MIN_STEADY = 4  # looks that agree
_MIN_SHAKY = 6  # looks that move but don't agree
_BRIDGED = 1.0  # seconds without a certain look between two spans of one motion
_MAX_LOOKS = 150  # in one run, to bound memory


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
        self.found = ObservedItems()
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
    old, new = _followed(before, after)
    if len(old) < _FEWEST:
        return None
    found, agreeing = cv2.estimateAffinePartial2D(old, new, ransacReprojThreshold=_TOLERANCE)
    if found is None:
        return None
    middle = np.array(SMALL) / 2
    agreed = agreeing.ravel() > 0
    if agreed.mean() < _AGREEING or len(np.unique(old[agreed] > middle, axis=0)) < _QUARTERS:
        return None
    x, y = found[:, :2] @ middle + found[:, 2] - middle
    growth = hypot(found[0, 0], found[1, 0]) - 1
    right, down = x / SMALL[0] / seconds, y / SMALL[1] * frame.stream.height / frame.stream.width / seconds
    return _named(frame.time, float(right), float(down), growth / seconds)


def _followed(before: Picture, after: Picture) -> tuple[Places, Places]:
    """The places (n, 2) of corners in two looks, in pixels; none if most can't be followed."""
    found = cv2.goodFeaturesToTrack(before, _CORNERS, _QUALITY, _APART)
    if found is None:
        return _NOWHERE, _NOWHERE
    corners: Places = np.asarray(found, np.float32)
    pair = _flow(before, after, corners, corners)
    if len(pair[0]) < _FOLLOWED * len(corners):  # too far to be found from where they were
        shift, _ = cv2.phaseCorrelate(before.astype(np.float32), after.astype(np.float32))
        pair = _flow(before, after, corners, corners + np.array(shift, np.float32))
    return pair if len(pair[0]) >= _FOLLOWED * len(corners) else (_NOWHERE, _NOWHERE)


def _flow(before: Picture, after: Picture, corners: Places, expected: Places) -> tuple[Places, Places]:
    """The corners that are found near where they are expected, and where they came from; (n, 2) each, in pixels."""
    how: dict[str, Any] = {"winSize": _WINDOW, "criteria": _PRECISE, "flags": cv2.OPTFLOW_USE_INITIAL_FLOW}
    moved, there, _ = cv2.calcOpticalFlowPyrLK(before, after, corners, expected.copy(), **how)
    back, here, _ = cv2.calcOpticalFlowPyrLK(after, before, moved, moved + corners - expected, **how)
    missed = np.linalg.norm((back - corners)[:, 0], axis=1)
    sure = (there.ravel() > 0) & (here.ravel() > 0) & (missed < _RETURNED)
    return corners[sure, 0], moved[sure, 0]


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
