"""Detects speech from Silero's speech probability."""

from __future__ import annotations

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import FRAME_STEP, Features
from longtake.preprocess.engines.sounds.spectral_runs import event_over, runs_of

VOICE_ON, VOICE_OFF = 0.5, 0.35
BRIDGE = 9  # frames: pauses under 0.3 s
FIRM, FIRM_MEAN = 10, 0.6  # frames, and mean probability, of a run that is certainly speech
WORD = 3  # frames in the shortest word
REACH = 40  # frames: 1.3 s, longer than the pauses around "ask not" in jfk.flac and before sample.wav's second word


def speech(features: Features) -> list[SoundEvent]:
    """Hysteresis as in Silero's own `get_speech_timestamps`; confidence is the mean probability.

    After a silence, Silero is unsure of the first word. A short or uncertain run counts as speech only near certain
    speech, because a bird or a violin looks the same.
    """
    voice = features.voice
    kept = np.zeros(len(voice), np.bool_)
    for start, end in runs_of(voice >= VOICE_OFF):
        kept[start:end] = voice[start:end].max() >= VOICE_ON
    runs = runs_of(kept, bridge=BRIDGE, min_length=WORD)
    means = [float(np.nanmean(voice[start:end])) for start, end in runs]
    near = np.zeros(len(voice), np.bool_)
    for (start, end), mean in zip(runs, means, strict=True):
        if end - start >= FIRM and mean >= FIRM_MEAN:
            near[max(0, start - REACH) : end + REACH] = True
    return [
        event_over(features, "speech", run, FRAME_STEP, mean)
        for run, mean in zip(runs, means, strict=True)
        if near[slice(*run)].any()
    ]
