"""Camera motion over a still picture (REVEAL, Algorithm 2).

The names follow the camera: when it tilts up, the content moves down. The paper's tilt labels say the opposite; the
facts have both.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Literal, get_args

import cv2
import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, Kind, Paint, Piece, Plan, Source, drawn, held
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture

Move = Literal["pan left", "pan right", "tilt up", "tilt down", "zoom in", "zoom out"]
MOVES: tuple[Move, ...] = get_args(Move)
# Where the content goes, in (x, y) with y downwards; a zoom moves it outwards or inwards.
CONTENT: dict[Move, tuple[int, int]] = {
    "pan left": (1, 0),
    "pan right": (-1, 0),
    "tilt up": (0, 1),
    "tilt down": (0, -1),
    "zoom in": (0, 0),
    "zoom out": (0, 0),
}
IN_PAPER: dict[Move, Move] = {**{move: move for move in MOVES}, "tilt up": "tilt down", "tilt down": "tilt up"}


def moving(piece: Piece, move: Move, paint: Paint) -> Plan:
    """The plan of a camera that moves while a frame is held."""
    x, y = CONTENT[move]
    return Plan(
        pieces=(piece,),
        altered=(TimeSpan(start=0.0, end=piece.length),),
        facts={"move": move, "content_dx": x, "content_dy": y, "paper_label": IN_PAPER[move]},
        paint=paint,
        keeps_sound=False,
    )


class CameraMotion(Edit):
    """Pan, tilt or zoom over the picture at `at`, which repeats at its edges."""

    kind: ClassVar[Kind] = "spatial"
    move: Move | None = Field(default=None, description="Drawn at random if not given.")
    at: float = Field(default=0.0, ge=0, description="Seconds of the picture.")
    seconds: float = Field(default=8.0, gt=0)
    fps: int = Field(default=30, ge=1, le=120)
    speed: float = Field(default=100.0, gt=0, description="Pixels per second of a pan or tilt; the paper doesn't say.")
    zoom: float = Field(default=1.5, gt=1, description="Largest magnification.")
    rate: Literal["linear", "exponential"] = Field(default="linear", description="How the magnification grows.")

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """One frame, held for the whole length and painted."""
        move = drawn(self.move, MOVES, random)

        def moved(picture: Picture, time: float) -> Sequence[Picture]:
            return (self.frame(picture, move, time / self.seconds),)

        return moving(held(sources[0], self.at, self.seconds, self.fps), move, moved)

    def frame(self, picture: Picture, move: Move, share: float) -> Picture:
        """The picture at a share of the way, from 0 to 1."""
        height, width = picture.shape[:2]
        if move.startswith("zoom"):
            done = share if move == "zoom in" else 1 - share
            z = 1 + (self.zoom - 1) * done if self.rate == "linear" else self.zoom**done
            w, h = max(1, int(width / z)), max(1, int(height / z))
            left, top = (width - w) // 2, (height - h) // 2
            part = picture[top : top + h, left : left + w]
            return np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
        offset = int(share * self.speed * self.seconds)
        x, y = CONTENT[move]
        return np.roll(picture, (offset * y, offset * x), axis=(0, 1))
