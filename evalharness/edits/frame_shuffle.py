"""Frame shuffle: the frames of a few seconds swap places (REVEAL, Table 10)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Piece, Plan, Source, drawn_span
from longtake.evalharness.edits.timeline import LONGEST_SHUFFLED


class FrameShuffle(Edit):
    """Shuffle the frames of one span; its sound stays as it is."""

    kind: ClassVar[Kind] = "temporal"
    seconds: float = Field(default=5.0, gt=0, le=LONGEST_SHUFFLED)

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The video with a shuffled piece in it."""
        span = drawn_span(sources[0], (self.seconds, self.seconds), random)
        pieces = (
            Piece(start=0.0, end=span.start),
            Piece(start=span.start, end=span.end, order="shuffled", seed=random.randrange(10**6)),
            Piece(start=span.end, end=sources[0].seconds),
        )
        return Plan(pieces=tuple(piece for piece in pieces if piece.length > 0), altered=(span,))
