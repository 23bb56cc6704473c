"""Detects speech from Silero's speech probability."""

from __future__ import annotations

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import FRAME, FRAME_STEP, RUN_UP, Array, Features, voice_of
from longtake.preprocess.engines.sounds.spectral_runs import event_over, runs_of
from longtake.preprocess.media.audio import Samples

VOICE_ON, VOICE_OFF = 0.5, 0.35
BRIDGE = 9  # frames: pauses under 0.3 s
FIRM, FIRM_MEAN = 10, 0.6  # frames, and mean probability, of a run that is certainly speech
WORD = 3  # frames in the shortest word
REACH = 40  # frames: 1.3 s, longer than the pauses around "ask not" in jfk.flac and before sample.wav's second word


def spoken_seconds(samples: Samples) -> float:
    """Seconds of 16 kHz samples in which somebody certainly speaks."""
    if not samples.any():
        return 0.0
    voice = voice_of(np.pad(samples, (0, -len(samples) % FRAME)), np.zeros(RUN_UP, np.float32))
    return sum(end - start for start, end, mean in _runs(voice) if _is_firm(start, end, mean)) * FRAME_STEP


def speech(features: Features) -> list[SoundEvent]:
    """Hysteresis as in Silero's own `get_speech_timestamps`; confidence is the mean probability.

    After a silence, Silero is unsure of the first word. A short or uncertain run counts as speech only near certain
    speech, because a bird or a violin looks the same.
    """
    runs = _runs(features.voice)
    near = np.zeros(len(features.voice), np.bool_)
    for start, end, mean in runs:
        if _is_firm(start, end, mean):
            near[max(0, start - REACH) : end + REACH] = True
    return [
        event_over(features, "speech", (start, end), FRAME_STEP, mean)
        for start, end, mean in runs
        if near[start:end].any()
    ]


def _runs(voice: Array) -> list[tuple[int, int, float]]:
    """First frame, frame after the last and mean probability of what may be speech."""
    kept = np.zeros(len(voice), np.bool_)
    for start, end in runs_of(voice >= VOICE_OFF):
        kept[start:end] = voice[start:end].max() >= VOICE_ON
    runs = runs_of(kept, bridge=BRIDGE, min_length=WORD)
    return [(start, end, float(np.nanmean(voice[start:end]))) for start, end in runs]


def _is_firm(start: int, end: int, mean: float) -> bool:
    return end - start >= FIRM and mean >= FIRM_MEAN
