"""Finds fades: the picture gradually darkens to black or emerges from it.

As in PySceneDetect's threshold detector, a brief black is one transition with its boundary in the middle of the black.
A longer black is its own shot.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import cv2

from longtake.preprocess.analysis.changes import Changes, Look

BLACK_LEVEL, BLACK_DEVIATION = 24.0, 10.0  # of brightness, 16 being black in most files
_MAX_SECONDS = 3.0
LONG_BLACK = 1.0  # seconds
_MIN_FRAMES = 5
_MAX_STEP = 0.5  # share of the whole fade between two frames; more is a cut
_STOPPED = 0.2  # seconds without a rise after which a fade is over
_SLACK = 0.5  # levels by which motion in the picture may reverse a fade


class Gradual(NamedTuple):
    """A gradual transition; times are seconds, and the new shot begins at `time`."""

    time: float
    start: float
    end: float


class Fades:
    """Follows the mean brightness into and out of black."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._levels: deque[tuple[float, float]] = deque()  # time and mean of the latest frames
        self._black_since: float | None = None
        self._black_until: float | None = None  # set while the picture emerges
        self._faded_out: tuple[float, float] | None = None

    def observe(self) -> list[Gradual]:
        """Process the latest frame; returns newly confirmed fades."""
        look = self._changes.recent[-1]
        black = is_black(look)
        found: list[Gradual] = []
        if black and self._black_since is None:
            self._enter(look.time)
        elif self._black_since is not None and not black and self._black_until is None:
            self._black_until = look.time
        elif self._black_until is not None and (black or self._stopped_rising(look)):
            found = self._leave()
        elif black and self._faded_out and look.time - (self._black_since or 0.0) >= LONG_BLACK:
            found = [_middle(*self._faded_out)]
            self._faded_out = None
        self._levels.append((look.time, look.level))
        while self._levels[0][0] < look.time - _MAX_SECONDS:
            self._levels.popleft()
        return found

    def _enter(self, time: float) -> None:
        """The picture turned black: find out how long it has been darkening."""
        self._black_since = time
        way = [*reversed(self._levels)]
        count = next((n for n in range(1, len(way)) if way[n][1] < way[n - 1][1] - _SLACK), len(way))
        self._faded_out = _gradual(way[:count][::-1])

    def _stopped_rising(self, look: Look) -> bool:
        assert self._black_until is not None
        if look.time - self._black_until >= _MAX_SECONDS:
            return True
        lately = [level for time, level in self._levels if look.time - _STOPPED <= time and self._black_until <= time]
        return look.time - self._black_until >= _STOPPED and look.level <= min(lately, default=0.0) + _SLACK

    def _leave(self) -> list[Gradual]:
        """The picture has emerged from black: decide by how gradually it did, and how long the black was."""
        assert self._black_since is not None
        assert self._black_until is not None
        black = self._black_since, self._black_until
        faded_in = _gradual([each for each in self._levels if each[0] >= black[1]])
        faded_out = self._faded_out
        self._black_since = self._black_until = self._faded_out = None
        if faded_in is None:
            return []
        if black[1] - black[0] >= LONG_BLACK:
            return [_middle(*faded_in)]
        return [Gradual(sum(black) / 2, faded_out[0], faded_in[1])] if faded_out else []


def _gradual(way: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Start and end of the brightness changes if they are gradual, else None."""
    moving = [n for n in range(1, len(way)) if abs(way[n][1] - way[n - 1][1]) > _SLACK]
    steps = [abs(way[n][1] - way[n - 1][1]) for n in moving]
    if len(steps) < _MIN_FRAMES or max(steps) > _MAX_STEP * sum(steps):
        return None
    return way[moving[0] - 1][0], way[moving[-1]][0]


def _middle(start: float, end: float) -> Gradual:
    return Gradual((start + end) / 2, start, end)


def is_black(look: Look) -> bool:
    """Whether a frame is entirely black."""
    return look.level <= BLACK_LEVEL and float(cv2.meanStdDev(look.luma)[1][0, 0]) <= BLACK_DEVIATION
