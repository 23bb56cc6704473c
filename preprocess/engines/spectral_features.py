"""What is measured of a track before anything is decided: level, voice, purest pitch and sustained partials.

Each measure is one array on its own time grid, from the media's origin; NaN marks time in which the file has no sound.
An hour takes about 12 MB.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from faster_whisper.vad import get_vad_model

from longtake.preprocess.audio import AudioBlock, Samples

Array = npt.NDArray[np.float64]

RATE = 16_000
LEVEL_STEP = 0.01
FRAME = 512  # samples: what Silero takes, and the hop of the spectra
FRAME_STEP = FRAME / RATE
WINDOW = 2 * FRAME
RUN_UP = 32 * FRAME  # one second: Silero hears little in its first frames, so it is given what came before, or silence
STRIDE = 50  # frames in a stride of partials
STRIDE_STEP = STRIDE * FRAME_STEP
FLOOR_DB = -100.0

_LOWEST_BIN, _HIGHEST_BIN = 6, 320  # 94 Hz to 5 kHz, where the partials of music lie
_NEIGHBOURS = 21  # bins: a partial is what stands out of the mean of these
_PROMINENCE_DB = 6.0
_AUDIBLE_DB = -55.0


@dataclass(frozen=True, slots=True)
class Features:
    """Shapes: level (n,) in dBFS per 10 ms; voice, purity, pitch (m,) per 32 ms; partials (k, bins) per 1.6 s.

    `voice` is Silero's probability of speech, `purity` the share of the power in the strongest spectral peak, `pitch`
    that peak in hertz, and `partials` the share of the frames of a stride in which a frequency bin stands out.
    """

    level: Array
    voice: Array
    purity: Array
    pitch: Array
    partials: Array


def decibels(power: Array) -> Array:
    """Power as dB, not below `FLOOR_DB`."""
    level: Array = 10 * np.log10(np.maximum(power, 10 ** (FLOOR_DB / 10)))
    return level


def measure(blocks: Iterable[AudioBlock]) -> Features:
    """Measure a track of 16 kHz blocks, each once."""
    measured = []
    end, before = 0.0, np.zeros(RUN_UP, np.float32)
    for block in blocks:
        if len(block.samples) < FRAME:
            continue
        if abs(block.start - end) > FRAME_STEP or len(before) < RUN_UP:
            before = np.zeros(RUN_UP, np.float32)
        measured.append((block.start, _measure_block(block.samples, before)))
        end, before = block.end, block.samples[-RUN_UP:]
    steps = (LEVEL_STEP, FRAME_STEP, FRAME_STEP, FRAME_STEP, STRIDE_STEP)
    return Features(
        *(_lay([(start, arrays[place]) for start, arrays in measured], step) for place, step in enumerate(steps))
    )


def _measure_block(samples: Samples, before: Samples) -> tuple[Array, Array, Array, Array, Array]:
    per_level = round(LEVEL_STEP * RATE)
    chunks = samples[: len(samples) // per_level * per_level].reshape(-1, per_level)
    level = decibels((chunks.astype(np.float64) ** 2).mean(axis=1))

    whole = np.pad(samples, (0, -len(samples) % FRAME))
    voice = np.asarray(get_vad_model()(np.concatenate([before, whole])), np.float64).reshape(-1)[RUN_UP // FRAME :]

    windows = np.lib.stride_tricks.sliding_window_view(np.pad(whole, (0, FRAME)), WINDOW)[::FRAME]
    power = np.abs(np.fft.rfft(windows * np.hanning(WINDOW), axis=1)) ** 2
    purity, pitch = _strongest_peak(power)
    audible = decibels((windows.astype(np.float64) ** 2).mean(axis=1)) > _AUDIBLE_DB
    return level, voice, purity, pitch, _partials(power, audible)


def _strongest_peak(power: Array) -> tuple[Array, Array]:
    """Share of the power within two bins of the strongest one (a Hann main lobe), and its interpolated frequency."""
    rows = np.arange(len(power))
    peak = np.clip(power[:, :-2].argmax(axis=1), 2, power.shape[1] - 3)
    lobe = sum(power[rows, peak + shift] for shift in range(-2, 3))
    left, middle, right = (np.log(power[rows, peak + shift] + 1e-20) for shift in (-1, 0, 1))
    curve = left - 2 * middle + right
    offset = np.where(curve < -1e-9, 0.5 * (left - right) / np.minimum(curve, -1e-9), 0.0)
    return lobe / (power.sum(axis=1) + 1e-12), (peak + np.clip(offset, -0.5, 0.5)) * RATE / WINDOW


def _partials(power: Array, audible: npt.NDArray[np.bool_]) -> Array:
    spectrum = decibels(power[:, _LOWEST_BIN:_HIGHEST_BIN])
    half = _NEIGHBOURS // 2
    sums = np.pad(spectrum, ((0, 0), (half + 1, half)), "edge").cumsum(axis=1)
    around = (sums[:, _NEIGHBOURS:] - sums[:, :-_NEIGHBOURS]) / _NEIGHBOURS
    standing = (spectrum - around > _PROMINENCE_DB) & audible[:, None]
    first = np.arange(0, len(standing), STRIDE)
    counts = np.diff(np.append(first, len(standing)))
    total: Array = np.add.reduceat(standing.astype(np.float64), first, axis=0)
    return total / counts[:, None]


def _lay(pieces: list[tuple[float, Array]], step: float) -> Array:
    """Put each piece at its time on one grid, NaN between them."""
    places = [(round(start / step), piece) for start, piece in pieces]
    length = max((place + len(piece) for place, piece in places), default=0)
    width = places[0][1].shape[1:] if places else ()
    laid = np.full((length, *width), np.nan)
    for place, piece in places:
        laid[place : place + len(piece)] = piece
    return laid
