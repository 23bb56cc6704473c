"""The sound track of a scripted video: lines from the script and synthesised sounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from longtake.evalharness.scripted.script import FPS, Script, Sound
from longtake.evalharness.scripted.voices import samples_of
from longtake.preprocess.demo.sound import RATE, Samples, synthesise

_SPOKEN = 0.5  # the peak that lines are brought to
_SIREN = (600.0, 1200.0, 0.5)  # hertz at both ends of its glide, and how often a second it goes to and fro
_CLAPS_A_SECOND = 90
_CLAP = 0.004  # seconds in which a clap dies away to a third


def soundtrack(script: Script) -> Samples:
    """The sound track, (samples,) between -1 and 1 at `RATE`, as long as the picture."""
    track = np.zeros(script.firsts[-1] * RATE // FPS, dtype=np.float32)
    for start, part in _parts(script):
        first = round(start * RATE)
        room = track[first : first + len(part)]
        room += part[: len(room)]
    return np.clip(track, -1.0, 1.0)


def _parts(script: Script) -> Iterator[tuple[float, Samples]]:
    """Each line and sound with the second at which it starts."""
    for scene, first in zip(script.scenes, script.firsts, strict=False):
        for line in scene.lines:
            voice = samples_of(line)
            yield first / FPS + line.at, voice * (_SPOKEN / float(np.abs(voice).max()))
        for sound in scene.sounds:
            yield first / FPS + sound.at, sound_of(sound)


def sound_of(sound: Sound) -> Samples:
    """One sound as (samples,) at `RATE`."""
    seconds = sound.until - sound.at
    if sound.kind == "siren":
        return _siren(seconds)
    if sound.kind == "applause":
        return _applause(seconds)
    return synthesise(sound.kind, seconds)


def _siren(seconds: float) -> Samples:
    """A wail: one pitch that glides up and down, with an octave above it."""
    low, high, rate = _SIREN
    times = np.arange(round(seconds * RATE)) / RATE
    pitch = low * (high / low) ** (0.5 - 0.5 * np.cos(2 * np.pi * rate * times))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    return (0.25 * np.sin(phase) + 0.08 * np.sin(2 * phase)).astype(np.float32)


def _applause(seconds: float) -> Samples:
    """Claps at random: short bursts of noise of the middle range, of many hands, that die away."""
    random = np.random.default_rng(seed=2)
    count = round(seconds * RATE)
    grain = np.arange(round(6 * _CLAP * RATE)) / RATE
    heard = np.zeros(count + len(grain))
    # The first clap comes immediately, so that the sound starts when the script says.
    places = np.append(0, random.integers(0, count, round(seconds * _CLAPS_A_SECOND)))
    for place in places:
        clap = random.normal(size=len(grain)) * np.exp(-grain / _CLAP)
        clap *= np.sin(2 * np.pi * random.uniform(900, 1900) * grain)
        heard[place : place + len(grain)] += random.uniform(0.3, 1.0) * clap
    loudest = float(np.abs(heard).max())
    return (0.6 / loudest * heard[:count]).astype(np.float32)
