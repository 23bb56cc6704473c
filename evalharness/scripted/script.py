"""A script: everything shown, said and heard in a video, scene by scene, as data; and the truth, exact to the frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.demo_script import Slide, Theme
from longtake.preprocess.demo.demo_truth import SpokenSentence, Timed

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


class ScriptedTrack(Record):
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
    tracks: tuple[ScriptedTrack, ...]


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


class ScriptedLine(Record):
    """Something spoken, in seconds of its scene; by a voice of espeak-ng, or on a recording."""

    at: float
    until: float
    text: str
    voice: str
    recording: str | None = None


class ScriptedSound(Record):
    """A sound that is not speech, in seconds of its scene."""

    kind: SoundKind
    at: float
    until: float


class ScriptedFlash(Record):
    """A word that fills a few frames, by frames of its scene."""

    first: int
    frames: int
    text: str


class ScriptedScene(Record):
    """A scene: its picture, its sounds, and the facts for questions."""

    kind: str
    frames: int
    begins: Begin = "cut"
    picture: Picture
    lines: tuple[ScriptedLine, ...] = ()
    sounds: tuple[ScriptedSound, ...] = ()
    flash: ScriptedFlash | None = None
    facts: Facts = Field(default_factory=dict)
    moments: Mapping[str, tuple[float, float]] = Field(default_factory=dict, description="Named, in its seconds.")


class ScriptedVideo(Record):
    """A whole video."""

    name: str
    seed: int
    number: int
    subtitled: bool = Field(description="Whether it has a subtitle file.")
    scenes: tuple[ScriptedScene, ...]
    facts: Facts = Field(default_factory=dict, description="Facts for questions about the whole video.")

    @property
    def firsts(self) -> tuple[int, ...]:
        """The first frame of each scene, and the one after the last."""
        firsts = [0]
        for scene in self.scenes:
            firsts.append(firsts[-1] + scene.frames)
        return tuple(firsts)


class TrueScene(Record):
    """A scene: its frames, from the first up to, and not including, `end_frame`, and how it begins.

    A dissolve or a fade ends with the frame before `changed_frame`; of a cut that is the first frame.
    """

    kind: str
    first_frame: int
    end_frame: int
    begins: Begin
    changed_frame: int


class TrueSound(Timed):
    """A sound that is not speech."""

    kind: SoundKind


class TrueMove(Timed):
    """A camera move."""

    move: Move


class ScriptTruth(Record):
    """All facts about a video."""

    name: str
    fps: int = FPS
    width: int = WIDTH
    height: int = HEIGHT
    frames: int
    duration: float
    subtitled: bool
    scenes: tuple[TrueScene, ...]
    texts: tuple[SpokenSentence, ...] = Field(description="What is written in the picture, as it was drawn.")
    cues: tuple[SpokenSentence, ...] = Field(description="All speech, with or without subtitles.")
    sounds: tuple[TrueSound, ...]
    flashes: tuple[ScriptedFlash, ...] = Field(description="Their frames, and those of shapes, are those of the video.")
    shapes: tuple[ScriptedTrack, ...]
    moves: tuple[TrueMove, ...]


def truth_of(script: ScriptedVideo) -> ScriptTruth:
    """The truth of a script."""
    placed = list(zip(script.scenes, script.firsts, strict=False))
    return ScriptTruth(
        name=script.name,
        frames=script.firsts[-1],
        duration=script.firsts[-1] / FPS,
        subtitled=script.subtitled,
        scenes=tuple(_scene(scene, first) for scene, first in placed),
        texts=tuple(text for scene, first in placed for text in _texts(scene, first)),
        cues=tuple(
            SpokenSentence(**_span(first, line.at, line.until), text=line.text)
            for scene, first in placed
            for line in scene.lines
        ),
        sounds=tuple(
            TrueSound(**_span(first, sound.at, sound.until), kind=sound.kind)
            for scene, first in placed
            for sound in scene.sounds
        ),
        flashes=tuple(
            flash.model_copy(update={"first": first + flash.first}) for scene, first in placed if (flash := scene.flash)
        ),
        shapes=tuple(
            track.model_copy(update={"first": first + track.first, "until": first + track.until})
            for scene, first in placed
            if isinstance(scene.picture, Shapes)
            for track in scene.picture.tracks
        ),
        moves=tuple(
            TrueMove(**_span(first, 0, scene.frames / FPS), move=scene.picture.move)
            for scene, first in placed
            if isinstance(scene.picture, Camera)
        ),
    )


def moments_of(scene: ScriptedScene, first: int) -> dict[str, TimeSpan]:
    """The named moments of a scene that begins with a frame, and the `scene` itself, in seconds of the video."""
    named = {"scene": (0.0, scene.frames / FPS), **scene.moments}
    return {name: TimeSpan(**_span(first, start, end)) for name, (start, end) in named.items()}


def _span(first: int, start: float, end: float) -> dict[str, float]:
    return {"start": round(first / FPS + start, 3), "end": round(first / FPS + end, 3)}


def _scene(scene: ScriptedScene, first: int) -> TrueScene:
    return TrueScene(
        kind=scene.kind,
        first_frame=first,
        end_frame=first + scene.frames,
        begins=scene.begins,
        changed_frame=first + (0 if scene.begins == "cut" else CHANGE_FRAMES),
    )


def _texts(scene: ScriptedScene, first: int) -> Iterator[SpokenSentence]:
    """What is written in a scene, and for the frames of its flash."""
    written: tuple[str, ...] = ()
    if isinstance(scene.picture, Deck):
        written = scene.picture.slide.texts
    elif isinstance(scene.picture, Code):
        written = scene.picture.lines
    for text in written:
        yield SpokenSentence(**_span(first, 0, scene.frames / FPS), text=text)
    if scene.flash:
        start, end = scene.flash.first / FPS, (scene.flash.first + scene.flash.frames) / FPS
        yield SpokenSentence(**_span(first, start, end), text=scene.flash.text)
