"""Sound events without a trained classifier: Silero's voice activity, and rules on level and spectrum.

The rules name only what a signal shows by itself (silence, loud, impulse, tone, music, speech), never its cause, and
they prefer to say nothing over saying something wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from longtake.config import Settings
from longtake.preprocess.audio import AudioBlock
from longtake.preprocess.engines.sounds import SoundEvent
from longtake.preprocess.engines.spectral_features import (
    FRAME_STEP,
    LEVEL_STEP,
    RATE,
    STRIDE_STEP,
    Array,
    Features,
    decibels,
    measure,
)

Mask = npt.NDArray[np.bool_]

SILENCE_DB = -60.0  # below the noise of ordinary recordings
LOUD_RISE_DB, LOUD_DB = 12.0, -35.0  # over the track's median, and in itself
IMPULSE_RISE_DB, IMPULSE_DB, IMPULSE_DECAY_DB = 20.0, -30.0, 12.0
TONE_PURITY, TONE_DB, TONE_DRIFT = 0.9, -50.0, 0.01
VOICE_ON, VOICE_OFF, VOICE_MEAN = 0.5, 0.35, 0.6
MUSIC, MUSIC_OVER_VOICE = 2.0, 2.6  # speech over 20 recordings stays under 2.0 once smoothed, songs lie at 2 to 4.7
MUSIC_WINDOWS = 4  # 8 s: a held horn fills three windows
HUM = 0.9  # a partial that is on for this share of 6 s is mains hum or a motor, not a note


class SpectralSounds:
    """The embedded sound engine."""

    id = "spectral-1/silero-v6"
    rate = RATE

    def __init__(self, settings: Settings) -> None:
        """Nothing of the settings changes what it hears."""

    def detect(self, blocks: Iterable[AudioBlock]) -> list[SoundEvent]:
        """Events of a whole track, by start."""
        features = measure(blocks)
        if not len(features.level):
            return []
        music = _music(features)
        found = [
            *_silences(features),
            *_speech(features),
            *music,
            *_loud(features),
            *_impulses(features),
            *(tone for tone in _tones(features) if not any(_overlap(tone, other) for other in music)),
        ]
        return sorted(found, key=lambda event: (event.start, event.end, event.kind))


def _silences(features: Features) -> list[SoundEvent]:
    quiet = features.level < SILENCE_DB
    return [_event(features, "silence", run, LEVEL_STEP, 1.0) for run in _runs(quiet, bridge=1, least=50)]


def _speech(features: Features) -> list[SoundEvent]:
    """Hysteresis as in Silero's own `get_speech_timestamps`, pauses under 0.3 s bridged; confidence is the mean."""
    voice = features.voice
    kept = np.zeros(len(voice), np.bool_)
    for start, end in _runs(voice >= VOICE_OFF):
        kept[start:end] = voice[start:end].max() >= VOICE_ON
    found = []
    for start, end in _runs(kept, bridge=9, least=10):
        confidence = float(np.nanmean(voice[start:end]))
        if confidence >= VOICE_MEAN:
            found.append(_event(features, "speech", (start, end), FRAME_STEP, confidence))
    return found


def _music(features: Features) -> list[SoundEvent]:
    """Continuous frequency activation: notes leave horizontal bars in the spectrogram, speech and noise do not.

    K. Seyerlehner et al., Automatic music detection in television productions, DAFx 2007; here with bars that never
    end left out, over windows of two strides.
    """
    if len(features.partials) < 2:
        return []
    partials = np.nan_to_num(features.partials)
    windows = (partials[:-1] + partials[1:]) / 2
    steady = (_smoothed(windows, 3, np.mean) > HUM).astype(np.float64)
    # The windows in which a hum begins and ends, and the two bins on either side of it, belong to it.
    hum = _smoothed(_smoothed(steady, 5, np.max).T, 5, np.max).T
    strength = _smoothed(_bar_strength(np.where(hum > 0, 0.0, windows)), 3, np.median)
    starts = np.arange(len(windows)) * STRIDE_STEP
    voices = [_between(features.voice, FRAME_STEP, start, start + 2 * STRIDE_STEP) for start in starts]
    voiced = np.array([voice.mean() if len(voice) else 0.0 for voice in voices])
    needed = np.where(voiced < 0.3, MUSIC, MUSIC_OVER_VOICE)
    found = []
    for start, end in _runs(strength > needed, bridge=1, least=MUSIC_WINDOWS):
        confidence = float(np.clip(0.25 * strength[start:end].mean(), 0.5, 0.95))
        first, last = round(start * STRIDE_STEP / LEVEL_STEP), round((end + 1) * STRIDE_STEP / LEVEL_STEP)
        audible = np.flatnonzero(features.level[first:last] >= SILENCE_DB)
        found.append(
            _event(features, "music", (first + int(audible[0]), first + int(audible[-1]) + 1), LEVEL_STEP, confidence)
        )
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


def _loud(features: Features) -> list[SoundEvent]:
    power = np.nan_to_num(10 ** (features.level / 10))
    smooth = decibels(_smoothed(power, 41, np.mean))
    heard = smooth[smooth > SILENCE_DB]
    if not len(heard):
        return []
    usual = float(np.median(heard))
    found = []
    for start, end in _runs(smooth > max(usual + LOUD_RISE_DB, LOUD_DB), bridge=30, least=30):
        excess = float(smooth[start:end].max()) - usual
        found.append(_event(features, "loud", (start, end), LEVEL_STEP, float(np.clip(excess / 24, 0.5, 0.95))))
    return found


def _impulses(features: Features) -> list[SoundEvent]:
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
        if (_between(features.voice, FRAME_STEP, start - 0.5, start + 0.5) >= VOICE_ON).any():
            continue  # the onset of a word is as sharp
        rise = float(tail[0] - level[onset])
        run = (int(onset) + 1, int(onset) + 1 + peak + int(decayed[0]))
        found.append(_event(features, "impulse", run, LEVEL_STEP, float(np.clip(rise / 40, 0.5, 0.95))))
    return found


def _tones(features: Features) -> list[SoundEvent]:
    pure = (features.purity > TONE_PURITY) & (features.pitch > 100) & ~(features.voice >= VOICE_ON)
    change = np.abs(np.diff(features.pitch, prepend=features.pitch[:1]))
    steady = change < np.maximum(8.0, TONE_DRIFT * features.pitch)
    found = []
    for start, end in _runs(pure & steady, least=10):
        pitch = features.pitch[start:end]
        hz = float(np.median(pitch))
        event = _event(features, "tone", (start, end), FRAME_STEP, float(features.purity[start:end].mean()), hz)
        if event.level_db > TONE_DB and np.abs(pitch - hz).max() < max(8.0, 2 * TONE_DRIFT * hz):
            found.append(event)
    return found


def _runs(mask: Mask, *, bridge: int = 0, least: int = 1) -> list[tuple[int, int]]:
    """Stretches of True as (first, last + 1): gaps of up to `bridge` closed first, then those under `least` dropped."""
    edges = np.diff(np.concatenate(([False], mask, [False])).astype(np.int8))
    runs: list[tuple[int, int]] = []
    for start, end in zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True):
        if runs and start - runs[-1][1] <= bridge:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return [(start, end) for start, end in runs if end - start >= least]


def _overlap(one: SoundEvent, other: SoundEvent) -> bool:
    return one.start < other.end and other.start < one.end


def _smoothed(values: Array, width: int, average: Callable[..., Array]) -> Array:
    """Centred moving mean or median over time, which is the first axis."""
    half = width // 2
    padded = np.pad(values, ((half, half), *[(0, 0)] * (values.ndim - 1)), "edge")
    return average(np.lib.stride_tricks.sliding_window_view(padded, width, axis=0), axis=-1)


def _between(values: Array, step: float, start: float, end: float) -> Array:
    """What was measured between two times, without the gaps."""
    chosen = values[max(0, round(start / step)) : max(0, round(end / step))]
    return chosen[~np.isnan(chosen)]


def _event(
    features: Features, kind: str, run: tuple[int, int], step: float, confidence: float, hz: float | None = None
) -> SoundEvent:
    start, end = run[0] * step, run[1] * step
    power = 10 ** (_between(features.level, LEVEL_STEP, start, end) / 10)
    return SoundEvent(start, end, kind, float(decibels(power.mean())), confidence, hz)
