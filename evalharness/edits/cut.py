"""Temporal cut: one block of the video is missing (REVEAL, Table 10), drawn at random or a named action."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Self

from pydantic import Field, model_validator

from longtake.errors import ConfigError
from longtake.evalharness.edits.edit import Edit, Kind, Lengths, Piece, Plan, Source, drawn_span
from longtake.memory.timespan import TimeSpan

_REST = 0.5  # share of a short video that stays


class Cut(Edit):
    """Remove a block from the middle of the video."""

    kind: ClassVar[Kind] = "temporal"
    seconds: Lengths = Field(default=(8.0, 10.0), description="Range of its length.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """Two pieces; at most half of a short video goes, and something stays on both sides."""
        source = sources[0]
        span = drawn_span(source, self.seconds, random, 1 - _REST)
        margin = min(1.0, 0.1 * source.seconds)
        start = min(max(span.start, margin), source.seconds - margin - span.length)
        return _without(source, TimeSpan(start=round(start, 3), end=round(start + span.length, 3)))


class Gap(Edit):
    """Remove a given block, such as an annotated action."""

    kind: ClassVar[Kind] = "temporal"
    start: float = Field(ge=0, description="Seconds.")
    end: float = Field(description="Seconds.")

    @model_validator(mode="after")
    def _ends_after_its_start(self) -> Self:
        if self.end <= self.start:
            raise ValueError("end must be after start")
        return self

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The pieces before and after it."""
        if self.start > sources[0].seconds:
            raise ConfigError(f"{sources[0].path} ends at {sources[0].seconds:.1f} s, before the gap.")
        return _without(sources[0], TimeSpan(start=self.start, end=min(self.end, sources[0].seconds)))


def _without(source: Source, span: TimeSpan) -> Plan:
    pieces = (Piece(start=0.0, end=span.start), Piece(start=span.end, end=source.seconds))
    return Plan(
        pieces=tuple(piece for piece in pieces if piece.length > 0),
        altered=(TimeSpan(start=span.start, end=span.start),),
        facts={"removed": [span.start, span.end]},
    )
