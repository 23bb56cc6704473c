"""Finds objects without a trained model: regions of one colour, including circles, squares, rectangles and triangles.

It can't recognise what a thing is. People and faces have their own engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectQuery, box_of
from longtake.preprocess.engines.objects.objects_colours import COLOURS, colour_mask, label_colours
from longtake.preprocess.media.frames import Picture, shrunk
from longtake.settings import Settings

_LONG_SIDE = 640  # pixels of the pictures searched
_MIN_AREA = 0.0005  # share of the picture
_SOLID = 0.5  # share of its outline that a region fills; less is the blurred edge of something else
_FIT = 0.85  # share of the ideal shape around it that a region fills
_SQUARE = 1.15  # largest ratio of the sides of a square
_GROUND = 3  # sides of the picture that the background touches, and a thing doesn't

Contour = npt.NDArray[np.int32]


class OpenCvObjects:
    """Finds things by colour and shape; a square doesn't count as a rectangle."""

    id = f"opencv-{cv2.__version__}/shapes-1"
    max_pictures = 240

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""

    def cannot(self, query: ObjectQuery) -> str | None:
        """See `ObjectEngine`: only colours and simple shapes work."""
        return f"recognises colours, simple shapes and motion, but not {query.thing!r}" if query.thing else None

    def find(self, picture: Picture, query: ObjectQuery) -> list[FoundObject]:
        """See `ObjectEngine`."""
        labels = label_colours(shrunk(picture, _LONG_SIDE))
        found = []
        for colour in [query.colour] if query.colour else COLOURS:
            for contour in _regions(colour_mask(labels, colour)):
                shape, fit = shape_of(contour)
                if query.shape in ("", shape):
                    name, confidence = f"{colour} {query.shape or 'thing'}", fit if query.shape else 1.0
                    found.append(
                        FoundObject(name, box_of(cv2.boundingRect(contour), labels.shape), round(confidence, 3), colour)
                    )
        return found


def shape_of(contour: Contour) -> tuple[str, float]:
    """The simple shape that a contour fills best, and the share of it filled; "" if it fills none.

    Compares the contour with the smallest circle, rectangle and triangle around it: a shape fills only its own kind.
    """
    area = cv2.contourArea(contour)
    sides = sorted(cv2.minAreaRect(contour)[1])
    radius = cv2.minEnclosingCircle(contour)[1]
    triangle = cv2.minEnclosingTriangle(contour)[0]
    fits = {
        "circle": area / max(1.0, pi * radius**2),
        "square" if sides[1] < _SQUARE * sides[0] else "rectangle": area / max(1.0, sides[0] * sides[1]),
        "triangle": area / max(1.0, triangle),
    }
    best = max(fits, key=lambda name: fits[name])
    return (best, min(1.0, fits[best])) if fits[best] >= _FIT else ("", 0.0)


def _regions(mask: npt.NDArray[np.uint8]) -> Iterator[Contour]:
    """Outlines of the connected parts of a mask that may be things."""
    if not mask.any():
        return
    height, width = mask.shape
    opened = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        left, top, across, down = cv2.boundingRect(contour)
        area = cv2.contourArea(contour)
        sides = (left == 0) + (top == 0) + (left + across == width) + (top + down == height)
        if area < _MIN_AREA * width * height or sides >= _GROUND:
            continue
        outline = np.zeros((down, across), np.uint8)
        cv2.drawContours(outline, [contour - (left, top)], -1, 255, cv2.FILLED)
        inside = np.count_nonzero(outline & opened[top : top + down, left : left + across])
        if inside >= _SOLID * np.count_nonzero(outline):
            yield np.asarray(contour, np.int32)
