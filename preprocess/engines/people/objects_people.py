"""People who stand or walk, by histograms of oriented gradients (Dalal and Triggs, 2005), with OpenCV's weights.

Searched for in whole pictures they are found in test charts and missed where they are plain to see. So it is only
asked whether something whose outline is known, as that of what moves is, is a person: at its own size and place.
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
SMALLEST = 0.2  # of the picture's height

_LEAST = -5.0  # margin that is told from lower ones
_WINDOW = (64, 128)  # pixels, across and down, in which a person of _TALL stands in the middle
_TALL = 100
_SIZES = (0.8, 0.9, 1.0, 1.12)  # times _TALL, as an outline is seldom exact
_STEP = 4  # pixels from window to window
_OFF = 16  # pixels by which the window's middle may miss the outline's
_GAP = 0.06  # of the picture's height, between the parts of a person
_SHARED = 0.6  # of the narrower part's width
_UPRIGHT = (1.2, 4.5)  # height to width


def joined_upright(boxes: Sequence[Box]) -> list[Box]:
    """Boxes, of which those that lie close one above the other are one: a belt or a ball cuts a person in two."""
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
    """How like a standing person something in a picture, (height, width, 3) BGR, is, from 0 to 1.

    It is the logistic function of the detector's margin, and 0 for what is lower than `SMALLEST` or not upright.
    """
    down, across = picture.shape[:2]
    left, top, width, height = box[0] * across, box[1] * down, box[2] * across, box[3] * down
    if box[3] < SMALLEST or not _UPRIGHT[0] * width <= height <= _UPRIGHT[1] * width:
        return 0.0
    scale = _TALL / height
    middle = left + width / 2, top + height / 2
    margin = max(_best_near(picture, middle, scale * size) for size in _SIZES)
    return round(1 / (1 + exp(-margin)), 3)


def _above(upper: Box, lower: Box) -> bool:
    """Whether the lower box begins about where the upper one ends, with most of the narrower one's width in common."""
    shared = min(upper[0] + upper[2], lower[0] + lower[2]) - max(upper[0], lower[0])
    return shared >= _SHARED * min(upper[2], lower[2]) and abs(upper[1] + upper[3] - lower[1]) <= _GAP


def _best_near(picture: Picture, middle: tuple[float, float], scale: float) -> float:
    """The best margin of a window near a place, in a picture drawn to a scale; its edges are drawn out where needed."""
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    drawn = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=way)
    size = _WINDOW[0] + 2 * _OFF, _WINDOW[1] + 2 * _OFF
    near = cv2.getRectSubPix(drawn, size, (scale * middle[0], scale * middle[1]))
    _, margins = _detector().detect(near, hitThreshold=_LEAST, winStride=(_STEP, _STEP), padding=(0, 0))
    return max((float(margin) for margin in np.ravel(margins)), default=_LEAST)


@cache
def _detector() -> cv2.HOGDescriptor:
    detector = cv2.HOGDescriptor()
    detector.setSVMDetector(np.asarray(cv2.HOGDescriptor.getDefaultPeopleDetector(), np.float32))
    return detector
