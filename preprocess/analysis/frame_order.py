"""Whether frames are in the order in which they were taken, as far as motion tells.

In a recording the frame most like another is, nearly always, the one before or after it, and what one shot ends with
does not go on in a shot that is shown elsewhere. Where little moves nothing can be told; neither does the order say in
which direction time runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import Finding, Measured

Distances = npt.NDArray[np.float64]  # (frames, frames): root mean square of levels between small pictures

_WINDOW, _STEP = 30, 10  # frames that are compared with one another, and after which again
_TELLING = 2.0  # levels between the frames of a window, below which nothing moves enough
_MAX_NEIGHBOURS = 0.35  # share of frames most like a neighbour, below which they are shuffled
_UNLIKE = 0.85  # of the usual difference in the window, by which neighbours differ when they are shuffled
_FOLLOWS = 0.5  # of the usual difference, by which the frame most like another differs from it
_LEAP, _LEAST_LEAP = 4.0, 3.0  # times the differences around, and levels, that part two pieces
_AROUND = 10  # frames on either side
_SHORTEST = 6  # frames of a piece
_APPROACH = 4  # frames before the end of a piece, from which the picture must have moved to tell where it goes on
_FITS, _BETTER = 2.0, 0.5  # times a step, and of what really follows, by which a continuation may differ
_FEWEST_FITS = 3
_MAX_FRAMES = 1200  # whose pieces are compared


class Order(NamedTuple):
    """Spans out of order, and the share of the frames for which the order could be told."""

    findings: list[Finding]
    told: float


def find_shuffled(frames: Sequence[Measured]) -> Order:
    """Where neighbouring frames were permuted, or pieces of the video; frames are in order of time."""
    if len(frames) < _WINDOW:
        return Order([], 0.0)
    pictures = _vectors(frames)
    starts = range(0, len(frames) - _WINDOW + 1, _STEP)
    mixed, told = list[tuple[int, int, float]](), 0
    for start in starts:
        window = _distances(pictures[start : start + _WINDOW])
        usual = float(np.median(window[~np.eye(_WINDOW, dtype=bool)]))
        if usual < _TELLING:
            continue
        told += 1
        others = window + np.diag(np.full(_WINDOW, np.inf))
        neighbours = float((np.abs(others.argmin(axis=1) - np.arange(_WINDOW)) == 1).mean())
        # Of noise, too, all frames are unlike; of what was filmed, some two follow each other.
        filmed = np.median(others.min(axis=1)) <= _FOLLOWS * usual
        if filmed and neighbours <= _MAX_NEIGHBOURS and np.median(np.diagonal(window, 1)) >= _UNLIKE * usual:
            mixed.append((start, start + _WINDOW - 1, 1 - neighbours))
    findings = list[Finding]()
    for first, last, sure in _joined(mixed):
        span = TimeSpan(start=frames[first].time, end=frames[last].time)
        text = "frames out of order: neighbours are no more alike than others"
        findings.append(Finding(span, "shuffled", text, round(sure, 2)))
    if not findings and len(frames) <= _MAX_FRAMES:
        findings += _shuffled_pieces(frames, _distances(pictures))
    return Order(findings, told / len(starts))


def _vectors(frames: Sequence[Measured]) -> npt.NDArray[np.float32]:
    return np.stack([frame.luma[::2, ::2].ravel() for frame in frames]).astype(np.float32)


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


def _shuffled_pieces(frames: Sequence[Measured], apart: Distances) -> list[Finding]:
    """The span from the first to the last leap, when most pieces go on in another than the next."""
    pieces = _pieces(apart)
    fits = told = 0
    for number, (start, end) in enumerate(pieces):
        steps = np.diagonal(apart, 1)[max(start, end - _APPROACH - 2) : end]
        if apart[end, end - _APPROACH] < _TELLING:
            continue
        told += 1
        following = apart[end, pieces[number + 1][0]] if number + 1 < len(pieces) else np.inf
        others = [apart[end, first] for other, (first, _) in enumerate(pieces) if other not in (number, number + 1)]
        nearest = min(others, default=np.inf)
        fits += bool(nearest <= _FITS * max(np.median(steps), 0.3) and nearest < _BETTER * following)
    if fits < _FEWEST_FITS or fits < told / 2:
        return []
    span = TimeSpan(start=frames[pieces[0][0]].time, end=frames[pieces[-1][1]].time)
    text = f"pieces out of order: {fits} of {len(pieces)} go on in another piece than the next"
    return [Finding(span, "shuffled", text, round(fits / told, 2))]


def _pieces(apart: Distances) -> list[tuple[int, int]]:
    """First and last frame of the stretches between leaps, the shortest left out."""
    steps = np.diagonal(apart, 1)
    usual = [np.median(steps[max(0, at - _AROUND) : at + _AROUND + 1]) for at in range(len(steps))]
    leaps = [int(at) for at in np.nonzero(steps >= np.maximum(_LEAP * np.asarray(usual), _LEAST_LEAP))[0]]
    starts, ends = [0, *(at + 1 for at in leaps)], [*leaps, len(apart) - 1]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if end - start + 1 >= _SHORTEST]
