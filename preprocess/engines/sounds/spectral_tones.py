"""Detects tones: beeps, and the sustained pitch of a horn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import FRAME_STEP, Array, Features
from longtake.preprocess.engines.sounds.spectral_runs import Mask, between, event_over, runs_of
from longtake.preprocess.engines.sounds.spectral_voices import VOICE_ON

PURITY, LEVEL_DB, DRIFT = 0.9, -50.0, 0.01
MIN_FRAMES = 10  # 0.3 s
HELD_CLARITY = 0.5  # the horns of scaper and their mix have 0.55 to 0.6, being chords
HELD_RISE_DB = 10.0  # above the half second before and after; notes of a tune follow each other, a horn is isolated


def tones(features: Features) -> list[SoundEvent]:
    """Beeps, whose power is in one spectral peak, and horns, which have a steady pitch with many partials."""
    quiet_voice = ~(features.voice >= VOICE_ON)
    beeps = list(_steady(features, features.peak, (features.purity > PURITY) & (features.peak > 100) & quiet_voice))
    horns = [
        horn
        for horn in _steady(features, features.pitch, (features.clarity > HELD_CLARITY) & quiet_voice)
        if _stands_out(features, horn) and not any(horn.start < beep.end and beep.start < horn.end for beep in beeps)
    ]
    return beeps + horns


def _steady(features: Features, hertz: Array, sounding: Mask) -> Iterator[SoundEvent]:
    """Runs whose pitch drifts by less than `DRIFT` from frame to frame, and less than twice that overall."""
    change = np.abs(np.diff(hertz, prepend=hertz[:1]))
    steady = change < np.maximum(8.0, DRIFT * hertz)
    for start, end in runs_of(sounding & steady, min_length=MIN_FRAMES):
        pitch = hertz[start:end]
        hz = float(np.median(pitch))
        confidence = float(np.maximum(features.purity, features.clarity)[start:end].mean())
        event = event_over(features, "tone", (start, end), FRAME_STEP, min(1.0, confidence), hz)
        if event.level_db > LEVEL_DB and np.abs(pitch - hz).max() < max(8.0, 2 * DRIFT * hz):
            yield event


def _stands_out(features: Features, event: SoundEvent) -> bool:
    before = between(features.level, 0.01, event.start - 0.5, event.start - 0.05)
    after = between(features.level, 0.01, event.end + 0.05, event.end + 0.5)
    return all(len(level) and event.level_db - float(np.median(level)) > HELD_RISE_DB for level in (before, after))
