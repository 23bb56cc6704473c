"""The script of the demo video: what is shown, said and heard, and when, as defined in `script.yaml`."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

import yaml
from pydantic import Field

from longtake.memory.records import Modality, Record

DEMO = files("longtake.preprocess.demo")
Theme = Literal["light", "dark", "black"]
SoundKind = Literal["music", "beep", "bang", "silence"]


class DemoLine(Record):
    """One spoken sentence; times are seconds from the start of its shot."""

    at: float = Field(ge=0)
    until: float
    text: str


class DemoSound(Record):
    """One sound other than speech, or a period of silence."""

    kind: SoundKind
    at: float = Field(ge=0)
    until: float


class Slide(Record):
    """The text on a slide; a slide without points, table or figure is a cover."""

    title: str
    subtitle: str = ""
    points: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = Field(default=(), description="Rows of cells; the first row is the header.")
    figure: str = Field(default="", description="One line in large type.")
    note: str = ""

    @property
    def is_cover(self) -> bool:
        """Whether the slide only opens or closes the talk."""
        return not (self.points or self.table or self.figure)

    @property
    def texts(self) -> tuple[str, ...]:
        """All text on the slide, from top to bottom and left to right."""
        cells = (cell for row in self.table for cell in row)
        return tuple(text for text in (self.title, self.subtitle, self.figure, *self.points, *cells, self.note) if text)


class Ball(Record):
    """A red ball whose centre moves evenly from `start` to `end` during its shot; pixels from the top left."""

    radius: int
    start: tuple[int, int]
    end: tuple[int, int]


class DemoFlash(Record):
    """A word that fills a single frame."""

    at: float
    text: str


class Shot(Record):
    """What is shown between two cuts."""

    name: str
    seconds: float = Field(gt=0)
    theme: Theme
    slide: Slide | None = None
    ball: Ball | None = None
    flash: DemoFlash | None = None
    say: tuple[DemoLine, ...] = ()
    sounds: tuple[DemoSound, ...] = ()


class DemoPlace(Record):
    """Where the proof of an answer is: a shot, or one line (from 0), sound or flash in it."""

    shot: str
    line: int | None = None
    sound: SoundKind | None = None
    flash: bool = False


class ScriptedSum(Record):
    """The shot whose figure is a sum, and its result."""

    shot: str
    value: int


class ScriptedQuestion(Record):
    """A question, its correct answer and where the proof is."""

    question: str
    answer: str
    options: tuple[str, ...] = ()
    where: DemoPlace | None = None
    modality: Modality | None = None
    also: tuple[Modality, ...] = ()
    answerable: bool = True


class DemoScript(Record):
    """The whole video."""

    width: int
    height: int
    fps: int
    shots: tuple[Shot, ...]
    sum: ScriptedSum
    questions: tuple[ScriptedQuestion, ...]

    def frames(self, shot: Shot) -> int:
        """Length of a shot in frames."""
        return round(shot.seconds * self.fps)


def load_script() -> DemoScript:
    """Read `script.yaml`."""
    return DemoScript.model_validate(yaml.safe_load((DEMO / "script.yaml").read_text(encoding="utf-8")))
