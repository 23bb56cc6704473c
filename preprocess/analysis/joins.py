"""Finds where footage was joined: a piece that was cut out of a scene, and a piece of something else in between.

A scene that was filmed without a pause moves on by small steps. Where seconds are missing, one step is many times
larger than those around it, although the scene is the same. Where something else was put in, the picture moves on after
it exactly where it was before it; in an ordinary edit, time has passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import Anomaly, Measured, same_details
from longtake.preprocess.media.frames import Picture

Levels = npt.NDArray[np.float64]

_COARSE = (40, 22)  # of the picture in which a leap shows, but not a texture that moves a little
_AROUND = 3  # steps on either side of a leap
_MOVES, _LEAP = 0.3, 1.5  # levels of the largest step around a leap, and of the leap
_TIMES = 5.2  # times the steps around; 32 of 33 real clips had less
_SAME_SCENE = 0.25  # correlation of the details on both sides of a leap
_CUT, _MIN_CUT = 3.0, 8.0  # times the usual step, and levels, of a change of scene
_BEFORE = 10  # frames before a change of scene in which the picture must have moved
_TILES = (16, 9)  # of the picture; a thing may move in a few of them
_MOVED = 3.0  # levels by which it must have moved in a tile
_SHORTEST = 6  # frames of a piece in between
_GOES_ON = 1.9  # times the step of going on that it must have moved; 33 real clips had at most 1.3
_OTHER = 1.5  # the same for the difference of other footage, in the whole picture


def find_jumps(frames: Sequence[Measured]) -> list[Anomaly]:
    """Moments at which a moving scene leaps on, as if a piece were missing; frames are in time order."""
    if len(frames) <= 2 * _AROUND + 1:
        return []
    coarse = np.stack([_coarse(frame.luma) for frame in frames])
    steps = _steps(coarse)
    found = list[Anomaly]()
    for at in range(_AROUND, len(steps) - _AROUND):
        around = max(steps[at - _AROUND : at].max(), steps[at + 1 : at + 1 + _AROUND].max())
        if around < _MOVES or steps[at] < max(_LEAP, _TIMES * around):
            continue
        if same_details(frames[at].luma, frames[at + 1].luma) >= _SAME_SCENE:
            time = frames[at + 1].time
            text = f"the scene skips ahead, {steps[at] / around:.0f} times as far as around: a piece may be missing"
            sure = round(1 - _TIMES / 2 / float(steps[at] / around), 2)
            found.append(Anomaly(TimeSpan(start=time, end=time), "jump cut", text, sure))
    return found


def find_interruptions(frames: Sequence[Measured]) -> list[Anomaly]:
    """Spans of other footage, after which the picture goes on exactly where it was; frames are in time order."""
    lumas = np.stack([frame.luma for frame in frames]).astype(np.int16) if frames else np.zeros((0, 1, 1), np.int16)
    steps = _steps(lumas)
    cuts = [at for at in range(_BEFORE, len(steps)) if steps[at] >= max(_MIN_CUT, _CUT * _usual(steps, at))]
    found, until = list[Anomaly](), -1
    for number, first in enumerate(cuts):
        moved = _most(lumas[first], lumas[first - _BEFORE])
        if first <= until or moved < _MOVED:
            continue
        usual = float(np.median([_most(lumas[at], lumas[at + 1]) for at in range(first - _BEFORE, first)]))
        for last in (cut for cut in cuts[number + 1 :] if cut - first >= _SHORTEST):
            times = moved / max(_most(lumas[first], lumas[last + 1]), usual, 1.0)
            inside = min(_apart(lumas[first], lumas[at]) for at in (first + 1, (first + last) // 2, last))
            if times >= _GOES_ON and inside >= _OTHER * max(_apart(lumas[first], lumas[last + 1]), 0.5):
                span = TimeSpan(start=frames[first + 1].time, end=frames[last + 1].time)
                text = "other footage in between: after it, the picture goes on exactly where it was"
                found.append(Anomaly(span, "mixed", text, round(1 - 0.5 * _GOES_ON / times, 2)))
                until = last
                break
    return found


def _coarse(luma: Picture) -> Levels:
    small = cv2.resize(luma, _COARSE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 1), np.float64)


def _steps(pictures: npt.NDArray[Any]) -> Levels:
    """Mean levels between each picture and the next."""
    return np.array([_apart(one, other) for one, other in pairwise(pictures)], np.float64)


def _apart(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    return float(np.abs(one - other).mean())


def _usual(steps: Levels, at: int) -> float:
    return max(0.5, float(np.median(steps[max(0, at - 12) : at + 13])))


def _most(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Mean levels between two pictures in the tile that differs most but for one."""
    tiles = cv2.resize(np.abs(one - other).astype(np.float32), _TILES, interpolation=cv2.INTER_AREA)
    return float(np.partition(np.asarray(tiles).ravel(), -2)[-2])
