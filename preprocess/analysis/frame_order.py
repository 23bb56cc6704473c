"""Detects frames that are out of order, judging by motion.

In a recording, the frame most like another is nearly always the one before or after it, and the motion at the end of a
shot doesn't continue in a distant shot. Without motion, the order can't be judged; and it never shows the direction of
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import Anomaly, Measured

Distances = npt.NDArray[np.float64]  # (frames, frames): root mean square of levels between small pictures

_WINDOW, _STEP = 30, 10  # frames compared with one another, and frames between windows
_TELLING = 2.0  # levels between the frames of a window; below this, too little moves
_MAX_NEIGHBOURS = 0.35  # share of frames most like a neighbour; below this, they are shuffled
_UNLIKE = 0.85  # share of the mean difference in the window by which shuffled neighbours differ
_FOLLOWS = 0.5  # share of the usual difference by which a frame differs from the one most like it
_LEAP, _MIN_LEAP = 4.0, 3.0  # times the differences around, and levels, that separate two pieces
_AROUND = 10  # frames on either side
_MIN_PIECE = 6  # frames in a piece
_APPROACH = 4  # frames before the end of a piece; the picture must have moved since to judge what continues it
_FITS, _BETTER = 2.0, 0.5  # times a step, and times the actual next frame's difference, that a continuation may differ
_MIN_FITS = 3
_MAX_FRAMES = 1200  # for comparing pieces


class Order(NamedTuple):
    """Spans out of order, and the share of the frames whose order could be judged.

    In a `broken` span, neighbouring frames were permuted, so what changes from one to the next says nothing else.
    """

    findings: list[Anomaly]
    judged: float
    broken: tuple[TimeSpan, ...] = ()


def find_shuffled(frames: Sequence[Measured]) -> Order:
    """Find where neighbouring frames, or pieces of the video, were permuted; frames are in time order."""
    if len(frames) < _WINDOW:
        return Order([], 0.0)
    pictures = np.stack([frame.luma[::2, ::2].ravel() for frame in frames]).astype(np.float32)
    starts = range(0, len(frames) - _WINDOW + 1, _STEP)
    mixed, judged = list[tuple[int, int, float]](), 0
    for start in starts:
        window = _distances(pictures[start : start + _WINDOW])
        usual = float(np.median(window[~np.eye(_WINDOW, dtype=bool)]))
        if usual < _TELLING:
            continue
        judged += 1
        others = window + np.diag(np.full(_WINDOW, np.inf))
        neighbours = float((np.abs(others.argmin(axis=1) - np.arange(_WINDOW)) == 1).mean())
        # Noise also makes all frames unlike, but in filmed frames some two follow each other.
        filmed = np.median(others.min(axis=1)) <= _FOLLOWS * usual
        # The mean counts both differences of frames from two scenes, within a scene and between the two.
        mean = window.sum() / (_WINDOW * (_WINDOW - 1))
        if filmed and neighbours <= _MAX_NEIGHBOURS and np.diagonal(window, 1).mean() >= _UNLIKE * mean:
            mixed.append((start, start + _WINDOW - 1, 1 - neighbours))
    findings = list[Anomaly]()
    for first, last, sure in _joined(mixed):
        span = TimeSpan(start=frames[first].time, end=frames[last].time)
        text = "frames out of order: neighbouring frames are no more alike than others"
        findings.append(Anomaly(span, "shuffled", text, round(sure, 2)))
    broken = tuple(finding.span for finding in findings)
    if not findings and len(frames) <= _MAX_FRAMES:
        findings += _shuffled_pieces(frames, _distances(pictures))
    return Order(findings, judged / len(starts), broken)


def _distances(pictures: npt.NDArray[np.float32]) -> Distances:
    squares = np.einsum("ij,ij->i", pictures, pictures, dtype=np.float64)
    apart = squares[:, None] + squares[None] - 2.0 * (pictures @ pictures.T)
    return np.asarray(np.sqrt(np.maximum(apart, 0.0) / pictures.shape[1]), np.float64)


def _joined(spans: Sequence[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    joined = list[tuple[int, int, float]]()
    for first, last, sure in spans:
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], last, max(joined[-1][2], sure))
        else:
            joined.append((first, last, sure))
    return joined


def _shuffled_pieces(frames: Sequence[Measured], apart: Distances) -> list[Anomaly]:
    """The span from the first to the last leap, if most pieces don't continue in the next one."""
    pieces = _pieces(apart)
    fits = judged = 0
    for number, (start, end) in enumerate(pieces):
        steps = np.diagonal(apart, 1)[max(start, end - _APPROACH - 2) : end]
        if apart[end, end - _APPROACH] < _TELLING:
            continue
        judged += 1
        following = apart[end, pieces[number + 1][0]] if number + 1 < len(pieces) else np.inf
        others = [apart[end, first] for other, (first, _) in enumerate(pieces) if other not in (number, number + 1)]
        nearest = min(others, default=np.inf)
        fits += bool(nearest <= _FITS * max(np.median(steps), 0.3) and nearest < _BETTER * following)
    if fits < _MIN_FITS or fits < judged / 2:
        return []
    span = TimeSpan(start=frames[pieces[0][0]].time, end=frames[pieces[-1][1]].time)
    text = f"pieces out of order: {fits} of {len(pieces)} continue somewhere other than in the next piece"
    return [Anomaly(span, "shuffled", text, round(fits / judged, 2))]


def _pieces(apart: Distances) -> list[tuple[int, int]]:
    """First and last frame of each run between leaps, except very short ones."""
    steps = np.diagonal(apart, 1)
    usual = [np.median(steps[max(0, at - _AROUND) : at + _AROUND + 1]) for at in range(len(steps))]
    leaps = [int(at) for at in np.nonzero(steps >= np.maximum(_LEAP * np.asarray(usual), _MIN_LEAP))[0]]
    starts, ends = [0, *(at + 1 for at in leaps)], [*leaps, len(apart) - 1]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if end - start + 1 >= _MIN_PIECE]
