"""Measures shot detection on cuts that people listed, and on cuts, dissolves and fades planted between real clips.

A cut is found if a boundary is within two frames of it; a dissolve or fade, if a boundary of its kind is inside it. A
boundary without a transition is a false alarm.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from pydantic import Field

from longtake.benchmarks.clips.clip_questions import load_questions
from longtake.benchmarks.reports import Media, Notify, Report, Share
from longtake.console import Session
from longtake.errors import MediaError
from longtake.evalharness.edits.rendering import write_frames
from longtake.evalharness.edits.timeline import PlannedFrame
from longtake.memory.records import Record
from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.engines.engine_table import EngineTable
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.transitions.shot_boundaries import ShotBoundaries
from longtake.preprocess.transitions.transition_finder import ShotEngine
from longtake.settings import Settings

Kind = Literal["cut", "dissolve", "fade"]
KINDS: tuple[Kind, ...] = ("cut", "dissolve", "fade")

_TIME = re.compile(r"\d+\.\d+")
_VIDEO = (".mp4", ".mkv", ".webm", ".avi")
_SIZE = (640, 360)
_FPS = 25.0
_SLACK = 2 / _FPS + 1e-6  # seconds of two frames
# Two pulses, whose darkest frames are named in PySceneDetect's own test of its threshold detector, and three fades
# between a second of black and a picture, found by inspecting the frames.
_FADES = {
    "PySceneDetect/fades.mp4": ((3.36, 3.36), (6.68, 6.68)),
    "PySceneDetect/testvideo.mp4": ((7.0, 8.0), (11.0, 12.0), (13.1, 14.2)),
}
_PIECE = 75  # pictures of each clip in a planted film
_SHORTEST, _LONGEST = 0.4, 1.4  # seconds of a planted dissolve, and of a fade out or in


class Transition(Record):
    """Where one shot turns into the next, in seconds; a cut has no length."""

    clip: str
    kind: Kind
    start: float
    end: float


class ShotsScore(Record):
    """Recall, precision, and the errors."""

    recall: Share
    precision: Share
    missed: tuple[Transition, ...] = Field(repr=False)
    false: tuple[Transition, ...] = Field(repr=False)


class ShotsReport(Report):
    """Scores by where transitions are and their kind, on clips whose cuts people listed and on planted films."""

    scores: dict[str, ShotsScore]

    def lines(self) -> list[str]:
        """The scores, and below them each error."""
        errors = [
            f"{name}, {what}: {each.clip} {each.start:.3f}-{each.end:.3f} s"
            for name, score in self.scores.items()
            for what, transitions in (("missed", score.missed), ("false", score.false))
            for each in transitions
        ]
        return [*super().lines(), "", *errors]


def measure_shots(session: Session, notify: Notify, media: Media) -> ShotsReport:
    """Count the cuts, dissolves and fades that are found, missed or false, both listed and planted."""
    settings = session.settings
    listed = _listed(media)
    known = {each.clip for each in listed}
    found: list[Transition] = []
    for clip in sorted(known):
        notify(f"clip {clip}")
        found += _boundaries(clip, media / clip, settings)
    clips = [clip for clip in _held_out(media) if clip.relative_to(media).as_posix() not in known]
    planted: list[Transition] = []
    found_planted: list[Transition] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(KINDS):
            notify(f"film with {kind}s")
            film = Path(folder) / f"{kind}.mp4"
            planted += _plant(film, kind, clips, np.random.default_rng([0, number]))
            found_planted += _boundaries(film.name, film, settings)
    return ShotsReport(
        scores={f"listed, {kind}": score(kind, listed, found) for kind in KINDS}
        | {f"planted, {kind}": score(kind, planted, found_planted) for kind in KINDS}
    )


def listed_times(answer: str) -> list[float]:
    """The times listed in an answer, in seconds with decimals."""
    return [float(time) for time in _TIME.findall(answer)]


def score(kind: Kind, true: Sequence[Transition], found: Sequence[Transition]) -> ShotsScore:
    """Score the boundaries of a kind; a found one without a true transition of that kind is a false alarm."""
    expected = [each for each in true if each.kind == kind]
    missed = [each for each in expected if not any(_matches(each, other) for other in found)]
    false = [each for each in found if each.kind == kind and not any(_matches(other, each) for other in true)]
    right = len(expected) - len(missed)
    return ShotsScore(
        recall=Share.of(right, len(expected)),
        precision=Share.of(right, right + len(false)),
        missed=tuple(missed),
        false=tuple(false),
    )


def _matches(true: Transition, found: Transition) -> bool:
    """Whether a boundary of the same kind is in a transition, or within two frames of it."""
    if (true.kind, true.clip) != (found.kind, found.clip):
        return False
    return true.start - _SLACK <= found.start <= true.end + _SLACK


def _listed(media: Path) -> list[Transition]:
    """The cuts listed in the questions, the dissolve that one of them names with its span, and the known fades."""
    cuts = []
    for question in load_questions(media):
        if question.kind == "shot_boundary":
            for time in listed_times(question.answer):
                cuts.append(Transition(clip=question.media, kind="cut", start=time, end=time))
        elif question.kind == "transition_type" and "dissolve" in question.answer:
            start, end = question.evidence.start, question.evidence.end
            cuts.append(Transition(clip=question.media, kind="dissolve", start=start, end=end))
    for clip, spans in _FADES.items():
        if (media / clip).is_file():
            cuts += [Transition(clip=clip, kind="fade", start=start, end=end) for start, end in spans]
    return cuts


def _boundaries(name: str, path: Path, settings: Settings) -> list[Transition]:
    """The boundaries found in a file."""
    changes = Changes()
    media = probe(path)
    frames = partial(read_frames, path, media, None, lambda: None)
    engine: ShotEngine = EngineTable(settings).load("shots")
    shots = ShotBoundaries(engine.finder(changes, frames), settings.visual_pass.min_shot_seconds)
    end = 0.0
    for frame in frames():
        changes.observe(frame)
        shots.observe(frame)
        end = frame.end
    shots.finish(end)
    return [
        Transition(clip=name, kind=shot["transition"], start=shot["start"], end=shot["start"])
        for shot in shots.found.items[1:]
    ]


def _held_out(media: Path) -> list[Path]:
    """The clips with a picture in the half that nothing was tuned on, by a hash of their names.

    Raises:
        MediaError: if there are fewer than two.
    """
    clips = sorted(path for path in media.rglob("*") if path.suffix in _VIDEO and path.is_file())
    chosen = [clip for clip in clips if is_held_out(clip.relative_to(media).as_posix()) and probe(clip).video]
    if len(chosen) < 2:
        raise MediaError(f"{media} has too few clips to make films of; give --media a folder with more.")
    return chosen


def is_held_out(clip: str) -> bool:
    """Whether nothing was tuned on a clip, by its path in the folder."""
    return blake2b(clip.encode(), digest_size=1).digest()[0] % 2 == 0


def _plant(film: Path, kind: Kind, clips: Sequence[Path], random: np.random.Generator) -> list[Transition]:
    """Write a film of pieces of all clips, joined by one kind of transition; returns the transitions."""
    order = [clips[int(number)] for number in random.permutation(len(clips))]
    lengths = [0 if kind == "cut" else round(float(random.uniform(_SHORTEST, _LONGEST)) * _FPS) for _ in order[1:]]

    def frames() -> Iterator[PlannedFrame]:
        for number, picture in enumerate(_film(map(_piece, order), kind, lengths)):
            yield PlannedFrame(picture, number / _FPS, 1 / _FPS)

    write_frames(film, frames, fps=_FPS, check=lambda: None)
    planted, at = [], 0
    for before, length in zip([0, *lengths], lengths, strict=False):
        start = at + _PIECE - before - length
        at = start + (2 * length if kind == "fade" else length)
        planted.append(Transition(clip=film.name, kind=kind, start=start / _FPS, end=at / _FPS))
    return planted


def _film(pieces: Iterator[list[Picture]], kind: Kind, lengths: Sequence[int]) -> Iterator[Picture]:
    """Pieces joined by transitions of these lengths in frames."""
    shown = next(pieces)
    for length, following in zip(lengths, pieces, strict=True):
        yield from shown[: len(shown) - length]
        yield from _between(kind, shown[len(shown) - length :], following[:length])
        shown = following[length:]
    yield from shown


def _between(kind: Kind, before: Sequence[Picture], after: Sequence[Picture]) -> list[Picture]:
    """The pictures of a transition: before and after mixed, or each darkened to black in turn."""
    shares = [(number + 1) / (len(before) + 1) for number in range(len(before))]
    if kind == "dissolve":
        return [_mixed(one, 1 - share, other) for one, other, share in zip(before, after, shares, strict=True)]
    darkened = [_mixed(one, 1 - share, np.zeros_like(one)) for one, share in zip(before, shares, strict=True)]
    return darkened + [_mixed(np.zeros_like(one), 1 - share, one) for one, share in zip(after, shares, strict=True)]


def _mixed(one: Picture, share: float, other: Picture) -> Picture:
    return np.asarray(cv2.addWeighted(one, share, other, 1 - share, 0), dtype=np.uint8)


def _piece(clip: Path) -> list[Picture]:
    """Pictures from the beginning of a clip; if it is too short, its last picture is repeated."""
    frames = takewhile(lambda each: each.time < _PIECE / _FPS, read_frames(clip, probe(clip), None, lambda: None))
    pictures = [np.asarray(cv2.resize(each.bgr(), _SIZE, interpolation=cv2.INTER_AREA), np.uint8) for each in frames]
    return (pictures + [pictures[-1]] * _PIECE)[:_PIECE]
