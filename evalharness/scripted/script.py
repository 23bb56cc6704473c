"""A script: everything shown, said and heard in a video, scene by scene, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from longtake.memory.records import Record
from longtake.preprocess.demo.demo_script import Slide, Theme

FPS = 25
WIDTH, HEIGHT = 640, 360
CHANGE_FRAMES = 15  # that a dissolve or a fade takes

Begin = Literal["cut", "dissolve", "fade"]
SoundKind = Literal["music", "beep", "bang", "siren", "applause"]
Shape = Literal["circle", "square"]
Move = Literal["pan left", "pan right", "zoom in", "zoom out"]
Point = tuple[float, float]
Facts = Mapping[str, str | int | tuple[str, ...]]


class Deck(Record):
    """A slide as the picture of a scene."""

    kind: Literal["slide"] = "slide"
    slide: Slide
    theme: Theme = "light"


class Code(Record):
    """Lines of a program."""

    kind: Literal["code"] = "code"
    lines: tuple[str, ...]


class Track(Record):
    """A shape that moves evenly or stands still; its centre is in pixels, times are in frames of the scene."""

    shape: Shape
    colour: str
    radius: int = Field(description="Half the side, of a square.")
    start: Point
    end: Point
    first: int
    until: int = Field(description="The frame after its last.")


class Shapes(Record):
    """Shapes on a plain background."""

    kind: Literal["shapes"] = "shapes"
    tracks: tuple[Track, ...]


class Camera(Record):
    """A camera that moves over a drawn landscape."""

    kind: Literal["camera"] = "camera"
    move: Move
    seed: int = Field(description="The seed of the landscape.")


class Photograph(Record):
    """A supplied still, fitted into the picture."""

    kind: Literal["photograph"] = "photograph"
    path: str


class Plain(Record):
    """One colour."""

    kind: Literal["plain"] = "plain"
    colour: str


Picture = Annotated[Deck | Code | Shapes | Camera | Photograph | Plain, Field(discriminator="kind")]


class Line(Record):
    """Something spoken, in seconds of its scene; by a voice of espeak-ng, or on a recording."""

    at: float
    until: float
    text: str
    voice: str
    recording: str | None = None


class Sound(Record):
    """A sound that is not speech, in seconds of its scene."""

    kind: SoundKind
    at: float
    until: float


class Flash(Record):
    """A word that fills a few frames, by frames of its scene."""

    first: int
    frames: int
    text: str


class Scene(Record):
    """A scene: its picture, its sounds, and the facts for questions."""

    kind: str
    frames: int
    begins: Begin = "cut"
    picture: Picture
    lines: tuple[Line, ...] = ()
    sounds: tuple[Sound, ...] = ()
    flash: Flash | None = None
    facts: Facts = Field(default_factory=dict)
    moments: Mapping[str, tuple[float, float]] = Field(default_factory=dict, description="Named, in its seconds.")


class Script(Record):
    """A whole video."""

    name: str
    seed: int
    number: int
    subtitled: bool = Field(description="Whether it has a subtitle file.")
    scenes: tuple[Scene, ...]
    facts: Facts = Field(default_factory=dict, description="Facts for questions about the whole video.")

    @property
    def firsts(self) -> tuple[int, ...]:
        """The first frame of each scene, and the one after the last."""
        firsts = [0]
        for scene in self.scenes:
            firsts.append(firsts[-1] + scene.frames)
        return tuple(firsts)
