"""Edits that hide: black frames instead of the video, no sound, or strips of each frame at a time (REVEAL)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.edits.edit import Edit, Kind, Piece, Plan, Source, whole
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture

_DEALS = 20_000  # tries to deal sets of strips that keep the gap


class Blank(Edit):
    """Show black frames, without sound (language-only shortcuts)."""

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


class Mute(Edit):
    """Remove the sound, as the undisturbed side of edits that do so too."""

    kind: ClassVar[Kind] = "spatial"

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The whole video."""
        return Plan((whole(sources[0]),), (), keeps_sound=False)


class Occlusion(Edit):
    """Show every frame in `copies`, each with only some strips; the defaults show a quarter at a time (Algorithm 1).

    The paper leaves open how the gap between strips is enforced: here a deal that breaks it is dealt again.
    """

    kind: ClassVar[Kind] = "spatial"
    strips: int = Field(default=64, ge=2)
    visible: int = Field(default=16, ge=1, description="Strips that a copy shows.")
    copies: int = Field(default=4, ge=1, description="Of each frame, at as many times the frame rate.")
    gap: int = Field(default=1, ge=1, description="Least distance of two strips of a set; 1 allows neighbours.")
    direction: Literal["vertical", "horizontal"] = "vertical"

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The whole video without its sound; `facts.sets` has the strips of each set."""
        sets = self.deal(random)
        shown = 0  # copies so far

        def occluded(picture: Picture, time: float) -> Sequence[Picture]:
            nonlocal shown
            shown = 0 if time == 0 else shown
            side = picture.shape[1 if self.direction == "vertical" else 0]
            edges = [j * side // self.strips for j in range(self.strips + 1)]
            copies = []
            for _ in range(self.copies):
                copy = np.zeros_like(picture)
                for strip in sets[shown % len(sets)]:
                    part = slice(edges[strip], edges[strip + 1])
                    if self.direction == "vertical":
                        copy[:, part] = picture[:, part]
                    else:
                        copy[part] = picture[part]
                copies.append(copy)
                shown += 1
            return copies

        return Plan(
            pieces=(whole(sources[0]),),
            altered=(TimeSpan(start=0.0, end=sources[0].seconds),),
            facts={"sets": sets},
            paint=occluded,
            keeps_sound=False,
            lossless=True,
        )

    def deal(self, random: Random) -> list[list[int]]:
        """The strips of each set; only the last may break the gap.

        Raises:
            ConfigError: if no deal keeps it.
        """
        fits = (self.visible - 1) * self.gap <= self.strips - 1
        for _ in range(_DEALS if fits else 0):
            strips = random.sample(range(self.strips), self.strips)
            sets = [sorted(strips[at : at + self.visible]) for at in range(0, self.strips, self.visible)]
            if all(other - one >= self.gap for each in sets[:-1] for one, other in pairwise(each)):
                return sets
        raise ConfigError(
            f"No sets of {self.visible} of {self.strips} strips with a gap of {self.gap} were found. "
            "Lower gap or visible."
        )
