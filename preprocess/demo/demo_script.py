"""The script of the demo video: what is shown, said and heard when, as `script.yaml` states it."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

import yaml
from pydantic import Field

from longtake.memory.records import Modality, Record

DEMO = files("longtake.preprocess.demo")
Theme = Literal["light", "dark", "black"]
SoundKind = Literal["music", "beep", "bang", "silence"]


class Line(Record):
    """One spoken sentence; times are seconds from the start of its shot."""

    at: float = Field(ge=0)
    until: float
    text: str


class Sound(Record):
    """One sound that is not speech, or a stretch where nothing is heard."""

    kind: SoundKind
    at: float = Field(ge=0)
    until: float


class Slide(Record):
    """What is written on a slide; one with neither points, table nor figure is a cover."""

    title: str
    subtitle: str = ""
    points: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = Field(default=(), description="Rows of cells; the first row is the head.")
    figure: str = Field(default="", description="One line in large type.")
    note: str = ""

    @property
    def is_cover(self) -> bool:
        """Whether it only opens or closes the talk."""
        return not (self.points or self.table or self.figure)

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything written on it, from top to bottom and left to right."""
        cells = (cell for row in self.table for cell in row)
        return tuple(text for text in (self.title, self.subtitle, self.figure, *self.points, *cells, self.note) if text)


class Ball(Record):
    """A red ball whose centre moves evenly from `start` to `end` during its shot; pixels from the top left."""

    radius: int
    start: tuple[int, int]
    end: tuple[int, int]


class Flash(Record):
    """A word that fills one single frame."""

    at: float
    text: str


class Shot(Record):
    """What is shown between two cuts."""

    name: str
    seconds: float = Field(gt=0)
    theme: Theme
    slide: Slide | None = None
    ball: Ball | None = None
    flash: Flash | None = None
    say: tuple[Line, ...] = ()
    sounds: tuple[Sound, ...] = ()


class Place(Record):
    """Where the proof of an answer lies: a shot, or one line (from 0), sound or flash of it."""

    shot: str
    line: int | None = None
    sound: SoundKind | None = None
    flash: bool = False


class ScriptedSum(Record):
    """The shot whose figure is a sum, and what it comes to."""

    shot: str
    value: int


class ScriptedQuestion(Record):
    """A question, its right answer and where the proof lies."""

    question: str
    answer: str
    options: tuple[str, ...] = ()
    where: Place | None = None
    modality: Modality | None = None
    also: tuple[Modality, ...] = ()
    answerable: bool = True


class Script(Record):
    """The whole video."""

    width: int
    height: int
    fps: int
    shots: tuple[Shot, ...]
    sum: ScriptedSum
    questions: tuple[ScriptedQuestion, ...]

    def frames(self, shot: Shot) -> int:
        """Frames that a shot lasts."""
        return round(shot.seconds * self.fps)


def load_script() -> Script:
    """Read `script.yaml`."""
    return Script.model_validate(yaml.safe_load((DEMO / "script.yaml").read_text(encoding="utf-8")))
