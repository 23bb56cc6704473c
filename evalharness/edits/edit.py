"""An edit as data: pieces of the sources on a timeline, and what is painted on each frame.

An edit plans; `rendering` renders its plan, checks the file, and writes the truth beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, ConfigDict, Field

from longtake.errors import ConfigError
from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture
from longtake.preprocess.media.media import MediaInfo

T = TypeVar("T")
Kind = Literal["spatial", "temporal"]
Order = Literal["forwards", "backwards", "shuffled"]
# From the picture (BGR) and the seconds in the new video: the frames shown in its place, each for an equal part of it.
Paint = Callable[[Picture, float], Sequence[Picture]]


@dataclass(frozen=True, slots=True)
class Source:
    """A video to edit."""

    path: Path
    media: MediaInfo

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.media.duration


class Piece(Record):
    """A part of a source, in its seconds; or one frame of it, which is held.

    The frames of a shuffled piece swap places, and its sound stays. A held frame has no sound.
    """

    source: int = 0
    start: float
    end: float
    order: Order = "forwards"
    hold: float = Field(default=0.0, description="Seconds for which the frame at `start` is held; 0 plays the part.")
    fps: float = Field(default=25.0, description="At which a held frame is repeated.")
    seed: int = Field(default=0, description="Of the order of a shuffled piece.")

    @property
    def length(self) -> float:
        """Seconds in the new video."""
        return self.hold or self.end - self.start


@dataclass(frozen=True)
class EditPlan:
    """What an edit makes of its sources."""

    pieces: tuple[Piece, ...]
    altered: tuple[TimeSpan, ...]  # in seconds of the new video
    facts: Mapping[str, Any] = field(default_factory=dict)  # what was drawn at random
    paint: Paint = lambda picture, time: (picture,)
    keeps_sound: bool = True
    lossless: bool = False  # compression would smear what is painted

    @property
    def seconds(self) -> float:
        """The length of the new video."""
        return sum(piece.length for piece in self.pieces)


def _rising(seconds: tuple[float, float]) -> tuple[float, float]:
    if not 0 < seconds[0] <= seconds[1]:
        raise ValueError("give two numbers above 0, the smaller one first")
    return seconds


Lengths = Annotated[tuple[float, float], AfterValidator(_rising)]  # the range from which a length is drawn


class Edit(Record, ABC):
    """An edit with its parameters, which are the fields of its class; see `EDITS`."""

    model_config = ConfigDict(allow_inf_nan=False)

    kind: ClassVar[Kind]
    sources: ClassVar[int] = 1  # videos that it needs

    @abstractmethod
    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """What to make of the sources; equal random numbers give equal plans.

        Raises:
            ConfigError: if a source is too short, or a parameter doesn't fit it.
        """


class EditTruth(Record):
    """What an edit did: the content of `NAME.truth.json` beside its video."""

    edit: str
    kind: Kind
    parameters: Mapping[str, Any]
    seed: int
    sources: tuple[str, ...] = Field(description="File names.")
    contents: tuple[str, ...] = Field(default=(), description="Hashes of the sources' bytes.")
    altered: tuple[TimeSpan, ...] = Field(description="In seconds of the new video.")
    facts: Mapping[str, Any]
    pieces: tuple[Piece, ...]
    seconds: float = Field(description="Length of the new video.")


def whole(source: Source) -> Piece:
    """All of a source, as the first one."""
    return Piece(start=0.0, end=source.seconds)


def held(source: Source, at: float, seconds: float, fps: float) -> Piece:
    """The frame on screen at a moment, for this long.

    Raises:
        ConfigError: if the source ends before it.
    """
    if at >= source.seconds:
        raise ConfigError(f"{source.path} ends at {source.seconds:.1f} s, before the picture at {at:g} s.")
    return Piece(start=at, end=at, hold=seconds, fps=fps)


def drawn(given: T | None, choices: Sequence[T], random: Random) -> T:
    """What is given, or a random choice."""
    return random.choice(choices) if given is None else given


def drawn_span(source: Source, seconds: tuple[float, float], random: Random, share: float = 0.8) -> TimeSpan:
    """A random span with a length from a range, or at most this share of a shorter video.

    Raises:
        ConfigError: if the video is shorter than a second.
    """
    if source.seconds < 1:
        raise ConfigError(f"{source.path} lasts {source.seconds:.1f} s; give a video of at least one second.")
    length = min(random.uniform(*seconds), share * source.seconds)
    start = random.uniform(0.0, source.seconds - length)
    return TimeSpan(start=round(start, 3), end=round(start + length, 3))


def painted_during(span: TimeSpan, paint: Callable[[Picture, float], Picture]) -> Paint:
    """Paint only in a span of the new video."""
    return lambda picture, time: (paint(picture, time) if span.start <= time < span.end else picture,)
