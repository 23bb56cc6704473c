"""Detects applause-like sounds: many short, random bursts of noise without pitch.

After C. Uhle, Applause sound detection, JAES 59 (2011) and Y. Li et al., Characteristics-based effective applause
detection for meeting speech, Signal Processing 89 (2009): applause is sustained, has no pitch, a flat spectrum in the
middle range, and an envelope of independent grains. Other sounds differ: noise, wind, water and engines have a smooth
envelope or power outside the middle range; speech and music have pitch and slow envelopes. Nearby hands also reach far
above the middle range, as hiss and rain do, but a clap sounds in all ranges at once, a raindrop in only one.

The limits were tuned on synthesised applause (after L. Peltola et al., Synthesis of hand clapping sounds, IEEE TASLP
15, 2007: 3 to 400 people, dry and reverberant) against synthesised noise and rain, and against the test media's
recordings of water, rain, streets, crunching, speech and songs. Applause under speech or music isn't detected.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import (
    BAND_STEP,
    FRAME_STEP,
    GRAIN_STEP,
    Array,
    Features,
    decibels,
)
from longtake.preprocess.engines.sounds.spectral_runs import between, event_over, runs_of

WINDOW = 2  # steps of the bands: about a second
MIN_WINDOWS = 3  # a step apart: two seconds
PAUSE = 0.25  # seconds between two claps of the same applause
AUDIBLE_DB = -55.0
CONFIDENCE = 0.6  # no higher, because the rules were tuned on synthesised applause only
CLARITY = 0.36  # median; up to 0.33 in applause of eight people, 0.34 to 0.5 in most speech and songs
FLATNESS = (0.35, 0.72)  # geometric over arithmetic mean of the bands; rain and noise 0.75 to 1, voices under 0.3
BELOW_DB, ABOVE_DB = -15.0, -11.0  # against the middle; a stream of water has -11 and -9, white noise -11 and -2.5
# Correlation of the grains with those of the hiss above them: 0.6 to 0.9 in broadband claps up to 800 per second, under
# 0.15 in rain, streams and noise. In claps, the power below doesn't exceed that of white bursts; in a street it does.
TOGETHER, BURST_BELOW_DB = 0.45, -9.0
# Deviation over mean of the grains: noise has 0.2, a crowd in an echoing hall 0.34, eight people 2.3, three people 3.5.
DEPTH = (0.3, 2.6)
# Correlation of a whole run with itself 20 ms to 1 s later: up to 0.24 in four seconds of applause, 0.26 to 0.9 in
# rotors, motors, drum rolls and rhythmic blows.
IN_TIME, LAGS = 0.25, range(4, 200)
SLOW = 0.15  # correlation of grains 20 to 80 ms apart; speech, songs and engines 0.2 to 0.9


def applause(features: Features) -> list[SoundEvent]:
    """Applause of two seconds or more, sorted by start."""
    count = len(features.bands)
    like = np.array([_is_applause(features, index) for index in range(count - WINDOW + 1)], np.bool_)
    runs = runs_of(like, bridge=2, min_length=MIN_WINDOWS)
    clapped = [_clapped(features, start, end + WINDOW - 1) for start, end in runs]
    return [
        event_over(features, "applause", (start, end), GRAIN_STEP, CONFIDENCE)
        for start, end in clapped
        if max(_alike(np.nan_to_num(features.grain[start:end]), LAGS), default=0.0) < IN_TIME
    ]


def _clapped(features: Features, start: int, end: int) -> tuple[int, int]:
    """From the first clap to the last around these steps of the bands, in grains: window bounds are imprecise.

    Claps less than `PAUSE` before or after belong to it, up to half a second beyond the windows.
    """
    first, last, step = (round(time / GRAIN_STEP) for time in (start * BAND_STEP, end * BAND_STEP, BAND_STEP))
    grains = np.nan_to_num(features.grain[max(0, first - step) : last + step])
    loud = grains > 0.1 * np.nan_to_num(features.grain[first:last]).mean()
    runs = runs_of(loud, bridge=round(PAUSE / GRAIN_STEP))
    inside = [(begun, over) for begun, over in runs if over > min(first, step) and begun < len(grains) - step]
    return max(0, first - step) + inside[0][0], max(0, first - step) + inside[-1][1]


def _is_applause(features: Features, index: int) -> bool:
    start, end = index * BAND_STEP, (index + WINDOW) * BAND_STEP
    below, *bands, above = features.bands[index : index + WINDOW].mean(axis=0)
    grains = between(features.grain, GRAIN_STEP, start, end)
    if np.isnan(below) or len(grains) < WINDOW * BAND_STEP / GRAIN_STEP - 2 or decibels(grains.mean()) < AUDIBLE_DB:
        return False
    middle = np.array(bands)
    flatness = float(np.exp(np.log(middle + 1e-12).mean()) / (middle.mean() + 1e-12))
    lows, highs = decibels(np.array([below, above]) / (middle.sum() + 1e-12))
    of_hands = flatness <= FLATNESS[1] and lows < BELOW_DB and highs < ABOVE_DB
    hiss = between(features.hiss, GRAIN_STEP, start, end)
    return bool(
        flatness >= FLATNESS[0]
        and (of_hands or (lows < BURST_BELOW_DB and _together(grains, hiss)))
        and float(np.median(between(features.clarity, FRAME_STEP, start, end))) < CLARITY
        and _is_grainy(grains)
    )


def _together(grains: Array, hiss: Array) -> bool:
    """Whether the middle range and the range above it burst at the same times."""
    deviations = grains - grains.mean(), hiss - hiss.mean()
    spread = float(np.sqrt((deviations[0] ** 2).mean() * (deviations[1] ** 2).mean()))
    return float((deviations[0] * deviations[1]).mean()) > TOGETHER * spread > 0


def _is_grainy(grains: Array) -> bool:
    """Whether the envelope is deep but dense, with grains that are unrelated 20 ms later."""
    deviation = grains - grains.mean()
    variance = float((deviation**2).mean())
    if not DEPTH[0] <= np.sqrt(variance) / grains.mean() <= DEPTH[1]:
        return False
    return float(np.mean(_alike(grains, (4, 8, 12, 16)))) < SLOW


def _alike(grains: Array, lags: Iterable[int]) -> list[float]:
    """Correlation of an envelope with itself at each lag, in grains."""
    deviation = grains - grains.mean()
    variance = float((deviation**2).mean())
    return [float((deviation[lag:] * deviation[:-lag]).mean()) / variance for lag in lags if lag < len(deviation)]
