"""Edits of the order of a video: it is reversed, shuffled, cut or mixed with another (REVEAL)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from longtake.errors import ConfigError
from longtake.evalharness.edits.edit import Edit, EditPlan, Kind, Lengths, Piece, Source, drawn_span
from longtake.evalharness.edits.timeline import LONGEST_SHUFFLED, shuffled
from longtake.memory.timespan import TimeSpan

_SHORTEST = 0.5  # seconds of a part that is shuffled
_REST = 0.5  # share of a short video that a cut leaves


class Reversal(Edit):
    """Play backwards, sound included."""

    kind: ClassVar[Kind] = "temporal"
    sound: bool = Field(default=True, description="Whether the sound stays, backwards as well.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """One piece."""
        end = sources[0].seconds
        return EditPlan(
            pieces=(Piece(start=0.0, end=end, order="backwards"),),
            altered=(TimeSpan(start=0.0, end=end),),
            keeps_sound=self.sound,
        )


def _in_order(cuts: tuple[float, ...]) -> tuple[float, ...]:
    if any(later <= earlier for earlier, later in pairwise((0.0, *cuts))):
        raise ValueError("give seconds above 0, each later than the one before")
    return cuts


class SegmentShuffle(Edit):
    """Cut the video into parts and play them in another order (language-only shortcuts)."""

    kind: ClassVar[Kind] = "temporal"
    parts: int = Field(default=4, ge=2, le=20, description="Parts of equal length, unless `at` names the cuts.")
    at: Annotated[tuple[float, ...], AfterValidator(_in_order)] = Field(
        default=(), description="Seconds of the cuts, such as the ends of annotated actions."
    )

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """A piece for each part; `facts.order` has the original number of each, from 0."""
        end = sources[0].seconds
        if self.at and self.at[-1] >= end:
            raise ConfigError(f"{sources[0].path} ends at {end:.1f} s, before the cut at {self.at[-1]:g} s.")
        edges = [0.0, *self.at, end] if self.at else [float(edge) for edge in np.linspace(0.0, end, self.parts + 1)]
        if any(later - earlier < _SHORTEST for earlier, later in pairwise(edges)):
            raise ConfigError(
                f"{sources[0].path} lasts {end:.1f} s, too short for these parts; each needs {_SHORTEST} s."
            )
        parts = [Piece(start=round(one, 3), end=round(other, 3)) for one, other in pairwise(edges)]
        order = shuffled(len(parts), random)
        return EditPlan(
            pieces=tuple(parts[number] for number in order),
            altered=(TimeSpan(start=0.0, end=end),),
            facts={"order": order},
        )


class FrameShuffle(Edit):
    """Shuffle the frames of one span; its sound stays as it is (Table 10)."""

    kind: ClassVar[Kind] = "temporal"
    seconds: float = Field(default=5.0, gt=0, le=LONGEST_SHUFFLED)

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The video with a shuffled piece in it."""
        span = drawn_span(sources[0], (self.seconds, self.seconds), random)
        pieces = (
            Piece(start=0.0, end=span.start),
            Piece(start=span.start, end=span.end, order="shuffled", seed=random.randrange(10**6)),
            Piece(start=span.end, end=sources[0].seconds),
        )
        return EditPlan(pieces=tuple(piece for piece in pieces if piece.length > 0), altered=(span,))


class Cut(Edit):
    """Remove a random block from the middle of the video (Table 10)."""

    kind: ClassVar[Kind] = "temporal"
    seconds: Lengths = Field(default=(8.0, 10.0), description="Range of its length.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
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

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The pieces before and after it."""
        if self.start > sources[0].seconds:
            raise ConfigError(f"{sources[0].path} ends at {sources[0].seconds:.1f} s, before the gap.")
        return _without(sources[0], TimeSpan(start=self.start, end=min(self.end, sources[0].seconds)))


def _without(source: Source, span: TimeSpan) -> EditPlan:
    pieces = (Piece(start=0.0, end=span.start), Piece(start=span.end, end=source.seconds))
    return EditPlan(
        pieces=tuple(piece for piece in pieces if piece.length > 0),
        altered=(TimeSpan(start=span.start, end=span.start),),
        facts={"removed": [span.start, span.end]},
    )


class Mixing(Edit):
    """Interleave a second video with the first, which it is fitted to (Table 10)."""

    kind: ClassVar[Kind] = "temporal"
    sources: ClassVar[int] = 2
    parts: int = Field(default=3, ge=1, le=20, description="Segments of each video.")
    seconds: float = Field(default=5.0, gt=0, description="Longest segment of the second video.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
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
        return EditPlan(pieces=tuple(pieces), altered=tuple(altered))
