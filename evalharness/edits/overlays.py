"""Edits that lie over the picture for some seconds (REVEAL, Table 10): a tint, noise, or a drawn thing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any, ClassVar, Literal, get_args

import cv2
import numpy as np
import numpy.typing as npt
from pydantic import Field

from longtake.evalharness.edits.edit import (
    Edit,
    EditPlan,
    Kind,
    Lengths,
    Source,
    drawn,
    drawn_span,
    painted_during,
    whole,
)
from longtake.preprocess.media.frames import Picture

Colour = Literal["green", "cyan", "blue", "yellow", "magenta", "red"]
COLOURS: tuple[Colour, ...] = get_args(Colour)
BGR: dict[Colour, tuple[int, int, int]] = {
    "green": (0, 255, 0),
    "cyan": (255, 255, 0),
    "blue": (255, 0, 0),
    "yellow": (0, 255, 255),
    "magenta": (255, 0, 255),
    "red": (0, 0, 255),
}
NoiseKind = Literal["salt and pepper", "gaussian", "speckle", "uniform"]
KINDS: tuple[NoiseKind, ...] = get_args(NoiseKind)
Levels = npt.NDArray[np.floating[Any]]
Make = Callable[[Levels, np.random.Generator, float], Levels]
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


class Tint(Edit):
    """Blend every frame of a span with one colour."""

    kind: ClassVar[Kind] = "spatial"
    colour: Colour | None = Field(default=None, description="Drawn at random if not given.")
    strength: float = Field(default=0.3, gt=0, le=1, description="Share of the colour; the paper doesn't say.")
    seconds: Lengths = Field(default=(8.0, 12.0), description="Range of its length.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The whole video with a tinted span."""
        colour = drawn(self.colour, COLOURS, random)
        span = drawn_span(sources[0], self.seconds, random)

        def tinted(picture: Picture, time: float) -> Picture:
            full = np.full_like(picture, BGR[colour])
            return np.asarray(cv2.addWeighted(picture, 1 - self.strength, full, self.strength, 0), np.uint8)

        return EditPlan((whole(sources[0]),), (span,), {"colour": colour}, painted_during(span, tinted))


def _salt_and_pepper(picture: Levels, random: np.random.Generator, amount: float) -> Levels:
    draw = random.random(picture.shape[:2], np.float32)[..., np.newaxis]
    return np.where(draw < amount / 2, 0.0, np.where(draw > 1 - amount / 2, 255.0, picture)).astype(np.float32)


def _gaussian(picture: Levels, random: np.random.Generator, amount: float) -> Levels:
    return picture + 255 * amount * random.standard_normal(picture.shape, np.float32)


def _speckle(picture: Levels, random: np.random.Generator, amount: float) -> Levels:
    return np.asarray(picture * (1 + 2 * amount * random.standard_normal(picture.shape, np.float32)), np.float32)


def _uniform(picture: Levels, random: np.random.Generator, amount: float) -> Levels:
    spread = 255 * amount * math.sqrt(3)  # the deviation of `gaussian`
    return picture + spread * (2 * random.random(picture.shape, np.float32) - 1)


_MAKE: dict[NoiseKind, Make] = {
    "salt and pepper": _salt_and_pepper,
    "gaussian": _gaussian,
    "speckle": _speckle,
    "uniform": _uniform,
}


class Noise(Edit):
    """Add noise to every frame of a span."""

    kind: ClassVar[Kind] = "spatial"
    noise: NoiseKind | None = Field(default=None, description="Drawn at random if not given.")
    amount: float = Field(
        default=0.1,
        gt=0,
        le=1,
        description="Share of pixels (salt and pepper), else standard deviation as a share of the brightness range; "
        "the paper doesn't say.",
    )
    seconds: Lengths = Field(default=(3.0, 5.0), description="Range of its length.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The whole video with a noisy span."""
        noise = drawn(self.noise, KINDS, random)
        span = drawn_span(sources[0], self.seconds, random)
        seed = random.randrange(10**6)

        def noisy(picture: Picture, time: float) -> Picture:
            each = np.random.default_rng((seed, round(time * 1000)))  # the same for a frame whenever it is painted
            return np.clip(_MAKE[noise](picture.astype(np.float32), each, self.amount), 0, 255).astype(np.uint8)

        paint = painted_during(span, noisy)
        return EditPlan((whole(sources[0]),), (span,), {"noise": noise}, paint, lossless=True)


class Insertion(Edit):
    """Draw an object over every frame of a span, at one place."""

    kind: ClassVar[Kind] = "spatial"
    thing: Thing | None = Field(default=None, description="Drawn at random if not given.")
    size: float = Field(default=0.3, gt=0, le=1, description="Its width as a share of the picture's.")
    seconds: Lengths = Field(default=(5.0, 8.0), description="Range of its length; the paper doesn't say.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The whole video with the object in a span of it."""
        thing = drawn(self.thing, THINGS, random)
        span = drawn_span(sources[0], self.seconds, random)
        place = round(random.random(), 3), round(random.random(), 3)
        paint = painted_during(span, lambda picture, time: paste(picture, thing, place, self.size))
        return EditPlan((whole(sources[0]),), (span,), {"thing": thing, "place": list(place)}, paint)


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
