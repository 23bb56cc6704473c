"""Random choices for a video, and the tape that arranges a scene's lines and sounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import TypeVar

import yaml

from longtake.evalharness.scripted.script import (
    FPS,
    Deck,
    Facts,
    Picture,
    ScriptedFlash,
    ScriptedLine,
    ScriptedScene,
    ScriptedSound,
    SoundKind,
)
from longtake.evalharness.scripted.voices import ENGLISH, VoiceRecording, recorded, spoken
from longtake.preprocess.demo.demo_script import Slide
from longtake.preprocess.demo.sound import RATE

T = TypeVar("T")
Span = tuple[float, float]
_GAP = 0.6  # seconds between two lines or sounds
_LEAST = 6.5  # length of a scene in seconds


@cache
def vocabulary() -> Mapping[str, Sequence[str]]:
    """Invented names and things by kind, from `vocabulary.yaml`."""
    read: Mapping[str, Sequence[str]] = yaml.safe_load(
        (files("longtake.evalharness.scripted") / "vocabulary.yaml").read_text(encoding="utf-8")
    )
    return read


class Draw:
    """Random choices for one video. Nothing is chosen twice, so that every question has one answer."""

    def __init__(self, seed: int, number: int) -> None:
        self.random = Random(f"{seed}/{number}")
        self.voice = self.random.choice(ENGLISH)
        self._left = {kind: self.random.sample(words, len(words)) for kind, words in vocabulary().items()}
        self._numbers: set[int] = set()

    def take(self, kind: str) -> str:
        """An unused word of a kind."""
        return self._left[kind].pop()

    def pair(self, kind: str) -> list[str]:
        """The two or three parts of an entry, separated by ` | `."""
        return self.take(kind).split(" | ")

    def number(self, low: int, high: int) -> int:
        """An unused number, both ends included."""
        number = self.random.choice([one for one in range(low, high + 1) if one not in self._numbers])
        self._numbers.add(number)
        return number

    def one(self, things: Sequence[T]) -> T:
        """One of several things."""
        return self.random.choice(things)

    def mixed(self, things: Sequence[T]) -> tuple[T, ...]:
        """Things in random order."""
        return tuple(self.random.sample(things, len(things)))

    def tape(self, *lines: str) -> Tape:
        """A tape on which the video's voice has said these lines."""
        tape = Tape(self.voice)
        for line in lines:
            tape.say(line)
        return tape


class Tape:
    """The lines and sounds of a scene, in sequence, each at the start of a frame."""

    def __init__(self, voice: str) -> None:
        self._voice = voice
        self._at = _GAP
        self._lines: list[ScriptedLine] = []
        self._sounds: list[ScriptedSound] = []

    def say(self, text: str, voice: str | None = None) -> Span:
        """Speak a sentence, and return its time in seconds of the scene."""
        named = voice or self._voice
        start, end = self._next(len(spoken(text, named)) / RATE)
        self._lines.append(ScriptedLine(at=start, until=end, text=text, voice=named))
        return start, end

    def run(self, recording: VoiceRecording) -> Span:
        """Play a recording of speech."""
        start, end = self._next(len(recorded(recording.path)) / RATE)
        self._lines.append(
            ScriptedLine(at=start, until=end, text=recording.text, voice="", recording=str(recording.path))
        )
        return start, end

    def play(self, kind: SoundKind, seconds: float) -> Span:
        """Add a sound."""
        start, end = self._next(seconds)
        self._sounds.append(ScriptedSound(kind=kind, at=start, until=end))
        return start, end

    def pause(self, seconds: float) -> None:
        """Add silence."""
        self._at += seconds

    def scene(
        self,
        kind: str,
        picture: Picture,
        facts: Facts,
        moments: Mapping[str, Span] | None = None,
        flash: ScriptedFlash | None = None,
        least: float = _LEAST,
    ) -> ScriptedScene:
        """The scene of this tape, as long as necessary, and at least `least` seconds."""
        return ScriptedScene(
            kind=kind,
            frames=round(max(least, self._at) * FPS),
            picture=picture,
            lines=tuple(self._lines),
            sounds=tuple(self._sounds),
            flash=flash,
            facts=facts,
            moments=moments or {},
        )

    def _next(self, seconds: float) -> Span:
        start = math.ceil(self._at * FPS) / FPS
        end = round(start + seconds, 3)
        self._at = end + _GAP
        return round(start, 3), end


def deck(title: str, rows: Sequence[Sequence[str]] = (), points: Sequence[str] = ()) -> Deck:
    """A slide with a table, whose first row is the heading, or with points."""
    return Deck(slide=Slide(title=title, table=tuple(map(tuple, rows)), points=tuple(points)))
