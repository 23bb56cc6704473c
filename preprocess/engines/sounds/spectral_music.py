"""Detects music from the bars that sustained notes leave in a spectrogram."""

from __future__ import annotations

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import FRAME_STEP, LEVEL_STEP, STRIDE_STEP, Array, Features
from longtake.preprocess.engines.sounds.spectral_levels import SILENCE_DB
from longtake.preprocess.engines.sounds.spectral_runs import between, event_over, runs_of, smoothed

MUSIC, MUSIC_OVER_VOICE = 2.0, 2.6  # speech in 20 recordings stays under 2.0 once smoothed, songs reach 2 to 4.7
MUSIC_WINDOWS = 4  # 8 s; a sustained horn fills three windows
HUM = 0.9  # a partial that is on for this share of 6 s is mains hum or a motor, not a note


def music(features: Features) -> list[SoundEvent]:
    """Continuous frequency activation: notes leave horizontal bars in the spectrogram, speech and noise don't.

    K. Seyerlehner et al., Automatic music detection in television productions, DAFx 2007; here without bars that never
    end, and over windows of two strides.
    """
    if len(features.partials) < 2:
        return []
    partials = np.nan_to_num(features.partials)
    windows = (partials[:-1] + partials[1:]) / 2
    steady = (smoothed(windows, 3, np.mean) > HUM).astype(np.float64)
    # A hum includes the windows in which it begins and ends, and two bins on either side.
    hum = smoothed(smoothed(steady, 5, np.max).T, 5, np.max).T
    strength = smoothed(_bar_strength(np.where(hum > 0, 0.0, windows)), 3, np.median)
    starts = np.arange(len(windows)) * STRIDE_STEP
    voices = [between(features.voice, FRAME_STEP, start, start + 2 * STRIDE_STEP) for start in starts]
    voiced = np.array([voice.mean() if len(voice) else 0.0 for voice in voices])
    needed = np.where(voiced < 0.3, MUSIC, MUSIC_OVER_VOICE)
    found = []
    for start, end in runs_of(strength > needed, bridge=1, min_length=MUSIC_WINDOWS):
        confidence = float(np.clip(0.25 * strength[start:end].mean(), 0.5, 0.95))
        first, last = round(start * STRIDE_STEP / LEVEL_STEP), round((end + 1) * STRIDE_STEP / LEVEL_STEP)
        audible = np.flatnonzero(features.level[first:last] >= SILENCE_DB)
        run = (first + int(audible[0]), first + int(audible[-1]) + 1)
        found.append(event_over(features, "music", run, LEVEL_STEP, confidence))
    return found


def _bar_strength(activation: Array) -> Array:
    """Sum of the five most prominent peaks, each 0 to 1 over the lower of its flanks; (windows,)."""
    padded = np.pad(activation, ((0, 0), (5, 5)), "edge")
    lowest = np.lib.stride_tricks.sliding_window_view(padded, 6, axis=1).min(axis=2)
    left, right = lowest[:, :-5], lowest[:, 5:]
    sides = np.pad(activation, ((0, 0), (1, 1)))
    peak = (activation >= sides[:, :-2]) & (activation >= sides[:, 2:])
    height = np.where(peak, activation - np.maximum(left, right), 0.0)
    return np.asarray(np.sort(height, axis=1)[:, -5:].sum(axis=1))
