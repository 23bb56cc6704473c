"""Measures a track block by block, and aligns the measures with the track's clock.

Each measure is one array on its own time grid, from the media's origin; NaN marks times without sound in the file. An
hour takes about 20 MB, its blocks half of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.sounds.sound_engine import Measures
from longtake.preprocess.engines.sounds.spectral_pitch import track_pitch
from longtake.preprocess.media.audio import AudioBlock, Samples

Array = npt.NDArray[np.float64]
Spectra = npt.NDArray[np.floating]

RATE = 16_000
LEVEL_STEP = 0.01
FRAME = 512  # samples; Silero's input size, and the hop of the spectra
FRAME_STEP = FRAME / RATE
WINDOW = 2 * FRAME
RUN_UP = 32 * FRAME  # one second of earlier sound or silence, because Silero detects little in its first frames
STRIDE = 50  # frames in a stride of partials
STRIDE_STEP = STRIDE * FRAME_STEP
NOTE = 5  # frames for which a held partial lasts
NOTE_STEP = NOTE * FRAME_STEP
MAX_HELD = 8
GRAIN_STEP = 0.005
BAND_FRAMES = 16
BAND_STEP = BAND_FRAMES * FRAME_STEP
MIDDLE = (500.0, 5000.0)  # hertz; where hand claps have their power
MIDDLE_BANDS = 16
HISS = 5500.0  # hertz; leaves a gap above the middle range for its slope
FLOOR_DB = -100.0

_LOWEST_BIN, _HIGHEST_BIN = 6, 320  # 94 Hz to 5 kHz, the range of the partials of music
_NEIGHBOURS = 21  # bins; a partial stands out from their mean
_PROMINENCE_DB = 6.0
_HELD = 0.8  # share of the frames in which a held partial stands out
_AUDIBLE_DB = -55.0


@dataclass(frozen=True, slots=True)
class Features:
    """Shapes: level (n,) in dBFS per 10 ms; voice, purity, peak, pitch, clarity (m,) per 32 ms; partials (k, bins) per
    1.6 s; held (h, 8) per 0.16 s; grain, hiss (g,) per 5 ms; bands (b, 18) per 0.5 s.

    `voice` is Silero's probability of speech, `purity` the share of the power in the strongest spectral peak, `peak`
    that peak in hertz, `pitch` the fundamental in hertz and `clarity` how periodic it is, 0 to 1; `partials` is the
    share of the frames of a stride in which a frequency bin stands out, `held` the hertz of the strongest partials that
    hold steady for 0.16 s, strongest first, padded with 0; `grain` is the power within `MIDDLE`, `hiss` the power above
    it, `bands` the power below it, in 16 bands within it, and above it.
    """

    level: Array
    voice: Array
    purity: Array
    peak: Array
    pitch: Array
    clarity: Array
    partials: Array
    held: Array
    grain: Array
    hiss: Array
    bands: Array


_STEPS = {
    "level": LEVEL_STEP,
    "partials": STRIDE_STEP,
    "held": NOTE_STEP,
    "grain": GRAIN_STEP,
    "hiss": GRAIN_STEP,
    "bands": BAND_STEP,
}


def measure(block: AudioBlock, previous: AudioBlock | None) -> Measures:
    """Measure one block of 16 kHz samples: the arrays of `Features`, and `start` in seconds."""
    samples = block.samples
    whole = np.pad(samples, (0, -len(samples) % FRAME))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(whole, (0, FRAME)), WINDOW)[::FRAME]
    power = np.abs(np.fft.rfft(windows * np.hanning(WINDOW), axis=1)) ** 2
    purity, peak = _strongest_peak(power)
    pitch, clarity = track_pitch(whole, RATE, FRAME)
    audible = decibels((windows.astype(np.float64) ** 2).mean(axis=1)) > _AUDIBLE_DB
    standing = (_stands_out(power) & audible[:, None]).astype(np.float64)
    arrays = {
        "level": decibels(_power_per(samples, LEVEL_STEP)),
        "voice": voice_of(whole, _run_up(block, previous)),
        "purity": purity,
        "peak": peak,
        "pitch": pitch,
        "clarity": clarity,
        "partials": _mean_per(standing, STRIDE),
        "held": _steady_peaks(_mean_per(standing, NOTE), _mean_per(power[:, _LOWEST_BIN:_HIGHEST_BIN], NOTE)),
        "grain": _power_per(_within(samples, *MIDDLE), GRAIN_STEP),
        "hiss": _power_per(_within(samples, HISS, RATE / 2), GRAIN_STEP),
        "bands": _mean_per(_bands(power), BAND_FRAMES),
    }
    return {name: array.astype(np.float32) for name, array in arrays.items()} | {"start": np.array(block.start)}


def join(measured: Sequence[Measures]) -> Features:
    """Combine the measures of blocks, each at its time."""
    return Features(
        **{
            field.name: _lay(
                [(float(measures["start"]), measures[field.name]) for measures in measured],
                _STEPS.get(field.name, FRAME_STEP),
            )
            for field in fields(Features)
        }
    )


def decibels(power: Spectra) -> Array:
    """Power in dB, at least `FLOOR_DB`."""
    level: Array = 10 * np.log10(np.maximum(power, 10 ** (FLOOR_DB / 10)))
    return level


def _run_up(block: AudioBlock, previous: AudioBlock | None) -> Samples:
    """The second before a block, or silence if the block doesn't continue the previous one."""
    if previous is None or abs(block.start - previous.end) > FRAME_STEP or len(previous.samples) < RUN_UP:
        return np.zeros(RUN_UP, np.float32)
    return previous.samples[-RUN_UP:]


def voice_of(whole: Samples, before: Samples) -> Array:
    """Silero's probability of speech in each frame, after a second of earlier sound."""
    from faster_whisper.vad import get_vad_model  # a question makes the engine, but hears nothing

    heard = get_vad_model()(np.concatenate([before, whole]))
    return np.asarray(heard, np.float64).reshape(-1)[RUN_UP // FRAME :]


def _strongest_peak(power: Array) -> tuple[Array, Array]:
    """Share of the power within two bins of the strongest one (a Hann main lobe), and its interpolated frequency."""
    rows = np.arange(len(power))
    peak = np.clip(power[:, :-2].argmax(axis=1), 2, power.shape[1] - 3)
    lobe = sum(power[rows, peak + shift] for shift in range(-2, 3))
    left, middle, right = (np.log(power[rows, peak + shift] + 1e-20) for shift in (-1, 0, 1))
    curve = left - 2 * middle + right
    offset = np.where(curve < -1e-9, 0.5 * (left - right) / np.minimum(curve, -1e-9), 0.0)
    return lobe / (power.sum(axis=1) + 1e-12), (peak + np.clip(offset, -0.5, 0.5)) * RATE / WINDOW


def _stands_out(power: Array) -> npt.NDArray[np.bool_]:
    """Where a bin stands out from its neighbours; (frames, bins)."""
    spectrum = decibels(power[:, _LOWEST_BIN:_HIGHEST_BIN])
    half = _NEIGHBOURS // 2
    sums = np.pad(spectrum, ((0, 0), (half + 1, half)), "edge").cumsum(axis=1)
    around = (sums[:, _NEIGHBOURS:] - sums[:, :-_NEIGHBOURS]) / _NEIGHBOURS
    return np.asarray(spectrum - around > _PROMINENCE_DB)


def _steady_peaks(share: Array, power: Array) -> Array:
    """Interpolated hertz of the strongest peaks of (strides, bins) that stand out almost all the time."""
    level = decibels(power)
    left, middle, right = level[:, :-2], level[:, 1:-1], level[:, 2:]
    peaks = (share[:, 1:-1] >= _HELD) & (middle >= left) & (middle > right)
    offset = 0.5 * (left - right) / np.minimum(left - 2 * middle + right, -1e-9)
    order = np.argsort(np.where(peaks, -middle, np.inf), axis=1)[:, :MAX_HELD]
    hertz = np.where(peaks, (np.arange(peaks.shape[1]) + _LOWEST_BIN + 1 + offset) * RATE / WINDOW, 0.0)
    return np.asarray(np.take_along_axis(hertz, order, axis=1))


def _bands(power: Array) -> Array:
    """Power between 50 and 400 Hz, in equal bands of `MIDDLE`, and above `HISS`."""
    edges = np.array([50.0, 400.0, *np.linspace(*MIDDLE, MIDDLE_BANDS + 1), HISS])
    bins = np.round(edges * WINDOW / RATE).astype(int)
    sums = np.add.reduceat(power, bins, axis=1)
    kept = [0, *range(2, 2 + MIDDLE_BANDS), len(edges) - 1]
    return np.asarray(sums[:, kept])


def _within(samples: Samples, low: float, high: float) -> Array:
    """The part of the sound between two frequencies in hertz."""
    spectrum = np.fft.rfft(samples)
    hz = np.fft.rfftfreq(len(samples), 1 / RATE)
    spectrum[(hz < low) | (hz > high)] = 0
    return np.fft.irfft(spectrum, len(samples))


def _power_per(samples: Spectra, step: float) -> Array:
    size = round(step * RATE)
    return np.asarray((samples[: len(samples) // size * size].reshape(-1, size).astype(np.float64) ** 2).mean(axis=1))


def _mean_per(rows: Array, size: int) -> Array:
    """Mean of every `size` rows; the last group may be shorter."""
    first = np.arange(0, len(rows), size)
    total: Array = np.add.reduceat(rows, first, axis=0)
    return total / np.diff(np.append(first, len(rows)))[:, None]


def _lay(pieces: Sequence[tuple[float, Spectra]], step: float) -> Array:
    """Place each piece at its time on one grid, with NaN in between."""
    places = [(round(start / step), piece) for start, piece in pieces]
    length = max((place + len(piece) for place, piece in places), default=0)
    width = places[0][1].shape[1:] if places else ()
    laid = np.full((length, *width), np.nan)
    for place, piece in places:
        laid[place : place + len(piece)] = piece
    return laid
