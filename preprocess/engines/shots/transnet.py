"""Shots by TransNetV2, a network that sees two seconds before and after each frame. It watches the file once more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import cv2
import numpy as np

from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.engines.packaged_files import missing_files
from longtake.preprocess.engines.shots.transnet_model import (
    CONTEXT,
    SIZE,
    WEIGHTS,
    WINDOW,
    Weights,
    load_weights,
    predict,
)
from longtake.preprocess.media.frames import Frame, Picture
from longtake.preprocess.transitions.fades import BLACK_DEVIATION, BLACK_LEVEL, LONG_BLACK, Gradual
from longtake.preprocess.transitions.transition_finder import Boundary
from longtake.settings import Settings

_LIKELY = 0.5  # as in the paper
_MIN_GRADUAL = 4  # frames
_MAX_GAP = 1  # frames that show something, between two parts of one transition
_STEP = WINDOW - 2 * CONTEXT  # frames


class _Seen(NamedTuple):
    """A frame: its time in seconds, a `SIZE` picture of it in RGB, and whether it is all black."""

    time: float
    picture: Picture
    black: bool


class _Judged(NamedTuple):
    """A frame: its time in seconds, whether it is black, the middle of a transition, and a part of one."""

    time: float
    black: bool
    middle: bool
    part: bool


class TransNetShots:
    """Finds cuts, dissolves, fades and wipes; what isn't a cut or passes through black is called a dissolve."""

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"transnetv2-{WEIGHTS.sha256[:8]}"

    def finder(self, changes: Changes, frames: Callable[[], Iterator[Frame]]) -> KnownTransitions:
        """See `ShotEngine`."""
        return KnownTransitions(_boundaries(_judged(map(_small_frame, frames()))))


class KnownTransitions:
    """Reports the transitions of a file whose frames have all been seen. See `TransitionFinder`."""

    def __init__(self, boundaries: Iterable[Boundary]) -> None:
        self.suspected = 0.0
        self._ahead = deque(boundaries)

    def observe(self, frame: Frame) -> list[Boundary]:
        """See `TransitionFinder`."""
        found = []
        while self._ahead and self._ahead[0].time <= frame.time:
            found.append(self._ahead.popleft())
            self.suspected = frame.time
        return found

    def finish(self) -> list[Boundary]:
        """See `TransitionFinder`."""
        return []


def missing_weights(settings: Settings) -> str | None:
    """Why the model can't be used here."""
    return missing_files(WEIGHTS)


def _small_frame(frame: Frame) -> _Seen:
    level, deviation = (float(each[0, 0]) for each in cv2.meanStdDev(frame.small_luma))
    rgb = cv2.cvtColor(cv2.resize(frame.small_bgr, SIZE, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
    black = level <= BLACK_LEVEL and deviation <= BLACK_DEVIATION
    return _Seen(frame.time, np.asarray(rgb, dtype=np.uint8), black)


def _judged(frames: Iterator[_Seen]) -> Iterator[_Judged]:
    """Judge each frame in a window around it. Beyond the first and the last frame, windows repeat these."""
    weights = load_weights(WEIGHTS.locate())
    window: list[_Seen] = []
    for frame in frames:
        window += [frame] if window else [frame] * (CONTEXT + 1)
        if len(window) == WINDOW:
            yield from _judge(window, weights)
            del window[:_STEP]
    while len(window) > CONTEXT:
        filled = window + [window[-1]] * (WINDOW - len(window))
        yield from islice(_judge(filled, weights), len(window) - CONTEXT)
        del window[:_STEP]


def _judge(window: Sequence[_Seen], weights: Weights) -> Iterator[_Judged]:
    """Judge the frames of a window, less those at its ends."""
    likely = predict(np.stack([each.picture for each in window]), weights) > _LIKELY
    for frame, (middle, part) in islice(zip(window, likely, strict=True), CONTEXT, WINDOW - CONTEXT):
        yield _Judged(frame.time, frame.black, bool(middle), bool(part))


def _boundaries(frames: Iterable[_Judged]) -> Iterator[Boundary]:
    """The transitions: runs of frames that are parts of one. A fade to black and one from it shortly after are one."""
    run: list[_Judged] = []
    gap: list[_Judged] = []  # frames after the run
    for frame in frames:
        if frame.middle or frame.part:
            run += [*gap, frame]
            gap = []
            continue
        gap.append(frame)
        too_long = frame.time - gap[0].time >= LONG_BLACK or sum(not each.black for each in gap) > _MAX_GAP
        if run and too_long:
            # The last frame of a run is the last that still shows the old shot.
            if any(each.middle for each in run):
                yield _boundary(run, gap[0].time)
            run = []
        if not run:
            gap = []
    if any(each.middle for each in run) and gap:
        yield _boundary(run, gap[0].time)


def _boundary(run: Sequence[_Judged], after: float) -> Boundary:
    if len(run) < _MIN_GRADUAL:
        return Boundary(after, "cut")
    start, end = run[0].time, after
    kind = "fade" if any(each.black for each in run) else "dissolve"
    return Boundary((start + end) / 2, kind, Gradual((start + end) / 2, start, end))
