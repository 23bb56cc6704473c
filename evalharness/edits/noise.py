"""Noise injection: pixel noise for some seconds (REVEAL, Table 10)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Lengths, Plan, Source, drawn, drawn_span, painted_during, whole
from longtake.preprocess.media.frames import Picture

NoiseKind = Literal["salt and pepper", "gaussian", "speckle", "uniform"]
KINDS: tuple[NoiseKind, ...] = get_args(NoiseKind)
Levels = npt.NDArray[np.floating[Any]]
Make = Callable[[Levels, np.random.Generator, float], Levels]


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

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The whole video with a noisy span."""
        noise = drawn(self.noise, KINDS, random)
        span = drawn_span(sources[0], self.seconds, random)
        seed = random.randrange(10**6)

        def noisy(picture: Picture, time: float) -> Picture:
            each = np.random.default_rng((seed, round(time * 1000)))  # the same for a frame whenever it is painted
            return np.clip(_MAKE[noise](picture.astype(np.float32), each, self.amount), 0, 255).astype(np.uint8)

        paint = painted_during(span, noisy)
        return Plan((whole(sources[0]),), (span,), {"noise": noise}, paint, lossless=True)
