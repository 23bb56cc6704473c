"""Blank spans: where the picture is one flat colour, so that nobody looks for something in it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from longtake.memory.layers import LayerWriter
from longtake.preprocess.frames import Frame, Picture
from longtake.preprocess.shots import SHOT_PICTURE

Colour = npt.NDArray[np.float64]  # (3,), BGR, 0 to 255

_CELLS = (16, 9)
_FLAT = 6.0  # levels between the lightest and the darkest cell; cells average noise away
_NOISE = 8.0  # standard deviation of brightness that noise alone may cause
_DRIFT = 16.0  # levels between neighbouring frames above which the colour was changed, not faded
_SPECK = 32  # levels off the colour that make a pixel part of something, such as small writing
_MOST_SPECKS = 1e-4
_DARK, _LIGHT = 32, 224


class BlankSpans:
    """Joins neighbouring blank frames that are all black, all white or of some other colour, which may drift."""

    def __init__(self, writer: LayerWriter) -> None:
        self._writer = writer
        self._start = 0.0
        self._sum: Colour = np.zeros(3)
        self._last: Colour | None = None
        self._count = 0

    def see(self, frame: Frame) -> None:
        """Look at the next frame."""
        colour = flat_colour(frame)
        if self._last is not None and (colour is None or not _alike(colour, self._last)):
            self.finish(frame.time)
        if colour is None:
            return
        if self._last is None:
            self._start, self._sum, self._count = frame.time, np.zeros(3), 0
        self._last, self._sum, self._count = colour, self._sum + colour, self._count + 1

    def finish(self, end: float) -> None:
        """Close the open span."""
        if self._last is not None:
            colour = _name(self._sum / self._count)
            self._writer.add({"start": round(self._start, 3), "end": round(end, 3), "colour": colour})
            self._last = None


def flat_colour(frame: Frame) -> Colour | None:
    """The mean BGR of a frame without content; None when something can be seen in it."""
    small = frame.small_bgr(*SHOT_PICTURE)
    mean, deviation = cv2.meanStdDev(small)
    if deviation.max() > _NOISE:
        return None
    cells = cv2.resize(small, _CELLS, interpolation=cv2.INTER_AREA).astype(np.int16)
    if np.ptp(cells, axis=(0, 1)).max() > _FLAT or _has_writing(frame):
        return None
    return np.asarray(mean, dtype=np.float64).ravel()


def _has_writing(frame: Frame) -> bool:
    """Whether the full picture holds a few pixels that stand out, which a small view may step over."""
    luma: Picture = frame.luma(frame.stream.width, frame.stream.height)
    level = float(np.median(luma[::8, ::8]))
    inside = cv2.countNonZero(cv2.inRange(luma, level - _SPECK, level + _SPECK))
    return luma.size - inside > luma.size * _MOST_SPECKS


def _alike(one: Colour, other: Colour) -> bool:
    extremes = _extreme(one), _extreme(other)
    return extremes[0] == extremes[1] and (extremes[0] is not None or bool(np.abs(one - other).max() <= _DRIFT))


def _extreme(colour: Colour) -> str | None:
    if colour.max() < _DARK:
        return "black"
    return "white" if colour.min() > _LIGHT else None


def _name(colour: Colour) -> str:
    blue, green, red = (round(float(level)) for level in colour)
    return _extreme(colour) or f"#{red:02x}{green:02x}{blue:02x}"
