"""Detects sound played backwards: sounds start abruptly and fade away, so loudness rises faster than it falls.

The skewness of loudness changes is positive for sound played forwards and negative backwards. Echoes and decays differ
by pitch, so the bands of the sound and the whole of it must agree: a bird's rising chirps fill some bands only.
Of 34 clips with three seconds or more of speech, music or noise, all forwards, 29 exceed the limit and the lowest has
-0.12. Chance skews a shorter sound more, so its limit is two standard errors of the skewness of as many changes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.media import MediaInfo

Direction = Literal["forwards", "backwards"]
Levels = npt.NDArray[np.float64]

_RATE = 16_000
_HOP, _WINDOW = 160, 400  # samples: 10 and 25 ms
_BANDS = (0, 500, 1000, 2000, 4000, 8000)  # hertz
_APART = 2  # hops between the loudness values compared
_ABOVE = 6.0  # decibels above the quietest fifth; anything louder is sound
_MIN_LEVEL = -60.0  # decibels of full scale
_MIN_HOPS, _MANY_HOPS = 100, 300  # with sound: one second, and three
_SKEWED = 0.3  # of many hops
_CHANCE = 8.5  # two standard errors times the root of the number of hops, a third of which are independent
_BLOCK = 3000  # hops whose spectra are held at once


def sound_direction(
    path: Path, media: MediaInfo, span: TimeSpan, check_cancelled: Callable[[], None]
) -> tuple[Direction | None, float]:
    """The direction of the sound in a span, None if it is unclear, and the skewness it is based on.

    Raises:
        MediaError: if the file can't be opened.
    """
    blocks = [
        block.samples for block in read_audio(path, media, rate=_RATE, span=span, check_cancelled=check_cancelled)
    ]
    if not blocks:
        return None, 0.0
    *bands, whole = [_changes(level) for level in _levels(np.concatenate(blocks))]
    sounding = [_skewness(changes) for changes in bands if len(changes) >= _MIN_HOPS]
    if len(whole) < _MIN_HOPS or not sounding:
        return None, 0.0
    both = sorted((_skewness(whole), float(np.median(sounding))), key=abs)
    skewness = both[0] if both[0] * both[1] > 0 else 0.0
    if abs(skewness) < (_SKEWED if len(whole) >= _MANY_HOPS else _CHANCE / len(whole) ** 0.5):
        return None, skewness
    return ("forwards" if skewness > 0 else "backwards"), skewness


def _levels(samples: npt.NDArray[np.float32]) -> Levels:
    """Loudness of each band, and last of the whole sound, in decibels, (bands + 1, hops)."""
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(samples, (0, _WINDOW)), _WINDOW)[: len(samples) : _HOP]
    pitches = np.fft.rfftfreq(_WINDOW, 1 / _RATE)
    parts = [(pitches >= low) & (pitches < high) for low, high in pairwise(_BANDS)]
    powers = [
        np.stack([spectra[:, part].mean(axis=1) for part in parts])
        for start in range(0, len(frames), _BLOCK)
        for spectra in [np.abs(np.fft.rfft(frames[start : start + _BLOCK] * np.hanning(_WINDOW), axis=1)) ** 2]
    ]
    bands = np.concatenate(powers, axis=1) / _WINDOW
    return 10 * np.log10(np.vstack([bands, bands.mean(axis=0)]) + 1e-9)


def _changes(level: Levels) -> Levels:
    """The changes of loudness where there is sound."""
    steps = level[_APART:] - level[:-_APART]
    sounding = np.maximum(level[_APART:], level[:-_APART]) > max(np.percentile(level, 20) + _ABOVE, _MIN_LEVEL)
    return np.asarray(steps[sounding])


def _skewness(changes: Levels) -> float:
    spread = changes.std()
    return float((changes**3).mean() / spread**3) if spread else 0.0
