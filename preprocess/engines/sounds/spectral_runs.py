"""Helpers for the sound detectors: runs of time in which a rule holds, and measures between two times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import LEVEL_STEP, Array, Features, decibels

Mask = npt.NDArray[np.bool_]


def runs_of(mask: Mask, *, bridge: int = 0, min_length: int = 1) -> list[tuple[int, int]]:
    """Runs of True as (first, last + 1): closes gaps of up to `bridge`, then drops runs under `min_length`."""
    edges = np.diff(np.concatenate(([False], mask, [False])).astype(np.int8))
    runs: list[tuple[int, int]] = []
    for start, end in zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True):
        if runs and start - runs[-1][1] <= bridge:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return [(start, end) for start, end in runs if end - start >= min_length]


def smoothed(values: Array, width: int, average: Callable[..., Array]) -> Array:
    """Centred moving average (mean, median, ...) over time, the first axis."""
    half = width // 2
    padded = np.pad(values, ((half, half), *[(0, 0)] * (values.ndim - 1)), "edge")
    return average(np.lib.stride_tricks.sliding_window_view(padded, width, axis=0), axis=-1)


def between(values: Array, step: float, start: float, end: float) -> Array:
    """Values between two times, without gaps."""
    chosen = values[max(0, round(start / step)) : max(0, round(end / step))]
    return chosen[~np.isnan(chosen)]


def overlap(one: SoundEvent, other: SoundEvent) -> float:
    """Seconds that two events share."""
    return max(0.0, min(one.end, other.end) - max(one.start, other.start))


def event_over(
    features: Features, kind: str, run: tuple[int, int], step: float, confidence: float, hz: float | None = None
) -> SoundEvent:
    """The event for a run of a measure with this step."""
    start, end = run[0] * step, run[1] * step
    power = 10 ** (between(features.level, LEVEL_STEP, start, end) / 10)
    level = float(decibels(power.mean())) if len(power) else float(decibels(np.zeros(1))[0])
    return SoundEvent(start, end, kind, level, confidence, hz)
