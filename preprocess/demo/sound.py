"""The sound of the demo video: the spoken track mixed with synthesised sounds."""

from __future__ import annotations

import av
import numpy as np
import numpy.typing as npt

from longtake.preprocess.demo.demo_script import DEMO, SoundKind
from longtake.preprocess.demo.demo_truth import Truth

RATE = 48_000
BEEP_HERTZ = 1000.0
# C, A minor, F, G: the notes of each chord in hertz, in equal temperament with A at 440.
CHORDS = ((261.63, 329.63, 392.00), (220.00, 261.63, 329.63), (174.61, 220.00, 261.63), (196.00, 246.94, 293.66))

Samples = npt.NDArray[np.float32]


def soundtrack(truth: Truth) -> Samples:
    """The full soundtrack, as (samples,) between -1 and 1 at `RATE`, as long as the picture."""
    track = np.zeros(round(truth.duration * RATE), dtype=np.float32)
    speech = _read_speech()[: len(track)]
    track[: len(speech)] += speech
    for sound in truth.sounds:
        first = round(sound.start * RATE)
        samples = synthesise(sound.kind, sound.end - sound.start)
        track[first : first + len(samples)] += samples
    return np.clip(track, -1.0, 1.0)


def synthesise(kind: SoundKind, seconds: float) -> Samples:
    """One sound as (samples,) at `RATE`."""
    times = np.arange(round(seconds * RATE)) / RATE
    if kind == "music":
        return _music(times, seconds / len(CHORDS))
    if kind == "beep":
        return _faded(0.4 * np.sin(2 * np.pi * BEEP_HERTZ * times))
    if kind == "bang":
        noise = np.random.default_rng(seed=1).uniform(-1.0, 1.0, len(times))
        return (0.9 * noise * np.exp(-times / 0.06)).astype(np.float32)
    return np.zeros(len(times), dtype=np.float32)


def _music(times: npt.NDArray[np.float64], chord_seconds: float) -> Samples:
    """A sequence of struck chords; each note has three partials and decays."""
    played = np.minimum((times / chord_seconds).astype(int), len(CHORDS) - 1)
    decay = np.exp(-(times - played * chord_seconds) / chord_seconds)
    notes = np.array(CHORDS)[played]
    sound = sum(
        np.sin(2 * np.pi * partial * notes[:, voice] * times) / partial**2
        for partial in (1, 2, 3)
        for voice in range(3)
    )
    return _faded(0.12 * decay * sound)


def _faded(sound: npt.NDArray[np.float64]) -> Samples:
    """Fade in and out over 10 ms, so that there is no click."""
    ramp = np.linspace(0.0, 1.0, RATE // 100)
    sound[: len(ramp)] *= ramp
    sound[-len(ramp) :] *= ramp[::-1]
    return sound.astype(np.float32)


def _read_speech() -> Samples:
    with (DEMO / "speech.opus").open("rb") as stream, av.open(stream, "r") as container:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        frames = [part for frame in container.decode(audio=0) for part in resampler.resample(frame)]
        frames += resampler.resample(None)
    return np.concatenate([frame.to_ndarray()[0] for frame in frames])
