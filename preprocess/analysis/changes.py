"""Changes: how much the picture changes from frame to frame, at the file's own frame rate.

The latest small pictures are kept here once for all observers that compare frames, so that a picture that does not
change costs one comparison.
"""

from __future__ import annotations

from collections import deque
from math import floor
from typing import Any, NamedTuple

import cv2
import numpy as np

from longtake.preprocess.analysis.observers import Found
from longtake.preprocess.media.frames import Frame, Picture

HISTORY = 64  # frames
_NOISE = 2  # levels by which no pixel differs in a picture that did not change
_CHANGED = 16  # levels by which a pixel differs that shows something else


class Look(NamedTuple):
    """A frame seen small: brightness, (90, 160), its mean and variance, and its mean difference from the frame before.

    The mean and the difference are in levels.
    """

    time: float
    luma: Picture
    level: float
    contrast: float
    change: float


class Changes:
    """Remembers the latest looks and writes down how much changed: the first of the observers to see a frame.

    Items are {start, end, times, change, area}, one a second: for each frame its time, the mean difference of
    brightness from the frame before (0 to 255), and the share of the picture that shows something else.
    """

    def __init__(self) -> None:
        self.found = Found()
        self.recent: deque[Look] = deque(maxlen=HISTORY)
        self.unchanged = 0  # frames in a row like the one before
        self._second = 0
        self._rows: list[tuple[float, float, float]] = []

    @property
    def at_rest(self) -> bool:
        """Whether all remembered frames show the same."""
        return self.unchanged >= HISTORY

    def observe(self, frame: Frame) -> None:
        """Look at the next frame."""
        area = self._remember(frame)
        if floor(frame.time) > self._second:
            self._write()
            self._second = floor(frame.time)
        self._rows.append((frame.time, round(self.recent[-1].change, 2), round(area, 4)))

    def finish(self, end: float) -> None:
        """Write the last second."""
        self._write()

    def _remember(self, frame: Frame) -> float:
        """Keep the look; the share of the picture that changed."""
        luma = np.ascontiguousarray(frame.small_luma)
        if self.recent:
            last = self.recent[-1]
            difference = cv2.absdiff(luma, last.luma)
            if cv2.norm(difference, cv2.NORM_INF) <= _NOISE:
                # Compared with the picture that was kept, so that a slow drift adds up and is seen.
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
