"""Detects short music from sustained chords and notes that step from one to the next.

`spectral_music` detects music that leaves bars for eight seconds; a jingle of a few seconds leaves too few. But its
partials hold steady together, then several leap at once and hold again. A motor or horn never leaps, a glide never
holds, a two-note siren or bell leaps between only two chords, a beep has one partial, and the vowels of a monotonous
voice leap within the harmonics of one fundamental. Partials are spectral peaks tracked over time, after R. McAulay and
T. Quatieri, Speech analysis/synthesis based on a sinusoidal representation, IEEE TASSP 34 (1986).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import SoundEvent
from longtake.preprocess.engines.sounds.spectral_features import FRAME_STEP, LEVEL_STEP, NOTE_STEP, Array, Features
from longtake.preprocess.engines.sounds.spectral_levels import SILENCE_DB
from longtake.preprocess.engines.sounds.spectral_runs import between, event_over, runs_of

CONFIDENCE = 0.6  # a few seconds are weaker evidence than eight
STILL_HZ, STILL = 5.0, 0.005  # hertz, or share of its frequency, by which a steady partial may move in 0.16 s
APART_HZ, APART = 25.0, 0.03  # hertz, or share (half a semitone), that separate two partials
CHORD = 3  # simultaneous partials
LEAPS = 2  # partials that end at a step, and that begin
DIFFERENT = 3  # chords
BRIDGE = 2  # strides: a third of a second between two chords
MIN_STRIDES = 15  # 2.4 s
SOUNDING = 0.7  # share of the strides with a chord: 0.8 to 1 in songs and jingles; speech has no run this long
GROUNDS = np.geomspace(70.0, 400.0, 700)  # hertz; fundamentals that a voice may hold
OFF_HZ, OFF = 6.0, 0.004  # hertz, or share, by which a harmonic may be off
OF_ONE = 0.9  # share of the partials that are harmonics of one voice
VOICED = 0.3  # mean probability of speech; above this, chords may come from a singing or monotonous voice


def jingles(features: Features) -> list[SoundEvent]:
    """Runs of 2.4 s or more with three different chords, sorted by start."""
    partials = [row[row > 0] for row in np.nan_to_num(features.held)]
    chords = [_near(one, other, STILL_HZ, STILL) for one, other in pairwise(partials)]
    full = np.array([len(chord) >= CHORD for chord in chords], np.bool_)
    sounding = np.append(full, False) | np.append(False, full)  # a chord is what two strides share
    found = []
    for start, end in runs_of(sounding, bridge=BRIDGE, min_length=MIN_STRIDES):
        voice = between(features.voice, FRAME_STEP, start * NOTE_STEP, end * NOTE_STEP)
        if sounding[start:end].mean() < SOUNDING or voice.mean() >= VOICED:
            continue
        if _is_played(_different(chords[start : end - 1])):
            first, last = round(start * NOTE_STEP / LEVEL_STEP), round(end * NOTE_STEP / LEVEL_STEP)
            audible = np.flatnonzero(features.level[first:last] >= SILENCE_DB)
            run = (first + int(audible[0]), first + int(audible[-1]) + 1)
            found.append(event_over(features, "music", run, LEVEL_STEP, CONFIDENCE))
    return found


def _is_played(chords: list[Array]) -> bool:
    """Whether there are several chords, other than the vowels of one sustained voice."""
    if len(chords) < DIFFERENT:
        return False
    partials = np.concatenate(chords)
    number = np.round(partials[:, None] / GROUNDS[None, :])
    off = np.abs(partials[:, None] - number * GROUNDS[None, :])
    harmonic = (number > 0) & (off <= np.maximum(OFF_HZ, OFF * partials)[:, None])
    return bool(harmonic.mean(axis=0).max() < OF_ONE)


def _different(chords: Sequence[Array]) -> list[Array]:
    """The distinct chords, among those reached by a step from another within half a second."""
    known: list[Array] = []
    for place, chord in enumerate(chords):
        if len(chord) < CHORD:
            continue
        before = next((each for each in chords[max(0, place - BRIDGE - 1) : place] if len(each) >= CHORD), chord)
        if (not known or _leaps(before, chord)) and all(_leaps(each, chord) for each in known):
            known.append(chord)
    return known


def _leaps(before: Array, chord: Array) -> bool:
    """Whether several partials end and several begin between two chords."""
    ended = len(before) - len(_near(before, chord, APART_HZ, APART))
    begun = len(chord) - len(_near(chord, before, APART_HZ, APART))
    return min(ended, begun) >= LEAPS


def _near(partials: Array, others: Array, hertz: float, share: float) -> Array:
    """The partials within this distance of any of the others."""
    distance = np.abs(partials[:, None] - others[None, :]).min(axis=1, initial=np.inf)
    return np.asarray(partials[distance <= np.maximum(hertz, share * partials)])
