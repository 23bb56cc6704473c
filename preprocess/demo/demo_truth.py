"""The demo video's frame-accurate ground truth, derived from its script, for tests and for `longtake demo`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longtake.memory.records import Modality, Record
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.demo.demo_script import (
    DemoFlash,
    DemoPlace,
    DemoScript,
    ScriptedQuestion,
    Shot,
    SoundKind,
    load_script,
)


class Timed(Record):
    """Something between two moments of the video, in seconds, half-open."""

    start: float
    end: float

    @property
    def span(self) -> TimeSpan:
        """The two moments as a span."""
        return TimeSpan(start=self.start, end=self.end)


class ShownShot(Timed):
    """A shot; its frames run from `first_frame` to just before the next shot's."""

    name: str
    first_frame: int


class ShownSlide(Timed):
    """A slide, its title and all its texts in reading order."""

    shot: str
    title: str
    texts: tuple[str, ...]


class SpokenSentence(Timed):
    """A spoken sentence."""

    text: str


class HeardSound(Timed):
    """A sound other than speech, or a period of silence."""

    kind: SoundKind


class BallPath(Timed):
    """The centre of the red ball in its first and its last frame, in pixels from the top left; it moves evenly."""

    radius: int
    first: tuple[int, int]
    last: tuple[int, int]


class FlashFrame(Timed):
    """The one frame that shows a word."""

    frame: int
    text: str


class Sum(Timed):
    """A sum shown without its result."""

    expression: str
    value: int


class DemoQuestion(Record):
    """A question with its correct answer; without an answer in the video, the correct reply abstains."""

    question: str
    answer: str
    options: tuple[str, ...] = ()
    answerable: bool
    start: float | None
    end: float | None
    modality: Modality | None
    also: tuple[Modality, ...] = ()


class Truth(Record):
    """The ground truth of the video; `empty` is where the picture is black."""

    duration: float
    fps: int
    width: int
    height: int
    frames: int
    shots: tuple[ShownShot, ...]
    slides: tuple[ShownSlide, ...]
    cues: tuple[SpokenSentence, ...]
    sounds: tuple[HeardSound, ...]
    ball: BallPath
    flash: FlashFrame
    sum: Sum
    empty: tuple[Timed, ...]
    questions: tuple[DemoQuestion, ...]


def load_truth() -> Truth:
    """Derive the truth from the script."""
    script = load_script()
    placed = list(_placed(script))
    frames = sum(script.frames(shot) for shot in script.shots)
    return Truth(
        duration=_round(frames / script.fps),
        fps=script.fps,
        width=script.width,
        height=script.height,
        frames=frames,
        shots=tuple(ShownShot(**on.span(), name=on.shot.name, first_frame=on.first_frame) for on in placed),
        slides=tuple(
            ShownSlide(**on.span(), shot=on.shot.name, title=slide.title, texts=slide.texts)
            for on in placed
            if (slide := on.shot.slide)
        ),
        cues=tuple(
            SpokenSentence(**on.span(line.at, line.until), text=line.text) for on in placed for line in on.shot.say
        ),
        sounds=tuple(
            HeardSound(**on.span(sound.at, sound.until), kind=sound.kind) for on in placed for sound in on.shot.sounds
        ),
        ball=next(
            BallPath(**on.span(), radius=ball.radius, first=ball.start, last=ball.end)
            for on in placed
            if (ball := on.shot.ball)
        ),
        flash=next(_flash(on, flash) for on in placed if (flash := on.shot.flash)),
        sum=next(
            Sum(**on.span(), expression=slide.figure.removesuffix("= ?").strip(), value=script.sum.value)
            for on in placed
            if on.shot.name == script.sum.shot and (slide := on.shot.slide)
        ),
        empty=tuple(Timed(**on.span()) for on in placed if on.shot.theme == "black"),
        questions=tuple(_question(item, placed) for item in script.questions),
    )


def webvtt(cues: Sequence[SpokenSentence]) -> str:
    """Write the cues as a WebVTT file."""
    blocks = [f"{clock(cue.start, decimals=3)} --> {clock(cue.end, decimals=3)}\n{cue.text}\n" for cue in cues]
    return "\n".join(["WEBVTT\n", *blocks])


@dataclass(frozen=True)
class _Placed:
    """A shot on the video's clock."""

    shot: Shot
    first_frame: int
    fps: int

    def span(self, at: float = 0.0, until: float | None = None) -> dict[str, float]:
        """Convert seconds of the shot to seconds of the video; defaults to the whole shot."""
        start = self.first_frame / self.fps
        end = self.shot.seconds if until is None else until
        return {"start": _round(start + at), "end": _round(start + end)}


def _placed(script: DemoScript) -> Iterator[_Placed]:
    frame = 0
    for shot in script.shots:
        yield _Placed(shot, frame, script.fps)
        frame += script.frames(shot)


def _flash(on: _Placed, flash: DemoFlash) -> FlashFrame:
    frame = on.first_frame + round(flash.at * on.fps)
    return FlashFrame(start=_round(frame / on.fps), end=_round((frame + 1) / on.fps), frame=frame, text=flash.text)


def _question(item: ScriptedQuestion, placed: Sequence[_Placed]) -> DemoQuestion:
    where = _place(item.where, placed) if item.where else None
    return DemoQuestion(
        question=item.question,
        answer=item.answer,
        options=item.options,
        answerable=item.answerable and where is not None,
        start=where.start if where else None,
        end=where.end if where else None,
        modality=item.modality,
        also=item.also,
    )


def _place(place: DemoPlace, placed: Sequence[_Placed]) -> Timed:
    on = next(on for on in placed if on.shot.name == place.shot)
    if place.flash and on.shot.flash:
        return _flash(on, on.shot.flash)
    if place.line is not None:
        line = on.shot.say[place.line]
        return Timed(**on.span(line.at, line.until))
    if place.sound:
        sound = next(sound for sound in on.shot.sounds if sound.kind == place.sound)
        return Timed(**on.span(sound.at, sound.until))
    return Timed(**on.span())


def _round(seconds: float) -> float:
    return round(seconds, 3)
