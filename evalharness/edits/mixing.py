"""Scene mixing: segments of two videos in turn (REVEAL, Table 10)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Piece, Plan, Source
from longtake.memory.timespan import TimeSpan


class Mixing(Edit):
    """Interleave a second video with the first, which it is fitted to."""

    kind: ClassVar[Kind] = "temporal"
    sources: ClassVar[int] = 2
    parts: int = Field(default=3, ge=1, le=20, description="Segments of each video.")
    seconds: float = Field(default=5.0, gt=0, description="Longest segment of the second video.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """All of the first video in `parts` segments, with one of the second after each."""
        first, second = sources
        edges = [float(edge) for edge in np.linspace(0.0, first.seconds, self.parts + 1)]
        length = min(self.seconds, second.seconds / self.parts)
        pieces: list[Piece] = []
        altered: list[TimeSpan] = []
        at = 0.0
        for number in range(self.parts):
            own = Piece(start=round(edges[number], 3), end=round(edges[number + 1], 3))
            start = round(number * second.seconds / self.parts, 3)
            foreign = Piece(source=1, start=start, end=round(start + length, 3))
            at += own.length
            altered.append(TimeSpan(start=round(at, 3), end=round(at + foreign.length, 3)))
            at += foreign.length
            pieces += [own, foreign]
        return Plan(pieces=tuple(pieces), altered=tuple(altered))
