"""Things that move before a camera that stands still: what differs from the background.

The background of each pixel is its commonest value over the samples of a shot: the median of the shortest interval
that holds a third of them (Rousseeuw's shorth with a smaller share, 1984). Something that stands there for longer than
that gets into it and leaves a ghost wherever it is not. A thing has edges around it in the picture, a ghost in the
background (Cucchiara et al. 2003), so ghosts are mended; what has no edges in either is a shadow.
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

LONG_SIDE = 320  # pixels at which it looks
MOVING = "moving thing"

_SHARE = 1 / 3  # of the samples that show the background
_DIFFERENT = 24  # levels of a channel by which a thing differs from the background
_SMALLEST = 0.002  # of the picture's area
_CLOSED = 9  # pixels within which the parts of one thing lie
_CAMERA = 0.4  # share of the picture that differs when it is the camera that moves
_EDGE = 5.0  # levels a pixel, in the mean around a thing
_GHOST = 1.5  # times as steep is the background around a ghost as the picture is
_MARGIN = 3  # pixels around a region that show its edges
_MENDINGS = 2  # times that the samples are gone through

Mask = npt.NDArray[np.bool_]
Window = tuple[slice, slice]


class MovingThings:
    """Finds what moves in the frames of one shot."""

    id = f"opencv-{cv2.__version__}/background-1"

    def __init__(self, samples: Sequence[Picture]) -> None:
        """Learn the background.

        Args:
            samples: at least one picture of the shot at equal distances, each `LONG_SIDE` long.
        """
        self._background = commonest(samples)
        for sample in [*samples] * _MENDINGS:
            self._mend(sample)

    def find(self, picture: Picture) -> list[FoundObject] | None:
        """What differs from the background; None when nearly everything does, as it does when the camera moves."""
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
        """Take the regions of a sample whose outlines are those of something in the background."""
        for region, window, _ in _regions(self._foreground(sample)):
            before = _around(region, self._background[window])
            if before >= max(_EDGE, _GHOST * _around(region, sample[window])):
                self._background[window][region] = sample[window][region]

    def _foreground(self, picture: Picture) -> npt.NDArray[np.uint8]:
        """255 where a picture differs from the background, 0 elsewhere; a change of the exposure is no difference."""
        brighter = np.median(picture[::4, ::4].astype(np.int16) - self._background[::4, ::4], axis=(0, 1))
        by: Any = (*brighter, 0.0)  # which OpenCV takes for a number for each channel
        exposed = cv2.add(self._background, by)
        blue, green, red = cv2.split(cv2.absdiff(picture, exposed))
        smooth = cv2.GaussianBlur(cv2.max(cv2.max(blue, green), red), (5, 5), 0)
        mask = np.where(smooth > _DIFFERENT, np.uint8(255), np.uint8(0))
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((_CLOSED, _CLOSED), np.uint8)), np.uint8)


def commonest(samples: Sequence[Picture]) -> Picture:
    """For each pixel of pictures of one size, (height, width, 3), its value where its brightness is the commonest."""
    pictures = np.stack(samples)
    brightness = pictures.astype(np.int16).sum(axis=3)
    order = brightness.argsort(axis=0)
    values = np.take_along_axis(brightness, order, axis=0)
    reach = max(1, round(_SHARE * len(pictures))) - 1
    start = (values[reach:] - values[: len(values) - reach]).argmin(axis=0)[None]
    alike = np.take_along_axis(order, start + np.arange(reach + 1)[:, None, None], axis=0)
    return np.asarray(np.median(np.take_along_axis(pictures, alike[..., None], axis=0), axis=0), np.uint8)


def _regions(mask: npt.NDArray[np.uint8]) -> Iterator[tuple[Mask, Window, tuple[int, int, int, int]]]:
    """The connected parts of a mask that are large enough for a thing.

    Each is a mask within a window of the picture, and its left, top, width and height in pixels of the picture.
    """
    count, parts, stats, _ = cv2.connectedComponentsWithStats(mask)
    for number in range(1, count):
        left, top, across, down, area = map(int, stats[number])
        if area >= _SMALLEST * mask.size:
            rows = slice(max(0, top - _MARGIN), top + down + _MARGIN)
            columns = slice(max(0, left - _MARGIN), left + across + _MARGIN)
            yield parts[rows, columns] == number, (rows, columns), (left, top, across, down)


def _around(region: Mask, picture: Picture) -> float:
    """How steep the steepest channel is along a region's outline: the mean, in levels a pixel."""
    slopes = [cv2.Scharr(picture, cv2.CV_32F, *axes, scale=1 / 32) for axes in ((1, 0), (0, 1))]
    outline = cv2.morphologyEx(region.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    steep = cv2.magnitude(*slopes).max(axis=2)[outline]
    return float(steep.mean()) if steep.size else 0.0
