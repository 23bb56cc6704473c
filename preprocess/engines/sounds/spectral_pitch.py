"""Tracks the pitch of whistles, horns and sirens, frame by frame.

P. McLeod and G. Wyvill, A smarter way to find pitch, ICMC 2005: the normalised square difference function, and the
first of its peaks that is nearly as high as the highest. It tracks fast glides better than a spectrum does, because
only two neighbouring periods need to be alike. Low rumble, the loudest part of outdoor recordings, is removed first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from longtake.preprocess.media.audio import Samples

Array = npt.NDArray[np.float64]

LOWEST, HIGHEST = 350.0, 2100.0  # hertz; the range of sirens' fundamentals
RUMBLE = 300.0  # hertz
NEARLY = 0.85  # share of the highest peak, within the 0.8 to 1 that McLeod and Wyvill propose


def track_pitch(samples: Samples, rate: int, frame: int) -> tuple[Array, Array]:
    """Fundamental in hertz and clarity 0 to 1 of each frame, both (frames,); a frame without a peak has clarity 0."""
    spectrum = np.fft.rfft(samples)
    spectrum[np.fft.rfftfreq(len(samples), 1 / rate) < RUMBLE] = 0
    frames = np.fft.irfft(spectrum, len(samples)).reshape(-1, frame)
    first, last = int(rate / HIGHEST), int(rate / LOWEST) + 1
    likeness = _normalised_square_difference(frames, last + 1)
    left, middle, right = likeness[:, first - 1 : -2], likeness[:, first:-1], likeness[:, first + 1 :]
    height = np.where((middle >= left) & (middle > right), middle, 0.0)
    highest = height.max(axis=1)
    chosen = (height >= NEARLY * np.maximum(highest, 1e-9)[:, None]).argmax(axis=1)
    rows = np.arange(len(frames))
    before, at, after = left[rows, chosen], middle[rows, chosen], right[rows, chosen]
    curve = np.minimum(before - 2 * at + after, -1e-9)
    lag = first + chosen + np.clip(0.5 * (before - after) / curve, -0.5, 0.5)
    return rate / lag, np.where(highest > 0, at, 0.0)


def _normalised_square_difference(frames: Array, lags: int) -> Array:
    """2 * sum(x[t] x[t + lag]) / sum(x[t]^2 + x[t + lag]^2) for each lag below `lags`; (frames, lags)."""
    size = frames.shape[1]
    product = np.fft.irfft(np.abs(np.fft.rfft(frames, 2 * size, axis=1)) ** 2, axis=1)[:, :lags]
    power = np.pad((frames**2).cumsum(axis=1), ((0, 0), (1, 0)))
    lag = np.arange(lags)
    both = power[:, size - lag] + power[:, -1:] - power[:, lag]
    return np.asarray(2 * product / (both + 1e-9))
