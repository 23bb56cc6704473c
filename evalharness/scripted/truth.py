"""The truth of a scripted video, exact to the frame, derived from its script."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from longtake.evalharness.scripted.script import (
    CHANGE_FRAMES,
    FPS,
    HEIGHT,
    WIDTH,
    Begin,
    Camera,
    Code,
    Deck,
    Flash,
    Move,
    Scene,
    Script,
    Shapes,
    SoundKind,
    Track,
)
from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.demo_truth import Cue, Timed


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


class Truth(Record):
    """All facts about a video."""

    name: str
    fps: int = FPS
    width: int = WIDTH
    height: int = HEIGHT
    frames: int
    duration: float
    subtitled: bool
    scenes: tuple[TrueScene, ...]
    texts: tuple[Cue, ...] = Field(description="What is written in the picture, as it was drawn.")
    cues: tuple[Cue, ...] = Field(description="All speech, with or without subtitles.")
    sounds: tuple[TrueSound, ...]
    flashes: tuple[Flash, ...] = Field(description="Their frames, and those of shapes, are those of the video.")
    shapes: tuple[Track, ...]
    moves: tuple[TrueMove, ...]


def truth_of(script: Script) -> Truth:
    """The truth of a script."""
    placed = list(zip(script.scenes, script.firsts, strict=False))
    return Truth(
        name=script.name,
        frames=script.firsts[-1],
        duration=script.firsts[-1] / FPS,
        subtitled=script.subtitled,
        scenes=tuple(_scene(scene, first) for scene, first in placed),
        texts=tuple(text for scene, first in placed for text in _texts(scene, first)),
        cues=tuple(
            Cue(**_span(first, line.at, line.until), text=line.text) for scene, first in placed for line in scene.lines
        ),
        sounds=tuple(
            TrueSound(**_span(first, sound.at, sound.until), kind=sound.kind)
            for scene, first in placed
            for sound in scene.sounds
        ),
        flashes=tuple(
            flash.model_copy(update={"first": first + flash.first}) for scene, first in placed if (flash := scene.flash)
        ),
        shapes=tuple(track for scene, first in placed for track in _tracks(scene, first)),
        moves=tuple(
            TrueMove(**_span(first, 0, scene.frames / FPS), move=scene.picture.move)
            for scene, first in placed
            if isinstance(scene.picture, Camera)
        ),
    )


def moments_of(scene: Scene, first: int) -> dict[str, TimeSpan]:
    """The named moments of a scene that begins with a frame, and the `scene` itself, in seconds of the video."""
    named = {"scene": (0.0, scene.frames / FPS), **scene.moments}
    return {name: TimeSpan(**_span(first, start, end)) for name, (start, end) in named.items()}


def _span(first: int, start: float, end: float) -> dict[str, float]:
    return {"start": round(first / FPS + start, 3), "end": round(first / FPS + end, 3)}


def _scene(scene: Scene, first: int) -> TrueScene:
    return TrueScene(
        kind=scene.kind,
        first_frame=first,
        end_frame=first + scene.frames,
        begins=scene.begins,
        changed_frame=first + (0 if scene.begins == "cut" else CHANGE_FRAMES),
    )


def _texts(scene: Scene, first: int) -> Iterator[Cue]:
    """What is written in a scene, and for the frames of its flash."""
    written: tuple[str, ...] = ()
    if isinstance(scene.picture, Deck):
        written = scene.picture.slide.texts
    elif isinstance(scene.picture, Code):
        written = scene.picture.lines
    for text in written:
        yield Cue(**_span(first, 0, scene.frames / FPS), text=text)
    if scene.flash:
        start, end = scene.flash.first / FPS, (scene.flash.first + scene.flash.frames) / FPS
        yield Cue(**_span(first, start, end), text=scene.flash.text)


def _tracks(scene: Scene, first: int) -> Iterator[Track]:
    if isinstance(scene.picture, Shapes):
        for track in scene.picture.tracks:
            yield track.model_copy(update={"first": first + track.first, "until": first + track.until})
