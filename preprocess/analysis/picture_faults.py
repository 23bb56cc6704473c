"""Finds picture faults: tints that are switched on and off, noise, and short freezes.

A tint shows at its edges, where the colour of the whole picture jumps while its content stays: the colour of an entire
scene may be natural. Noise shows in the grain of the flattest parts, which have no texture.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

import cv2
import numpy as np

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import Anomaly, Chroma, Measured
from longtake.preprocess.media.frames import Picture

_LEAP = 6.0  # levels by which the mean colour jumps
_ALIKE = 0.7  # correlation of brightness on both sides of such a jump
_TILES = 4  # parts across and down that are compared
_PLAIN = 1.0  # standard deviation in levels; a part with less has nothing to compare
_OPPOSED = -0.7  # cosine of two jumps where the second undoes the first
_COLOURLESS = 1.5  # mean levels from grey; below this, a picture has no colour
_GRAINY = 5.0  # levels; 28 real clips without added noise had at most 3.4
_RISEN, _MIN_RISEN = 3.0, 2.5  # times the grain of the rest, and levels, for weak noise
_MIN_NOISY = 3  # frames
_FROZEN_NOISE = 0.5  # mean levels by which a frozen picture may differ between frames, for example after re-encoding
_MOVES = 0.2  # mean levels between frames before and after: something that stops by itself slows down first
_RESUMES = 1.8  # times these; the picture jumps when it resumes, because time went on
_AT_REST = 0.25  # share of these by which the frames of a freeze usually differ at most
_BESIDE = 5  # frames on either side
_FROZEN = 0.3  # seconds


def find_tints(frames: Sequence[Measured], end: float) -> list[Anomaly]:
    """Spans in which the whole picture is tinted, or has no colour; `end` is the end of the last frame."""
    if frames and all(frame.colourful < _COLOURLESS for frame in frames):
        span = TimeSpan(start=frames[0].time, end=end)
        return [Anomaly(span, "colourless", "black and white: no colour in any frame", 1.0)]
    leaps = [number for number in range(1, len(frames)) if _colour_leaps(frames[number - 1], frames[number])]
    found = list[Anomaly]()
    while leaps:
        first = leaps.pop(0)
        on = frames[first].chroma - frames[first - 1].chroma
        back = next((at for at in leaps if _cosine(on, frames[at].chroma - frames[at - 1].chroma) < _OPPOSED), None)
        until = frames[back].time if back is not None else end
        leaps = [at for at in leaps if back is not None and at > back]
        sure = 0.5 if back is None else -_cosine(on, frames[back].chroma - frames[back - 1].chroma)
        text = f"the whole picture suddenly turns {_hue(on)}" + ("" if back is None else ", then back")
        found.append(Anomaly(TimeSpan(start=frames[first].time, end=until), "tinted", text, round(sure, 2)))
    return found


def find_noise(frames: Sequence[Measured], end: float) -> list[Anomaly]:
    """Spans whose frames are grainy, or much grainier than the others."""
    if not frames:
        return []
    calm = float(np.percentile([frame.grain for frame in frames], 25))
    limit = min(_GRAINY, max(_MIN_RISEN, _RISEN * calm))
    found = list[Anomaly]()
    for noisy, run in groupby(frames, lambda frame: frame.grain >= limit):
        grains = [(frame.time, frame.grain) for frame in run]
        if noisy and len(grains) >= _MIN_NOISY:
            later = (frame.time for frame in frames if frame.time > grains[-1][0])
            span = TimeSpan(start=grains[0][0], end=next(later, end))
            grain = float(np.median([each for _, each in grains]))
            sure = round(min(1.0, grain / (2 * limit)), 2)
            found.append(Anomaly(span, "noisy", f"noise of about {grain:.0f} levels", sure))
    return found


def find_freezes(frames: Sequence[Measured]) -> list[Anomaly]:
    """Spans of some tenths of a second or more in which a picture that moves before and after stands still."""
    steps = [0.0, *(float(cv2.mean(cv2.absdiff(one.luma, other.luma))[0]) for one, other in pairwise(frames))]
    found = list[Anomaly]()
    for still, numbers in groupby(range(1, len(frames)), lambda number: steps[number] <= _FROZEN_NOISE):
        run = list(numbers)
        before, after = steps[max(1, run[0] - _BESIDE) : run[0]], steps[run[-1] + 1 : run[-1] + 1 + _BESIDE]
        if not still or not before or not after:
            continue
        moves = min(np.median(before), np.median(after))
        rests = np.median([steps[number] for number in run]) <= _AT_REST * moves
        if moves < _MOVES or not rests or after[0] < _RESUMES * np.median(after):
            continue
        span = TimeSpan(start=frames[run[0] - 1].time, end=frames[run[-1] + 1].time)
        if span.length >= _FROZEN:
            found.append(Anomaly(span, "frozen", "the picture freezes: it moves before and jumps after", 0.9))
    return found


def _colour_leaps(before: Measured, after: Measured) -> bool:
    """Whether the colour of the whole picture changes between two frames with the same content."""
    return (
        bool(np.linalg.norm(after.chroma - before.chroma) >= _LEAP) and _same_scene(before.luma, after.luma) >= _ALIKE
    )


def _same_scene(one: Picture, other: Picture) -> float:
    """Median correlation of the parts of two pictures: a caption that stays doesn't make two scenes one."""
    found = []
    for rows in np.array_split(np.arange(one.shape[0]), _TILES):
        for columns in np.array_split(np.arange(one.shape[1]), _TILES):
            part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            if min(one[part].std(), other[part].std()) >= _PLAIN:
                found.append(float(cv2.matchTemplate(one[part], other[part], cv2.TM_CCOEFF_NORMED)[0, 0]))
    return float(np.median(found)) if found else 1.0


def _cosine(one: Chroma, other: Chroma) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def _hue(chroma: Chroma) -> str:
    """The name of the hue in the direction of a step in (red difference, blue difference)."""
    red, blue = float(chroma[0]), float(chroma[1])
    names = ("blue", "magenta", "red", "yellow", "green", "cyan")
    places = [(-18, 112), (94, 74), (112, -38), (18, -112), (-94, -74), (-112, 38)]  # of the pure colours, BT.601
    step = np.array([red, blue])
    return max(zip(names, places, strict=True), key=lambda each: _cosine(step, np.array(each[1], np.float64)))[0]
