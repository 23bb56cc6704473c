"""Colour shift: a constant tint for some seconds (REVEAL, Table 10)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Literal, get_args

import cv2
import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Lengths, Plan, Source, drawn, drawn_span, painted_during, whole
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


class Tint(Edit):
    """Blend every frame of a span with one colour."""

    kind: ClassVar[Kind] = "spatial"
    colour: Colour | None = Field(default=None, description="Drawn at random if not given.")
    strength: float = Field(default=0.3, gt=0, le=1, description="Share of the colour; the paper doesn't say.")
    seconds: Lengths = Field(default=(8.0, 12.0), description="Range of its length.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The whole video with a tinted span."""
        colour = drawn(self.colour, COLOURS, random)
        span = drawn_span(sources[0], self.seconds, random)

        def tinted(picture: Picture, time: float) -> Picture:
            full = np.full_like(picture, BGR[colour])
            return np.asarray(cv2.addWeighted(picture, 1 - self.strength, full, self.strength, 0), np.uint8)

        return Plan((whole(sources[0]),), (span,), {"colour": colour}, painted_during(span, tinted))
