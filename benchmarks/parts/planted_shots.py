"""Measures shot detection on cuts that people listed, and on cuts, dissolves and fades planted between real clips.

A cut is found if a boundary is within two frames of it; a dissolve or fade, if a boundary of its kind is inside it. A
boundary without a transition is a false alarm.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np

from longtake.benchmarks.clips.clip_questions import load_questions
from longtake.benchmarks.intervals import Share
from longtake.benchmarks.parts.planting import Half, clips_of, encode, pictures_of
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
_FRAMES = 2
_SIZE = (640, 360)
_FPS = 25.0
# Two pulses, whose darkest frames are named in PySceneDetect's own test of its threshold detector, and three fades
# between a second of black and a picture, found by inspecting the frames.
_FADES = {
    "PySceneDetect/fades.mp4": ((3.36, 3.36), (6.68, 6.68)),
    "PySceneDetect/testvideo.mp4": ((7.0, 8.0), (11.0, 12.0), (13.1, 14.2)),
}
_PIECE = 3.0  # seconds of each clip in a planted film
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
    missed: tuple[Transition, ...]
    false: tuple[Transition, ...]

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        wrong = len(self.missed) + len(self.false)
        return 2 * self.recall.count / (2 * self.recall.count + wrong) if self.recall.count or wrong else 1.0


class ShotsReport(Record):
    """Scores by kind of transition: on clips whose cuts people listed, and on planted films."""

    half: Half
    listed: dict[Kind, ShotsScore]
    planted: dict[Kind, ShotsScore]


def measure_shots(media: Path, settings: Settings, seed: int, half: Half, notify: Callable[[str], None]) -> ShotsReport:
    """Compare with the cuts listed in the folder's questions, and with films made of half of its clips.

    Raises:
        MediaError: if the folder has no questions or no clips.
    """
    listed = _listed(media)
    found: list[Transition] = []
    for clip in sorted({cut.clip for cut in listed}):
        notify(f"clip {clip}")
        found += _boundaries(clip, media / clip, settings)
    planted: list[Transition] = []
    found_planted: list[Transition] = []
    known = {each.clip for each in listed}
    clips = [clip for clip in clips_of(media, half) if clip not in known]
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(KINDS):
            notify(f"film with {kind}s")
            film = Path(folder) / f"{kind}.mp4"
            planted += _plant(film, kind, media, clips, np.random.default_rng([seed, number]))
            found_planted += _boundaries(film.name, film, settings)
    return ShotsReport(half=half, listed=_scores(listed, found), planted=_scores(planted, found_planted))


def show_shots(report: ShotsReport) -> list[str]:
    """The report as lines to print."""
    lines = []
    for name, scores in (("listed", report.listed), (f"planted ({report.half})", report.planted)):
        for kind, score in scores.items():
            lines.append(f"{name}, {kind}: recall {score.recall}; precision {score.precision}; F1 {score.f1:.3f}")
            for what, transitions in (("missed", score.missed), ("false", score.false)):
                lines += [f"  {what}: {each.clip} {each.start:.3f}-{each.end:.3f} s" for each in transitions]
    return lines


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


def _scores(true: Sequence[Transition], found: Sequence[Transition]) -> dict[Kind, ShotsScore]:
    return {kind: score(kind, true, found) for kind in KINDS}


def _near(true: Transition, found: Transition) -> bool:
    """Whether a boundary is in a transition, or within two frames of it."""
    slack = _FRAMES / _FPS
    middle = (found.start + found.end) / 2
    return true.clip == found.clip and true.start - slack - 1e-6 <= middle <= true.end + slack + 1e-6


def _matches(true: Transition, found: Transition) -> bool:
    return true.kind == found.kind and _near(true, found)


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
    return [_transition(name, shot) for shot in shots.found.items[1:]]


def _transition(clip: str, shot: Mapping[str, Any]) -> Transition:
    return Transition(clip=clip, kind=shot["transition"], start=shot["start"], end=shot["start"])


def _plant(film: Path, kind: Kind, media: Path, clips: Sequence[str], random: np.random.Generator) -> list[Transition]:
    """Write a film of pieces of all clips, joined by one kind of transition; returns the transitions."""
    order = [clips[int(number)] for number in random.permutation(len(clips))]
    lengths = [0 if kind == "cut" else round(float(random.uniform(_SHORTEST, _LONGEST)) * _FPS) for _ in order[1:]]
    places: list[tuple[int, int]] = []
    encode(film, _film((_piece(media / clip) for clip in order), kind, lengths, places), _FPS)
    return [Transition(clip=film.name, kind=kind, start=first / _FPS, end=end / _FPS) for first, end in places]


def _film(
    pieces: Iterator[list[Picture]], kind: Kind, lengths: Sequence[int], places: list[tuple[int, int]]
) -> Iterator[Picture]:
    """Pieces joined by transitions of these lengths in frames; appends their first and end frames to `places`."""
    shown = next(pieces)
    at = 0
    for length, following in zip(lengths, pieces, strict=True):
        between = _between(kind, shown[len(shown) - length :], following[:length])
        rest = shown[: len(shown) - length]
        yield from rest
        yield from between
        at += len(rest)
        places.append((at, at + len(between)))
        at += len(between)
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
    pictures = list(pictures_of(clip, _SIZE, 0.0, _PIECE))[: round(_PIECE * _FPS)]
    return pictures + [pictures[-1]] * (round(_PIECE * _FPS) - len(pictures))
