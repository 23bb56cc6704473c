"""Sounds made here, at 16 kHz, and what the embedded engine hears in them."""

from __future__ import annotations

import wave
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_sounds import RATE, SpectralSounds
from longtake.preprocess.media.audio import AudioBlock, read_audio
from longtake.preprocess.media.media import probe
from longtake.settings import Settings

Wave = npt.NDArray[np.floating[Any]]
ENGINE = SpectralSounds(Settings())
BLOCK = 32 * RATE


def clock(seconds: float) -> npt.NDArray[np.float64]:
    """The time of each sample."""
    return np.arange(round(seconds * RATE)) / RATE


def silence(seconds: float) -> npt.NDArray[np.float64]:
    """Nothing for so long."""
    return np.zeros(round(seconds * RATE))


def noise(seconds: float, level: float, seed: int = 0) -> Wave:
    """White noise of this RMS."""
    return (level * np.random.default_rng(seed).standard_normal(round(seconds * RATE))).astype(np.float32)


def gliding(hertz: Wave, level: float = 0.1, partials: int = 3) -> Wave:
    """A sound with this fundamental at each sample, each partial half as strong as the one below."""
    phase = 2 * np.pi * np.cumsum(hertz) / RATE
    return sum((level * 0.5**number * np.sin((number + 1) * phase) for number in range(partials)), np.zeros(len(hertz)))


def filtered(samples: Wave, low: float, high: float) -> Wave:
    """What lies between two frequencies, falling 12 dB an octave outside."""
    hertz = np.maximum(np.fft.rfftfreq(len(samples), 1 / RATE), 1.0)
    gain = np.minimum(1, (hertz / low) ** 2) * np.minimum(1, (high / hertz) ** 2)
    return np.fft.irfft(np.fft.rfft(samples) * gain, len(samples))


def blocks_of(samples: Wave, start: float = 0.0) -> list[AudioBlock]:
    """The sound as the engine is handed it."""
    pieces = [samples[first : first + BLOCK].astype(np.float32) for first in range(0, len(samples), BLOCK)]
    return [AudioBlock(start + 32 * number, piece, RATE) for number, piece in enumerate(pieces)]


def listen(blocks: Iterable[AudioBlock]) -> list[SoundEvent]:
    """What the engine hears in blocks, measured one after the other."""
    measured, previous = [], None
    for block in blocks:
        measured.append(ENGINE.measure(block, previous))
        previous = block
    return ENGINE.detect(measured)


def hear(samples: Wave, start: float = 0.0) -> list[SoundEvent]:
    """What the engine hears in a sound that begins at `start`."""
    return listen(blocks_of(samples, start))


def hear_file(path: Path) -> list[SoundEvent]:
    """What the engine hears in a file."""
    return listen(read_audio(path, probe(path)))


def of(events: list[SoundEvent], kind: str) -> list[SoundEvent]:
    """The events of one kind."""
    return [event for event in events if event.kind == kind]


def kinds(events: list[SoundEvent]) -> set[str]:
    """The kinds that were heard."""
    return {event.kind for event in events}


def write_sound(path: Path, samples: Wave) -> Path:
    """Mono samples, -1 to 1, as a WAV file."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


def write_pieces(path: Path, pieces: Sequence[tuple[float, npt.NDArray[np.float32]]], codec: str = "pcm_s16le") -> Path:
    """A mono file with each piece at its time; the suffix chooses the container."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=RATE)
        assert isinstance(stream, av.AudioStream)
        stream.layout = "mono"
        for start, samples in pieces:
            for first in range(0, len(samples), 1024):
                chunk = (samples[first : first + 1024] * 32767).astype(np.int16)
                frame = av.AudioFrame.from_ndarray(chunk.reshape(1, -1), format="s16", layout="mono")
                frame.sample_rate, frame.time_base = RATE, Fraction(1, RATE)
                frame.pts = round(start * RATE) + first
                container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
