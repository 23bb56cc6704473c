"""Sequential mosaic: each frame shows one quadrant of a still picture (REVEAL, section 11)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

import cv2
import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Plan, Source, held
from longtake.evalharness.edits.insertion import Thing, paste
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture

_FONT = cv2.FONT_HERSHEY_DUPLEX
_WIDE = 0.9  # share of the width that a text takes
_THING = 0.3  # width of a thing as a share of the picture's
_CORNERS = ((0.08, 0.12), (0.92, 0.88), (0.92, 0.12), (0.08, 0.88))


class Mosaic(Edit):
    """Show the quadrants of the picture at `at` in turn: top left, top right, bottom left, bottom right."""

    kind: ClassVar[Kind] = "spatial"
    at: float = Field(default=0.0, ge=0, description="Seconds of the picture.")
    quadrant: float = Field(default=0.5, gt=0, description="Seconds that each is shown.")
    rounds: int = Field(default=4, ge=1, description="Times that all four are shown.")
    control: bool = Field(default=False, description="Show the whole picture all the time.")
    text: str = Field(default="", description="Written through the centre, so that every quadrant cuts it.")
    things: tuple[Thing, ...] = Field(default=(), max_length=4, description="Drawn in the corners.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """One frame, held for the whole length and painted."""
        seconds = 4 * self.quadrant * self.rounds
        corners = random.sample(_CORNERS, len(_CORNERS))

        def shown(picture: Picture, time: float) -> Sequence[Picture]:
            whole = self._composed(picture, corners)
            if self.control:
                return (whole,)
            down, across = divmod(round(time / self.quadrant) % 4, 2)
            height, width = picture.shape[0] // 2, picture.shape[1] // 2
            part = np.s_[height * down : height * (down + 1), width * across : width * (across + 1)]
            piece = np.zeros_like(whole)
            piece[part] = whole[part]
            return (piece,)

        return Plan(
            pieces=(held(sources[0], self.at, seconds, 1 / self.quadrant),),
            altered=() if self.control else (TimeSpan(start=0.0, end=seconds),),
            paint=shown,
            keeps_sound=False,
        )

    def _composed(self, picture: Picture, corners: Sequence[tuple[float, float]]) -> Picture:
        whole = picture.copy()
        for thing, place in zip(self.things, corners, strict=False):
            whole = paste(whole, thing, place, _THING)
        if self.text:
            (width, height), _ = cv2.getTextSize(self.text, _FONT, 1.0, 2)
            scale = _WIDE * whole.shape[1] / width
            left = round((whole.shape[1] - scale * width) / 2)
            bottom = round((whole.shape[0] + scale * height) / 2)
            for colour, weight in (((0, 0, 0), 10), ((255, 255, 255), 4)):
                cv2.putText(
                    whole, self.text, (left, bottom), _FONT, scale, colour, round(weight * scale / 2), cv2.LINE_AA
                )
        return whole
