"""Camera motion over a still picture (REVEAL, Algorithm 2), and among flat things that stand in space (Algorithm 3).

The names follow the camera: when it tilts up, the content moves down. The paper's tilt labels say the opposite; the
facts have both. In space, the paper doesn't give its field of view, distances, angles and signs: the parameters do.
Rotation is pitch, then yaw, as in its formula.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import ClassVar, Literal, NamedTuple, get_args

import cv2
import numpy as np
from pydantic import Field

from longtake.evalharness.edits.edit import Edit, EditPlan, Kind, Paint, Piece, Source, drawn, held
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
_Z_NEAR = 0.2
_NEAREST, _FARTHEST = 4.0, 14.0  # distances of the things
_SIZE = (0.6, 1.8)  # their width in the same unit


def moving(piece: Piece, move: Move, paint: Paint) -> EditPlan:
    """The plan of a camera that moves while a frame is held."""
    x, y = CONTENT[move]
    return EditPlan(
        pieces=(piece,),
        altered=(TimeSpan(start=0.0, end=piece.length),),
        facts={"move": move, "content_dx": x, "content_dy": y, "paper_label": IN_PAPER[move]},
        paint=paint,
        keeps_sound=False,
    )


class CameraEdit(Edit):
    """Pan, tilt or zoom over the picture at `at`, which repeats at its edges."""

    kind: ClassVar[Kind] = "spatial"
    move: Move | None = Field(default=None, description="Drawn at random if not given.")
    at: float = Field(default=0.0, ge=0, description="Seconds of the picture.")
    seconds: float = Field(default=8.0, gt=0)
    fps: int = Field(default=30, ge=1, le=120)
    speed: float = Field(default=100.0, gt=0, description="Pixels per second of a pan or tilt; the paper doesn't say.")
    zoom: float = Field(default=1.5, gt=1, description="Largest magnification.")
    rate: Literal["linear", "exponential"] = Field(default="linear", description="How the magnification grows.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
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


class Sprite(NamedTuple):
    """A flat thing: its centre with y downwards, its width and height, and the part of the picture it shows."""

    x: float
    y: float
    z: float
    width: float
    height: float
    picture: Picture


class Pose(NamedTuple):
    """The camera: how far it has gone forwards, and its yaw and pitch in radians."""

    z: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0


class CameraMotion3D(Edit):
    """Pan, tilt or move forwards or back among things cut from the picture at `at`."""

    kind: ClassVar[Kind] = "spatial"
    move: Move | None = Field(default=None, description="Drawn at random if not given.")
    at: float = Field(default=0.0, ge=0, description="Seconds of the picture.")
    seconds: float = Field(default=8.0, gt=0)
    fps: int = Field(default=30, ge=1, le=120)
    things: int = Field(default=60, ge=1, le=500)
    view: float = Field(default=60.0, gt=10, lt=150, description="Field of view in degrees.")
    distance: float = Field(default=2.5, gt=0, description="How far the camera zooms; the things are 4 to 14 away.")
    angle: float = Field(default=20.0, gt=0, lt=90, description="Degrees of a pan or tilt.")

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """One frame, held for the whole length; each frame is drawn from its things."""
        move = drawn(self.move, MOVES, random)
        seed = random.randrange(10**6)
        things: list[Sprite] = []

        def moved(picture: Picture, time: float) -> Sequence[Picture]:
            if not things:
                things.extend(self.scene(picture, Random(seed)))
            return (self.frame(picture.shape[:2], things, self.pose(move, time / self.seconds)),)

        return moving(held(sources[0], self.at, self.seconds, self.fps), move, moved)

    def scene(self, picture: Picture, random: Random) -> list[Sprite]:
        """Random cuts of the picture with coloured frames, spread over more than the camera sees."""
        height, width = picture.shape[:2]
        reach = math.tan(math.radians(self.view / 2 + self.angle))
        things = []
        for _ in range(self.things):
            w, h = random.randint(width // 8, width // 3), random.randint(height // 6, height // 2)
            left, top = random.randrange(width - w), random.randrange(height - h)
            part = picture[top : top + h, left : left + w].copy()
            cv2.rectangle(part, (0, 0), (w - 1, h - 1), [random.randrange(256) for _ in range(3)], max(2, w // 20))
            z = random.uniform(_NEAREST, _FARTHEST)
            size = random.uniform(*_SIZE)
            place = (random.uniform(-reach, reach) * z, random.uniform(-reach, reach) * z, z)
            things.append(Sprite(*place, size, size * h / w, part))
        return things

    def pose(self, move: Move, share: float) -> Pose:
        """The camera at a share of the way, from 0 to 1."""
        x, y = CONTENT[move]
        angle = math.radians(self.angle) * share
        if move.startswith("zoom"):
            return Pose(z=self.distance * (share if move == "zoom in" else -share))
        return Pose(yaw=angle * x, pitch=-angle * y)

    def frame(self, shape: tuple[int, int], things: Sequence[Sprite], pose: Pose) -> Picture:
        """What the camera sees, far things first, (height, width, 3)."""
        height, width = shape
        focal = width / 2 / math.tan(math.radians(self.view / 2))
        shade = np.linspace((200, 170, 140), (90, 110, 120), height).astype(np.uint8)
        canvas = np.repeat(shade[:, np.newaxis], width, axis=1)
        seen = [(*_turned(each.x, each.y, each.z - pose.z, pose), each) for each in things]
        for x, y, z, each in sorted(seen, key=lambda one: -one[2]):
            if z > _Z_NEAR:
                scale = focal / z
                _paste(canvas, each, scale * x + width / 2, scale * y + height / 2, scale)
        return canvas


def _turned(x: float, y: float, z: float, pose: Pose) -> tuple[float, float, float]:
    """A point in the camera's coordinates: pitch about x, then yaw about y."""
    cos, sin = math.cos(pose.pitch), math.sin(pose.pitch)
    y, z = cos * y - sin * z, sin * y + cos * z
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    return cos * x + sin * z, y, cos * z - sin * x


def _paste(canvas: Picture, each: Sprite, u: float, v: float, scale: float) -> None:
    """Draw a thing with its centre at (u, v), to a fraction of a pixel."""
    height, width = canvas.shape[:2]
    w, h = scale * each.width, scale * each.height
    if u + w / 2 < 0 or v + h / 2 < 0 or u - w / 2 > width or v - h / 2 > height:
        return
    rows, columns = each.picture.shape[:2]
    matrix = np.array([[w / columns, 0, u - w / 2], [0, h / rows, v - h / 2]], np.float64)
    cv2.warpAffine(
        each.picture, matrix, (width, height), dst=canvas, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT
    )
