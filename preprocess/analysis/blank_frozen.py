"""Finds spans in which frames show little: one flat colour, always the same, or only a piece of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.frames import Frame, Picture

Colour = npt.NDArray[np.float64]  # (3,), BGR, 0 to 255

_CELLS = (16, 9)
_FLAT = 6.0  # levels between the lightest and the darkest cell; cells average noise away
_NOISE = 8.0  # standard deviation of brightness that noise alone may cause
_DRIFT = 16.0  # levels between neighbouring frames; above this the colour changed, rather than faded
_SPECK = 32  # levels off the colour that make a pixel part of something, such as small text
_MAX_SPECKS = 1e-4
_DARK, _LIGHT = 32, 224
_LOOK_AGAIN = 0.5  # seconds; text may be too small to change the small picture
_FROZEN_SECONDS = 2.0
_FROZEN_NOISE = 10  # levels by which a pixel of a frozen picture may differ, for example after re-encoding


@dataclass(slots=True)
class _Blank:
    """An open blank span; colours are BGR, 0 to 255."""

    start: float
    last: Colour
    total: Colour
    looks: int = 1

    def add(self, colour: Colour) -> None:
        """Extend the span by a frame of this colour."""
        self.last, self.total, self.looks = colour, self.total + colour, self.looks + 1


class StillSpans:
    """Joins neighbouring frames that have no content (their colour may drift) or don't change.

    Items are {start, end, kind, colour}: the kind is black, white or blank, and the colour black, white or #rrggbb.
    Kind frozen has no colour: a picture with content that stays the same for two seconds or more. Kind pieces: each
    frame shows a part of the picture, and the rest has the colour.
    """

    def __init__(self, changes: Changes) -> None:
        self.found = ObservedItems()
        self._changes = changes
        self._looked_at = 0.0
        self._blank: _Blank | None = None
        self._frozen: tuple[float, Picture] | None = None  # since when, and what is shown
        self._pieces: tuple[float, Colour] | None = None  # since when, and the colour of the rest

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        self._follow_pieces(frame.time, frame.hidden)
        if self._changes.unchanged and frame.time < self._looked_at + _LOOK_AGAIN:
            return
        self._looked_at = frame.time
        look = self._changes.recent[-1]
        luma = look.luma
        colour = flat_colour(frame) if look.contrast <= _NOISE**2 else None
        self._follow_blank(frame.time, colour)
        self._follow_frozen(frame.time, luma if colour is None else None)

    def finish(self, end: float) -> None:
        """Close the open spans."""
        self._follow_pieces(end, None)
        self._follow_blank(end, None)
        self._follow_frozen(end, None)

    def _follow_blank(self, time: float, colour: Colour | None) -> None:
        """Extend, close or open a span of one colour; None is a picture with content."""
        if self._blank and (colour is None or not _alike(colour, self._blank.last)):
            mean = self._blank.total / self._blank.looks
            self._keep(self._blank.start, time, _extreme(mean) or "blank", {"colour": _name(mean)})
            self._blank = None
        if self._blank and colour is not None:
            self._blank.add(colour)
        elif colour is not None:
            self._blank = _Blank(time, colour, colour)

    def _follow_frozen(self, time: float, luma: Picture | None) -> None:
        """Extend, close or open a span in which the small picture stays the same; None is a picture without content."""
        if self._frozen:
            start, shown = self._frozen
            if luma is not None and cv2.norm(luma, shown, cv2.NORM_INF) <= _FROZEN_NOISE:
                return
            if time - start >= _FROZEN_SECONDS:
                self._keep(start, time, "frozen", {})
        self._frozen = None if luma is None else (time, luma)

    def _follow_pieces(self, time: float, hidden: tuple[float, ...] | None) -> None:
        """Extend, close or open a span of pieces; None is a whole frame."""
        if self._pieces and hidden is None:
            start, colour = self._pieces
            self._keep(start, time, "pieces", {"colour": _name(colour)})
            self._pieces = None
        elif hidden is not None and not self._pieces:
            self._pieces = time, np.array(hidden, np.float64)

    def _keep(self, start: float, end: float, kind: str, more: dict[str, Any]) -> None:
        self.found.items.append({"start": round(start, 3), "end": round(end, 3), "kind": kind} | more)


def flat_colour(frame: Frame) -> Colour | None:
    """The mean BGR of a frame without content; None if something is visible in it."""
    small = frame.small_bgr
    mean, deviation = cv2.meanStdDev(small)
    if deviation.max() > _NOISE:
        return None
    cells = cv2.resize(small, _CELLS, interpolation=cv2.INTER_AREA).astype(np.int16)
    if np.ptp(cells, axis=(0, 1)).max() > _FLAT or _has_writing(frame):
        return None
    return np.asarray(mean, dtype=np.float64).ravel()


def _has_writing(frame: Frame) -> bool:
    """Whether a few pixels of the full picture stand out, which a small picture may lose."""
    luma: Picture = frame.luma(frame.stream.width, frame.stream.height)
    level = float(np.median(luma[::8, ::8]))
    inside = cv2.countNonZero(cv2.inRange(luma, level - _SPECK, level + _SPECK))
    return luma.size - inside > luma.size * _MAX_SPECKS


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
