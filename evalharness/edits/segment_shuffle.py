"""Segment shuffle: parts of the video swap places (REVEAL, language-only shortcuts)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import ClassVar

import numpy as np
from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.edits.edit import Edit, Kind, Piece, Plan, Source
from longtake.evalharness.edits.timeline import shuffled
from longtake.memory.timespan import TimeSpan

_SHORTEST = 0.5  # seconds of a part


class SegmentShuffle(Edit):
    """Cut the video into parts and play them in another order."""

    kind: ClassVar[Kind] = "temporal"
    parts: int = Field(default=4, ge=2, le=20, description="Parts of equal length, unless `at` names the cuts.")
    at: tuple[float, ...] = Field(default=(), description="Seconds of the cuts, such as the ends of annotated actions.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """A piece for each part; `facts.order` has the original number of each, from 0."""
        end = sources[0].seconds
        edges = [0.0, *self.at, end] if self.at else [float(edge) for edge in np.linspace(0.0, end, self.parts + 1)]
        if any(later - earlier < _SHORTEST for earlier, later in pairwise(edges)):
            raise ConfigError(
                f"{sources[0].path} lasts {end:.1f} s, too short for these parts; each needs {_SHORTEST} s."
            )
        parts = [Piece(start=round(one, 3), end=round(other, 3)) for one, other in pairwise(edges)]
        order = shuffled(len(parts), random)
        return Plan(
            pieces=tuple(parts[number] for number in order),
            altered=(TimeSpan(start=0.0, end=end),),
            facts={"order": order},
        )
