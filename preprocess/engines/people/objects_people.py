"""Recognises standing or walking people by histograms of oriented gradients (Dalal and Triggs, 2005, OpenCV's weights).

Searching whole pictures finds people in test charts and misses obvious ones. So this only checks whether something with
a known outline, such as a moving thing, is a person, at its own size and place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import exp

import cv2
import numpy as np

from longtake.preprocess.engines.objects.object_engine import Box
from longtake.preprocess.media.frames import Picture

ID = f"opencv-{cv2.__version__}/hog-people-1"
PERSON = "person"
MIN_HEIGHT = 0.2  # of the picture's height

_MIN_MARGIN = -5.0  # lower margins aren't distinguished
_WINDOW = (64, 128)  # pixels across and down, with a person of height _TALL in the middle
_TALL = 100
_SIZES = (0.8, 0.9, 1.0, 1.12)  # times _TALL, because outlines are rarely exact
_STEP = 4  # pixels between windows
_OFF = 16  # pixels by which the window's middle may miss the outline's
_GAP = 0.06  # of the picture's height, between the parts of a person
_SHARED = 0.6  # of the narrower part's width
_UPRIGHT = (1.2, 4.5)  # height to width


def joined_upright(boxes: Sequence[Box]) -> list[Box]:
    """Merge boxes directly above one another: a belt or a ball can cut a person in two."""
    joined: list[Box] = []
    for box in sorted(boxes, key=lambda each: each[1]):
        above = next((other for other in joined if _above(other, box)), None)
        if above is None:
            joined.append(box)
            continue
        left, right = min(above[0], box[0]), max(above[0] + above[2], box[0] + box[2])
        bottom = max(above[1] + above[3], box[1] + box[3])
        joined[joined.index(above)] = (left, above[1], round(right - left, 4), round(bottom - above[1], 4))
    return joined


def likeness(picture: Picture, box: Box) -> float:
    """How much something in a picture, (height, width, 3) BGR, looks like a standing person, from 0 to 1.

    This is the logistic function of the detector's margin, and 0 for things lower than `MIN_HEIGHT` or not upright.
    """
    down, across = picture.shape[:2]
    left, top, width, height = box[0] * across, box[1] * down, box[2] * across, box[3] * down
    if box[3] < MIN_HEIGHT or not _UPRIGHT[0] * width <= height <= _UPRIGHT[1] * width:
        return 0.0
    scale = _TALL / height
    middle = left + width / 2, top + height / 2
    margin = max(_best_near(picture, middle, scale * size) for size in _SIZES)
    return round(1 / (1 + exp(-margin)), 3)


def _above(upper: Box, lower: Box) -> bool:
    """Whether the lower box starts about where the upper one ends, sharing most of the narrower one's width."""
    shared = min(upper[0] + upper[2], lower[0] + lower[2]) - max(upper[0], lower[0])
    return shared >= _SHARED * min(upper[2], lower[2]) and abs(upper[1] + upper[3] - lower[1]) <= _GAP


def _best_near(picture: Picture, middle: tuple[float, float], scale: float) -> float:
    """The best margin of a window near a place in the scaled picture, whose edges are extended if needed."""
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=method)
    size = _WINDOW[0] + 2 * _OFF, _WINDOW[1] + 2 * _OFF
    near = cv2.getRectSubPix(scaled, size, (scale * middle[0], scale * middle[1]))
    _, margins = _detector().detect(near, hitThreshold=_MIN_MARGIN, winStride=(_STEP, _STEP), padding=(0, 0))
    return max((float(margin) for margin in np.ravel(margins)), default=_MIN_MARGIN)


@cache
def _detector() -> cv2.HOGDescriptor:
    detector = cv2.HOGDescriptor()
    detector.setSVMDetector(np.asarray(cv2.HOGDescriptor.getDefaultPeopleDetector(), np.float32))
    return detector
