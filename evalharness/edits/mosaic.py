"""Sequential mosaic: each frame shows one quadrant of a still picture (REVEAL, section 11)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Piece, Plan, Source, unchanged
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture


class Mosaic(Edit):
    """Show the quadrants of the picture at `at` in turn: top left, top right, bottom left, bottom right."""

    kind: ClassVar[Kind] = "spatial"
    at: float = Field(default=0.0, ge=0, description="Seconds of the picture.")
    quadrant: float = Field(default=0.5, gt=0, description="Seconds that each is shown.")
    rounds: int = Field(default=4, ge=1, description="Times that all four are shown.")
    control: bool = Field(default=False, description="Show the whole picture all the time.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """One frame, held for the whole length and painted."""
        seconds = 4 * self.quadrant * self.rounds

        def quadrants(picture: Picture, time: float) -> Sequence[Picture]:
            down, across = divmod(round(time / self.quadrant) % 4, 2)
            height, width = picture.shape[0] // 2, picture.shape[1] // 2
            part = np.s_[height * down : height * (down + 1), width * across : width * (across + 1)]
            shown = np.zeros_like(picture)
            shown[part] = picture[part]
            return (shown,)

        return Plan(
            pieces=(Piece(start=self.at, end=self.at, hold=seconds, fps=1 / self.quadrant),),
            altered=() if self.control else (TimeSpan(start=0.0, end=seconds),),
            paint=unchanged if self.control else quadrants,
            keeps_sound=False,
        )
