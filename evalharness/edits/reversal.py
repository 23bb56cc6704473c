"""Reversal: the video, or a span of it, plays backwards, sound included."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Piece, Plan, Source
from longtake.memory.timespan import TimeSpan


class Reversal(Edit):
    """Play backwards."""

    kind: ClassVar[Kind] = "temporal"
    sound: bool = Field(default=True, description="Whether the sound stays, backwards as well.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """One piece."""
        end = sources[0].seconds
        return Plan(
            pieces=(Piece(start=0.0, end=end, order="backwards"),),
            altered=(TimeSpan(start=0.0, end=end),),
            keeps_sound=self.sound,
        )
