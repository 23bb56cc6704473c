"""Edits that hide (REVEAL): black frames, no sound, strips of each frame, or a quadrant of a still at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import ClassVar, Literal

import cv2
import numpy as np
from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.edits.edit import Edit, EditPlan, Kind, Piece, Source, held, whole
from longtake.evalharness.edits.overlays import Thing, paste
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture

_DEALS = 20_000  # tries to deal sets of strips that keep the gap
_FONT = cv2.FONT_HERSHEY_DUPLEX
_WIDE = 0.9  # share of the width that a text takes
_THING = 0.3  # width of a thing as a share of the picture's
_CORNERS = ((0.08, 0.12), (0.92, 0.88), (0.92, 0.12), (0.08, 0.88))


class Blank(Edit):
    """Show black frames, without sound (language-only shortcuts)."""

    kind: ClassVar[Kind] = "spatial"
    seconds: float | None = Field(default=None, gt=0, description="Length; that of the source if not given.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The source, as often as its length needs, painted black."""
        left = self.seconds or sources[0].seconds
        span = TimeSpan(start=0.0, end=left)
        pieces: list[Piece] = []
        while left > 0:
            pieces.append(Piece(start=0.0, end=round(min(left, sources[0].seconds), 3)))
            left = round(left - sources[0].seconds, 3)
        return EditPlan(
            pieces=tuple(pieces),
            altered=(span,),
            paint=lambda picture, time: (np.zeros_like(picture),),
            keeps_sound=False,
        )


class Mute(Edit):
    """Remove the sound, as the undisturbed side of edits that do so too."""

    kind: ClassVar[Kind] = "spatial"

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The whole video."""
        return EditPlan((whole(sources[0]),), (), keeps_sound=False)


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

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
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

        return EditPlan(
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


class Mosaic(Edit):
    """Show the quadrants of the picture at `at` in turn: top left, top right, bottom left, bottom right."""

    kind: ClassVar[Kind] = "spatial"
    at: float = Field(default=0.0, ge=0, description="Seconds of the picture.")
    quadrant: float = Field(default=0.5, gt=0, description="Seconds that each is shown.")
    rounds: int = Field(default=4, ge=1, description="Times that all four are shown.")
    control: bool = Field(default=False, description="Show the whole picture all the time.")
    text: str = Field(default="", description="Written through the centre, so that every quadrant cuts it.")
    things: tuple[Thing, ...] = Field(default=(), max_length=4, description="Drawn in the corners.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
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

        return EditPlan(
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
