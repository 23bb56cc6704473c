"""Blank: only black is shown (REVEAL, language-only shortcuts)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Piece, Plan, Source
from longtake.memory.timespan import TimeSpan


class Blank(Edit):
    """Show black frames, without sound."""

    kind: ClassVar[Kind] = "spatial"
    seconds: float | None = Field(default=None, gt=0, description="Length; that of the source if not given.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The source, as often as its length needs, painted black."""
        left = self.seconds or sources[0].seconds
        span = TimeSpan(start=0.0, end=left)
        pieces: list[Piece] = []
        while left > 0:
            pieces.append(Piece(start=0.0, end=round(min(left, sources[0].seconds), 3)))
            left = round(left - sources[0].seconds, 3)
        return Plan(
            pieces=tuple(pieces),
            altered=(span,),
            paint=lambda picture, time: (np.zeros_like(picture),),
            keeps_sound=False,
        )
