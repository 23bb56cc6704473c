"""Finds things that move in front of a still camera, by their difference from the background.

The background of each pixel is its most common value over the samples of a shot: the median of the shortest interval
that contains a third of them (Rousseeuw's shorth with a smaller share, 1984), among those that more than half agree on,
if they do. A thing that stays in one place for longer gets into the background, and leaves a ghost when it moves away.
Real things have edges in the picture, ghosts in the background (Cucchiara et al. 2003), so ghosts can be removed; a
region without edges in either is a shadow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.objects.object_engine import FoundObject, box_of
from longtake.preprocess.engines.objects.objects_colours import commonest_colour, label_colours
from longtake.preprocess.media.frames import Picture

LONG_SIDE = 320  # pixels of the pictures searched
MOVING = "moving thing"

_SHARE = 1 / 3  # of the samples that show the background
_NEVER = 1000  # levels, more than two brightnesses differ by
_ALIKE = 18  # levels of the three channels' sum by which samples of the background differ, from noise and compression
_DIFFERENT = 24  # levels of a channel by which a thing differs from the background
_MIN_AREA = 0.002  # share of the picture
_CLOSED = 9  # pixels between the parts of one thing
_CAMERA = 0.4  # share of the picture that differs when the camera moves
_EDGE = 5.0  # levels per pixel, on average around a thing
_GHOST = 1.5  # how many times steeper the background is around a ghost than the picture
_MARGIN = 3  # pixels around a region that show its edges
_MENDINGS = 2  # passes over the samples

Mask = npt.NDArray[np.bool_]
Brightness = npt.NDArray[np.int16]
Places = npt.NDArray[np.intp]
Window = tuple[slice, slice]


class MovingThings:
    """Finds moving things in the frames of one shot."""

    id = f"opencv-{cv2.__version__}/background-2"

    def __init__(self, samples: Sequence[Picture]) -> None:
        """Learn the background.

        Args:
            samples: at least one picture of the shot, evenly spaced in time, each `LONG_SIDE` long.
        """
        self._background = commonest(samples)
        for sample in [*samples] * _MENDINGS:
            self._mend(sample)

    def find(self, picture: Picture) -> list[FoundObject] | None:
        """Things that differ from the background; None if almost everything does, because the camera moves."""
        mask = self._foreground(picture)
        if np.count_nonzero(mask) > _CAMERA * mask.size:
            return None
        found = []
        for region, window, box in _regions(mask):
            here, before = _around(region, picture[window]), _around(region, self._background[window])
            if here >= max(_EDGE, before):
                colour = commonest_colour(label_colours(picture[window]), region)
                found.append(FoundObject(MOVING, box_of(box, mask.shape), 1.0, colour))
        return found

    def _mend(self, sample: Picture) -> None:
        """Copy regions of a sample into the background where the background has a ghost."""
        for region, window, _ in _regions(self._foreground(sample)):
            before = _around(region, self._background[window])
            if before >= max(_EDGE, _GHOST * _around(region, sample[window])):
                self._background[window][region] = sample[window][region]

    def _foreground(self, picture: Picture) -> npt.NDArray[np.uint8]:
        """255 where a picture differs from the background, 0 elsewhere, ignoring changes of exposure."""
        brighter = np.median(picture[::4, ::4].astype(np.int16) - self._background[::4, ::4], axis=(0, 1))
        offset: Any = (*brighter, 0.0)  # one number per channel for OpenCV
        exposed = cv2.add(self._background, offset)
        blue, green, red = cv2.split(cv2.absdiff(picture, exposed))
        smooth = cv2.GaussianBlur(cv2.max(cv2.max(blue, green), red), (5, 5), 0)
        mask = np.where(smooth > _DIFFERENT, np.uint8(255), np.uint8(0))
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((_CLOSED, _CLOSED), np.uint8)), np.uint8)


def commonest(samples: Sequence[Picture]) -> Picture:
    """For pictures of one size, (height, width, 3), each pixel's value at its most common brightness.

    What more than half agree on wins over what agrees best: a flat thing agrees better than a grainy background.
    """
    pictures = np.stack(samples)
    brightness = pictures.astype(np.int16).sum(axis=3)
    order = brightness.argsort(axis=0)
    values = np.take_along_axis(brightness, order, axis=0)
    fewest = max(1, round(_SHARE * len(values)))
    start = _most_alike(values.reshape(len(values), -1), fewest).reshape(1, *values.shape[1:])
    alike = np.take_along_axis(order, start + np.arange(fewest)[:, None, None], axis=0)
    return np.asarray(np.median(np.take_along_axis(pictures, alike[..., None], axis=0), axis=0), np.uint8)


def _most_alike(values: Brightness, fewest: int) -> Places:
    """Where the narrowest `fewest` of sorted values (values, pixels) begin; within what more than half agree on."""
    widths = values[fewest - 1 :] - values[: len(values) - fewest + 1]
    left, rest = np.arange(values.shape[1]), values
    for count in range(len(values), len(values) // 2, -1):
        spans = rest[count - 1 :] - rest[: len(rest) - count + 1]
        first, fits = spans.argmin(axis=0), spans.min(axis=0) <= _ALIKE
        place = np.arange(len(widths))[:, None] - first[fits]
        widths[:, left[fits]] = np.where((place >= 0) & (place <= count - fewest), widths[:, left[fits]], _NEVER)
        left, rest = left[~fits], rest[:, ~fits]
    return np.asarray(widths.argmin(axis=0))


def _regions(mask: npt.NDArray[np.uint8]) -> Iterator[tuple[Mask, Window, tuple[int, int, int, int]]]:
    """The connected parts of a mask that are large enough to be a thing.

    Yields the part as a mask within a window, the window, and its left, top, width and height in pixels.
    """
    count, parts, stats, _ = cv2.connectedComponentsWithStats(mask)
    for number in range(1, count):
        left, top, across, down, area = map(int, stats[number])
        if area >= _MIN_AREA * mask.size:
            rows = slice(max(0, top - _MARGIN), top + down + _MARGIN)
            columns = slice(max(0, left - _MARGIN), left + across + _MARGIN)
            yield parts[rows, columns] == number, (rows, columns), (left, top, across, down)


def _around(region: Mask, picture: Picture) -> float:
    """Mean slope of the steepest channel along a region's outline, in levels per pixel."""
    slopes = [cv2.Scharr(picture, cv2.CV_32F, *axes, scale=1 / 32) for axes in ((1, 0), (0, 1))]
    outline = cv2.morphologyEx(region.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    steep = cv2.magnitude(*slopes).max(axis=2)[outline]
    return float(steep.mean()) if steep.size else 0.0
