"""Measures how much the picture changes from frame to frame, at the file's own frame rate.

Keeps the latest small pictures for all observers that compare frames, so an unchanged picture costs one comparison.
"""

from __future__ import annotations

from collections import deque
from math import floor
from typing import Any, NamedTuple

import cv2
import numpy as np

from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.frames import Frame, Picture

HISTORY = 64  # frames
_NOISE = 2  # levels; the largest pixel difference in an unchanged picture
_CHANGED = 16  # levels; a larger difference means that the pixel shows something else


class Look(NamedTuple):
    """A downscaled frame: brightness, (90, 160), its mean and variance, and its mean difference from the last frame.

    The mean and the difference are in levels.
    """

    time: float
    luma: Picture
    level: float
    contrast: float
    change: float


class Changes:
    """Keeps the latest looks and records how much changed. It is the first observer to see a frame.

    Items are {start, end, times, change, area}, one a second: for each frame its time, the mean difference of
    brightness from the frame before (0 to 255), and the share of the picture that shows something else.
    """

    def __init__(self) -> None:
        self.found = ObservedItems()
        self.recent: deque[Look] = deque(maxlen=HISTORY)
        self.unchanged = 0  # consecutive frames equal to the one before
        self._second = 0
        self._rows: list[tuple[float, float, float]] = []

    @property
    def at_rest(self) -> bool:
        """Whether all frames kept are the same."""
        return self.unchanged >= HISTORY

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        area = self._remember(frame)
        if floor(frame.time) > self._second:
            self._write()
            self._second = floor(frame.time)
        self._rows.append((frame.time, round(self.recent[-1].change, 2), round(area, 4)))

    def finish(self, end: float) -> None:
        """Write the last second."""
        self._write()

    def _remember(self, frame: Frame) -> float:
        """Keep the look; returns the share of the picture that changed."""
        luma = np.ascontiguousarray(frame.small_luma)
        if self.recent:
            last = self.recent[-1]
            difference = cv2.absdiff(luma, last.luma)
            if cv2.norm(difference, cv2.NORM_INF) <= _NOISE:
                # Keep comparing with the same picture, so that a slow drift adds up.
                self.unchanged += 1
                self.recent.append(last._replace(time=frame.time, change=0.0))
                return 0.0
            change = cv2.mean(difference)[0]
            changed = cv2.countNonZero(cv2.threshold(difference, _CHANGED, 1, cv2.THRESH_BINARY)[1]) / luma.size
        else:
            change = changed = 0.0
        self.unchanged = 0
        level, deviation = cv2.meanStdDev(luma)
        self.recent.append(Look(frame.time, luma, float(level[0, 0]), float(deviation[0, 0]) ** 2, change))
        return changed

    def _write(self) -> None:
        if self._rows:
            times, change, area = zip(*self._rows, strict=True)
            item: dict[str, Any] = {"start": float(self._second), "end": float(self._second + 1)}
            self.found.items.append(item | {"times": [*times], "change": [*change], "area": [*area]})
            self._rows = []
