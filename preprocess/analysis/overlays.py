"""Finds objects that were put into footage: a compact part of the picture that appears at once, stays and goes at once.

Things that were filmed move in, or are uncovered. What was pasted in changes between two frames, much more than
anything else does then, and stays the same until it goes in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import Measured

Levels = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

_AROUND = 2  # steps on either side whose change is usual
_CHANGES = 10.0  # levels beyond the usual by which a pixel changes
_MIN_AREA, _MAX_AREA = 0.01, 0.4  # share of the picture
_FILLS = 0.4  # share of its box that the part fills
_OF_ALL = 0.5  # share of all that changes
_MAX_WIDTH = 0.75  # of the picture; what is wider is a change of the picture
_ELSEWHERE, _LEAST = 97, 4.0  # percentile of the change elsewhere, and levels that always count
_TIMES = 3.0  # times the change elsewhere; of 33 real clips only a test pattern had more
_SAME_PART = 0.6  # overlap of the part that appears with the part that goes
_STAYS = 0.35  # share of its change by which it may change in between
_SHORTEST = 0.6  # seconds
_MOVES, _MOST = 0.05, 80  # levels between most frames of filmed pictures; on slides, which stay, things appear


class Overlay(NamedTuple):
    """An object put into a span: its box (left, top, width, height as shares of the picture) and a confidence."""

    span: TimeSpan
    box: tuple[float, float, float, float]
    sure: float


class _Pop(NamedTuple):
    """A part that changes at once, between the frame `at` and the next, so many times as much as the rest."""

    at: int
    part: Mask
    box: tuple[float, float, float, float]
    times: float


def find_overlays(frames: Sequence[Measured]) -> list[Overlay]:
    """The objects that appear and go in frames in time order."""
    if len(frames) <= 2 * _AROUND + 1:
        return []
    lumas = [frame.luma.astype(np.float32) for frame in frames]
    if np.percentile([np.abs(after - before).mean() for before, after in pairwise(lumas)], _MOST) < _MOVES:
        return []
    pops, found = list(_pops(lumas)), list[Overlay]()
    for number, pop in enumerate(pops):
        if found and frames[pop.at].time < found[-1].span.end:
            continue
        for other in pops[number + 1 :]:
            span = TimeSpan(start=frames[pop.at + 1].time, end=frames[other.at + 1].time)
            if span.length >= _SHORTEST and (sure := _fits(pop, other, lumas)):
                found.append(Overlay(span, pop.box, sure))
                break
    return found


def _fits(appears: _Pop, goes: _Pop, lumas: Sequence[Levels]) -> float:
    """The confidence that two changes are one object that comes and goes; 0 if they aren't."""
    part = appears.part
    shared = float((part & goes.part).sum() / (part | goes.part).sum())
    changed = float(np.median(np.abs(lumas[appears.at + 1] - lumas[appears.at])[part]))
    stayed = float(np.median(np.abs(lumas[goes.at] - lumas[appears.at + 1])[part]))
    times = min(appears.times, goes.times) * shared
    if shared < _SAME_PART or stayed > _STAYS * changed or times < _TIMES:
        return 0.0
    return round(1 - _TIMES / 2 / times, 2)


def _pops(lumas: Sequence[Levels]) -> Iterator[_Pop]:
    steps = [cv2.blur(cv2.absdiff(one, other), (3, 3)) for one, other in pairwise(lumas)]
    for at, step in enumerate(steps):
        around = [*steps[max(0, at - _AROUND) : at], *steps[at + 1 : at + 1 + _AROUND]]
        beyond = step - np.max(around, axis=0)
        changes = (beyond > _CHANGES).astype(np.uint8)
        if not _MIN_AREA / 2 <= np.count_nonzero(changes) / changes.size <= _MAX_AREA:
            continue
        closed = cv2.morphologyEx(changes, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        _, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
        largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
        left, top, width, height, area = (int(value) for value in stats[largest])
        down, across = closed.shape
        if area < max(_MIN_AREA * closed.size, _FILLS * width * height, _OF_ALL * np.count_nonzero(closed)):
            continue
        if width <= _MAX_WIDTH * across:
            part = labels == largest
            elsewhere = max(_LEAST, float(np.percentile(beyond[~part], _ELSEWHERE)))
            box = (left / across, top / down, width / across, height / down)
            yield _Pop(at, part, box, float(beyond[part].mean()) / elsewhere)
