"""Detects siren-like sounds: one pitch that repeatedly swings up and down in the same way.

Sirens wail (a slow glide up and down), yelp (a fast one) or alternate between two notes, always with one fundamental
below 2 kHz and at a constant rate. So the detector tracks the pitch (as F. Meucci et al., A real-time siren detector to
improve safety of guide in traffic environment, EUSIPCO 2008, do for two notes) and finds its turning points; a siren is
a series of turns whose highs, lows and periods repeat. Speech also glides, but never twice alike; tunes rarely do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import FRAME_STEP, Array, Features
from longtake.preprocess.engines.sounds.spectral_pitch import HIGHEST
from longtake.preprocess.engines.sounds.spectral_runs import event_over, smoothed
from longtake.preprocess.engines.sounds.spectral_voices import VOICE_ON

Frames = npt.NDArray[np.intp]

CLARITY = 0.5  # a siren 5 dB over a park (scaper's soundscape) has 0.55 to 0.97, the park itself under 0.4
HOLE = 10  # frames; unclear pitch for longer ends a contour
SWING = 0.2  # octaves; a vibrato is under 0.17, the narrowest two-note horns (420 and 516 Hz) 0.3
ALIKE = 0.35  # share of the swing by which highs and lows may differ: 31 frames a second miss the tip of a yelp
STEADY_PERIOD = 1.4  # factor between a period and the median of those before it, for a siren that starts or passes by
PERIODS = (0.15, 8.5)  # seconds; from 400 cycles per minute, faster than a yelp, to 7, slower than a wail
# Mean difference, as a share of the swing, of a contour from itself a period later: 0.07 in scaper's soundscape and up
# to 0.09 in synthesised sirens, over 0.12 in random tunes, unless these really alternate between two notes.
SAME = 0.1
TURNS, SLOW_TURNS = 6, 4  # two and a half cycles, because tunes often swing twice; fewer of a wail may be audible
SLOW = 62  # frames: 2 s; sirens with at least this period wail
MIN_FRAMES = 31  # 1 s
CLEAR_SHARE = 0.75  # of the frames of a siren; broken pitch is speech or a crowd
MERGE_GAP = 1.5  # seconds for which a horn can hide a siren


def sirens(features: Features) -> list[SoundEvent]:
    """Runs of swinging pitch, sorted by start. A siren hidden for a moment gives two, see `merged`."""
    clear = (features.clarity > CLARITY) & (features.pitch < HIGHEST) & ~(features.voice >= VOICE_ON)
    frames = np.flatnonzero(clear)
    found: list[SoundEvent] = []
    for contour in np.split(frames, np.flatnonzero(np.diff(frames) > HOLE) + 1):
        if len(contour) < MIN_FRAMES / 2:
            continue
        octaves = smoothed(np.log2(features.pitch[contour]), 3, np.median)
        for start, end in _swinging(contour, octaves):
            share = float(clear[start:end].mean())
            if share >= CLEAR_SHARE:
                found.append(event_over(features, "siren", (start, end), FRAME_STEP, min(0.95, share)))
    return found


def merged(found: list[SoundEvent]) -> list[SoundEvent]:
    """Join the parts of sirens that were hidden for a moment."""
    whole: list[SoundEvent] = []
    for siren in found:
        if whole and siren.start - whole[-1].end <= MERGE_GAP:
            whole[-1] = replace(whole[-1], end=siren.end, confidence=min(whole[-1].confidence, siren.confidence))
        else:
            whole.append(siren)
    return whole


def turning_points(octaves: Array) -> list[int]:
    """Indices of the highs and lows of a contour that are at least `SWING` apart."""
    turns: list[int] = []
    low = high = direction = 0
    for index in range(1, len(octaves)):
        if direction >= 0 and octaves[index] > octaves[high]:
            high = index
        if direction <= 0 and octaves[index] < octaves[low]:
            low = index
        if direction >= 0 and octaves[index] < octaves[high] - SWING:
            turns.append(high)
            low, direction = index, -1
        elif direction <= 0 and octaves[index] > octaves[low] + SWING:
            turns.append(low)
            high, direction = index, 1
    return turns


def _swinging(contour: Frames, octaves: Array) -> Iterator[tuple[int, int]]:
    """Runs of frames, (first, last + 1), in which a contour repeats itself."""
    turns = turning_points(octaves)
    crossings = [_crossing(octaves, *pair) for pair in pairwise(turns)]
    first = 0
    while first + SLOW_TURNS <= len(turns):
        last = _last_alike(contour[crossings], octaves[turns], first)
        if last - first + 1 < SLOW_TURNS:
            first += 1
            continue
        before, after = int(contour[crossings[first]]), int(contour[crossings[last - 1]])
        half = round((after - before) / (last - 1 - first))
        extremes = [float(np.median(octaves[turns[which : last + 1 : 2]])) for which in (first, first + 1)]
        start = _edge(contour, octaves, crossings[first], extremes, -round(1.5 * half))
        end = _edge(contour, octaves, crossings[last - 1], extremes, round(1.5 * half)) + 1
        drawn = np.interp(np.arange(max(start, before - half), min(end, after + half)), contour, octaves)
        enough = last - first + 1 >= (SLOW_TURNS if 2 * half >= SLOW else TURNS)
        if enough and end - start >= MIN_FRAMES and _repeats(drawn, 2 * half):
            yield start, end
            first = last
        else:
            first += 1


def _crossing(octaves: Array, turn: int, after: int) -> int:
    """Where a contour crosses the midpoint between two turns: a sustained note has no exact turn."""
    middle = (octaves[turn] + octaves[after]) / 2
    return turn + int(((octaves[turn : after + 1] > middle) != (octaves[turn] > middle)).argmax())


def _last_alike(crossings: Frames, octaves: Array, first: int) -> int:
    """The last turn, counted from `first`, up to which highs, lows and periods repeat."""
    swing = abs(octaves[first + 1] - octaves[first])
    periods: list[float] = []
    for turn in range(first + 2, len(octaves)):
        if abs(octaves[turn] - octaves[turn - 2]) > ALIKE * swing:
            return turn - 1
        if turn < first + 3:
            continue
        period = float(crossings[turn - 1] - crossings[turn - 3]) * FRAME_STEP
        usual = float(np.median(periods)) if periods else period
        if not (PERIODS[0] < period < PERIODS[1] and 1 / STEADY_PERIOD < period / usual < STEADY_PERIOD):
            return turn - 1
        periods.append(period)
    return len(octaves) - 1


def _edge(contour: Frames, octaves: Array, crossing: int, extremes: list[float], reach: int) -> int:
    """The frame up to which a contour stays between its extremes before or after a crossing, at most `reach` away."""
    low, high = min(extremes) - SWING / 2, max(extremes) + SWING / 2
    step = -1 if reach < 0 else 1
    edge = crossing
    while 0 <= edge + step < len(contour) and abs(contour[edge + step] - contour[crossing]) <= abs(reach):
        if not low <= octaves[edge + step] <= high:
            break
        edge += step
    return int(contour[edge])


def _repeats(drawn: Array, period: int) -> bool:
    """Whether a contour, interpolated at every frame, repeats a period later, for the best of similar periods."""
    nearby = range(max(1, round(0.9 * period)), min(round(1.1 * period) + 1, len(drawn) - 1) + 1)
    differences = [float(np.abs(drawn[lag:] - drawn[:-lag]).mean()) for lag in nearby]
    return min(differences) <= SAME * float(drawn.max() - drawn.min())
