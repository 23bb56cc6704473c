"""Object insertion: a drawn car, aeroplane or bus stands in the picture for some seconds (REVEAL, Table 10)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import ClassVar, Literal, get_args

import cv2
import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Lengths, Plan, Source, drawn, drawn_span, painted_during, whole
from longtake.preprocess.media.frames import Picture

Thing = Literal["car", "aeroplane", "bus"]
THINGS: tuple[Thing, ...] = get_args(Thing)
_DRAWN = (400, 200)  # pixels of the drawing: width, height
# Filled polygons, each with its colour (BGR), then circles: centre, radius, colour.
_POLYGONS: dict[Thing, tuple[tuple[tuple[int, int, int], tuple[tuple[int, int], ...]], ...]] = {
    "car": (
        ((40, 40, 200), ((10, 150), (10, 105), (90, 95), (130, 45), (270, 45), (320, 95), (385, 105), (390, 150))),
        ((235, 220, 190), ((110, 92), (140, 55), (195, 55), (195, 92))),
        ((235, 220, 190), ((208, 92), (208, 55), (262, 55), (298, 92))),
    ),
    "aeroplane": (
        ((225, 225, 225), ((20, 95), (60, 75), (340, 75), (390, 95), (340, 118), (60, 118))),
        ((190, 120, 40), ((150, 100), (230, 100), (130, 190), (95, 190))),
        ((190, 120, 40), ((160, 80), (215, 80), (130, 20), (105, 20))),
        ((190, 120, 40), ((20, 90), (70, 78), (40, 20), (12, 20))),
    ),
    "bus": (
        ((20, 160, 240), ((10, 165), (10, 25), (375, 25), (390, 60), (390, 165))),
        *(((235, 220, 190), ((x, 95), (x, 45), (x + 55, 45), (x + 55, 95))) for x in (28, 98, 168, 238, 308)),
    ),
}
_CIRCLES: dict[Thing, tuple[tuple[tuple[int, int], int, tuple[int, int, int]], ...]] = {
    "car": tuple(((x, 152), r, c) for x in (95, 305) for r, c in ((34, (25, 25, 25)), (16, (170, 170, 170)))),
    "aeroplane": tuple(((x, 92), 6, (90, 60, 30)) for x in range(90, 340, 24)),
    "bus": tuple(((x, 165), r, c) for x in (95, 305) for r, c in ((30, (25, 25, 25)), (14, (170, 170, 170)))),
}


class Insertion(Edit):
    """Draw an object over every frame of a span, at one place."""

    kind: ClassVar[Kind] = "spatial"
    thing: Thing | None = Field(default=None, description="Drawn at random if not given.")
    size: float = Field(default=0.3, gt=0, le=1, description="Its width as a share of the picture's.")
    seconds: Lengths = Field(default=(5.0, 8.0), description="Range of its length; the paper doesn't say.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The whole video with the object in a span of it."""
        thing = drawn(self.thing, THINGS, random)
        span = drawn_span(sources[0], self.seconds, random)
        place = round(random.random(), 3), round(random.random(), 3)
        paint = painted_during(span, lambda picture, time: paste(picture, thing, place, self.size))
        return Plan((whole(sources[0]),), (span,), {"thing": thing, "place": list(place)}, paint)


def paste(picture: Picture, thing: Thing, place: tuple[float, float], size: float) -> Picture:
    """The picture with an object: its place from (0, 0), top left, to (1, 1), its width as a share of the picture's."""
    drawn, opaque = drawing(thing)
    width = max(2, round(size * picture.shape[1]))
    height = max(2, min(picture.shape[0], round(width * _DRAWN[1] / _DRAWN[0])))
    left, top = round(place[0] * (picture.shape[1] - width)), round(place[1] * (picture.shape[0] - height))
    small = cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA)
    share = cv2.resize(opaque, (width, height), interpolation=cv2.INTER_AREA)[..., np.newaxis]
    result = picture.copy()
    part = result[top : top + height, left : left + width]
    part[:] = np.rint(share * small + (1 - share) * part).astype(np.uint8)
    return result


@cache
def drawing(thing: Thing) -> tuple[Picture, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """The object, (200, 400, 3) BGR, and its opacity from 0 to 1, (200, 400)."""
    width, height = _DRAWN
    picture, mask = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.uint8)
    for colour, corners in _POLYGONS[thing]:
        points = np.array(corners, np.int32)
        cv2.fillPoly(picture, [points], colour)
        cv2.fillPoly(mask, [points], 255)
    for centre, radius, colour in _CIRCLES[thing]:
        cv2.circle(picture, centre, radius, colour, -1)
        cv2.circle(mask, centre, radius, 255, -1)
    return picture, (mask / 255).astype(np.float32)
