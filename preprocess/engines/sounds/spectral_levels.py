"""Detects events from the level alone: silence, loud and quiet passages, and impulses."""

from __future__ import annotations

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import FRAME_STEP, LEVEL_STEP, Features, decibels
from longtake.preprocess.engines.sounds.spectral_runs import between, event_over, runs_of, smoothed
from longtake.preprocess.engines.sounds.spectral_voices import VOICE_ON

SILENCE_DB = -60.0  # below the noise of ordinary recordings
LOUD_RISE_DB, LOUD_DB = 12.0, -35.0  # above the track's median, and absolute
QUIET_FALL_DB = 12.0  # below the track's median, the same distance as for loud
QUIET_SMOOTHING = 101  # 1 s, long enough to bridge the gaps between syllables
MIN_QUIET = 200  # 2 s; anything shorter is a pause between sentences
IMPULSE_RISE_DB, IMPULSE_DB, IMPULSE_DECAY_DB = 20.0, -30.0, 12.0


def silences(features: Features) -> list[SoundEvent]:
    """Half a second or more below audibility."""
    quiet = features.level < SILENCE_DB
    return [event_over(features, "silence", run, LEVEL_STEP, 1.0) for run in runs_of(quiet, bridge=1, min_length=50)]


def louds(features: Features) -> list[SoundEvent]:
    """Passages far above the track's usual level."""
    power = np.nan_to_num(10 ** (features.level / 10))
    smooth = decibels(smoothed(power, 41, np.mean))
    heard = smooth[smooth > SILENCE_DB]
    if not len(heard):
        return []
    usual = float(np.median(heard))
    found = []
    for run in runs_of(smooth > max(usual + LOUD_RISE_DB, LOUD_DB), bridge=30, min_length=30):
        excess = float(smooth[slice(*run)].max()) - usual
        found.append(event_over(features, "loud", run, LEVEL_STEP, float(np.clip(excess / 24, 0.5, 0.95))))
    return found


def quiets(features: Features) -> list[SoundEvent]:
    """Passages far below the track's usual level that are still audible."""
    known = ~np.isnan(features.level)
    smooth = decibels(smoothed(np.nan_to_num(10 ** (features.level / 10)), QUIET_SMOOTHING, np.mean))
    heard = smooth[(smooth > SILENCE_DB) & known]
    if not len(heard):
        return []
    usual = float(np.median(heard))
    low = known & (smooth < usual - QUIET_FALL_DB)
    for start, end in runs_of(features.level < SILENCE_DB, bridge=1, min_length=50):
        low[start:end] = False
    found = []
    for run in runs_of(low, min_length=MIN_QUIET):
        fall = usual - float(np.median(smooth[slice(*run)]))
        found.append(event_over(features, "quiet", run, LEVEL_STEP, float(np.clip(fall / 24, 0.5, 0.95))))
    return found


def impulses(features: Features) -> list[SoundEvent]:
    """A rise of 20 dB in 20 ms to a peak that decays by 12 dB within 0.3 s, away from speech and the track's start."""
    level = np.maximum(features.level, SILENCE_DB)
    found: list[SoundEvent] = []
    for onset in np.flatnonzero(level[2:] - level[:-2] > IMPULSE_RISE_DB):
        after = level[onset + 1 : onset + 41]
        peak = int(after[:10].argmax())
        tail = after[peak:]
        decayed = np.flatnonzero(tail < tail[0] - IMPULSE_DECAY_DB)
        start = (onset + 1) * LEVEL_STEP
        if start < 0.1 or tail[0] < IMPULSE_DB or not len(decayed) or (found and start < found[-1].end + 0.1):
            continue
        if (between(features.voice, FRAME_STEP, start - 0.5, start + 0.5) >= VOICE_ON).any():
            continue  # the onset of a word is as sharp
        rise = float(tail[0] - level[onset])
        run = (int(onset) + 1, int(onset) + 1 + peak + int(decayed[0]))
        found.append(event_over(features, "impulse", run, LEVEL_STEP, float(np.clip(rise / 40, 0.5, 0.95))))
    return found
