"""Detects sound events without a trained classifier, by Silero's voice activity and rules on level, spectrum and pitch.

The rules name only what the signal itself shows, never its cause: `siren` and `applause` mean sounds like these. When
in doubt, they report nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from longtake.preprocess.engines.sounds.sound_engine import Measures, SoundEvent
from longtake.preprocess.engines.sounds.spectral_applause import applause
from longtake.preprocess.engines.sounds.spectral_features import (
    FRAME_STEP,
    LEVEL_STEP,
    NOTE_STEP,
    RATE,
    STRIDE_STEP,
    Array,
    Features,
    join,
    measure,
)
from longtake.preprocess.engines.sounds.spectral_levels import SILENCE_DB, impulses, louds, quiets, silences
from longtake.preprocess.engines.sounds.spectral_runs import Mask, between, event_over, overlap, runs_of, smoothed
from longtake.preprocess.engines.sounds.spectral_sirens import merged, sirens
from longtake.preprocess.engines.sounds.spectral_voices import VOICE_ON, speech
from longtake.preprocess.media.audio import AudioBlock
from longtake.settings import Settings

PURITY, LEVEL_DB, DRIFT = 0.9, -50.0, 0.01
MIN_FRAMES = 10  # 0.3 s
HELD_CLARITY = 0.5  # the horns of scaper and their mix have 0.55 to 0.6, being chords
HELD_RISE_DB = 10.0  # above the half second before and after; notes of a tune follow each other, a horn is isolated


def tones(features: Features) -> list[SoundEvent]:
    """Beeps, whose power is in one spectral peak, and horns, which have a steady pitch with many partials."""
    quiet_voice = ~(features.voice >= VOICE_ON)
    beeps = list(_steady(features, features.peak, (features.purity > PURITY) & (features.peak > 100) & quiet_voice))
    horns = [
        horn
        for horn in _steady(features, features.pitch, (features.clarity > HELD_CLARITY) & quiet_voice)
        if _stands_out(features, horn) and not any(horn.start < beep.end and beep.start < horn.end for beep in beeps)
    ]
    return beeps + horns


def _steady(features: Features, hertz: Array, sounding: Mask) -> Iterator[SoundEvent]:
    """Runs whose pitch drifts by less than `DRIFT` from frame to frame, and less than twice that overall."""
    change = np.abs(np.diff(hertz, prepend=hertz[:1]))
    steady = change < np.maximum(8.0, DRIFT * hertz)
    for start, end in runs_of(sounding & steady, min_length=MIN_FRAMES):
        pitch = hertz[start:end]
        hz = float(np.median(pitch))
        confidence = float(np.maximum(features.purity, features.clarity)[start:end].mean())
        event = event_over(features, "tone", (start, end), FRAME_STEP, min(1.0, confidence), hz)
        if event.level_db > LEVEL_DB and np.abs(pitch - hz).max() < max(8.0, 2 * DRIFT * hz):
            yield event


def _stands_out(features: Features, event: SoundEvent) -> bool:
    before = between(features.level, 0.01, event.start - 0.5, event.start - 0.05)
    after = between(features.level, 0.01, event.end + 0.05, event.end + 0.5)
    return all(len(level) and event.level_db - float(np.median(level)) > HELD_RISE_DB for level in (before, after))


MUSIC, MUSIC_OVER_VOICE = 2.0, 2.6  # speech in 20 recordings stays under 2.0 once smoothed, songs reach 2 to 4.7
MUSIC_WINDOWS = 4  # 8 s; a sustained horn fills three windows
HUM = 0.9  # a partial that is on for this share of 6 s is mains hum or a motor, not a note


def music(features: Features) -> list[SoundEvent]:
    """Continuous frequency activation: notes leave horizontal bars in the spectrogram, speech and noise don't.

    K. Seyerlehner et al., Automatic music detection in television productions, DAFx 2007; here without bars that never
    end, and over windows of two strides.
    """
    if len(features.partials) < 2:
        return []
    partials = np.nan_to_num(features.partials)
    windows = (partials[:-1] + partials[1:]) / 2
    steady = (smoothed(windows, 3, np.mean) > HUM).astype(np.float64)
    # A hum includes the windows in which it begins and ends, and two bins on either side.
    hum = smoothed(smoothed(steady, 5, np.max).T, 5, np.max).T
    strength = smoothed(_bar_strength(np.where(hum > 0, 0.0, windows)), 3, np.median)
    starts = np.arange(len(windows)) * STRIDE_STEP
    voices = [between(features.voice, FRAME_STEP, start, start + 2 * STRIDE_STEP) for start in starts]
    voiced = np.array([voice.mean() if len(voice) else 0.0 for voice in voices])
    needed = np.where(voiced < 0.3, MUSIC, MUSIC_OVER_VOICE)
    found = []
    for start, end in runs_of(strength > needed, bridge=1, min_length=MUSIC_WINDOWS):
        confidence = float(np.clip(0.25 * strength[start:end].mean(), 0.5, 0.95))
        first, last = round(start * STRIDE_STEP / LEVEL_STEP), round((end + 1) * STRIDE_STEP / LEVEL_STEP)
        audible = np.flatnonzero(features.level[first:last] >= SILENCE_DB)
        run = (first + int(audible[0]), first + int(audible[-1]) + 1)
        found.append(event_over(features, "music", run, LEVEL_STEP, confidence))
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


OWN_NOTE = 0.9  # share of a tone within a siren that makes it part of the siren; a horn sticks out more


class SpectralSounds:
    """The embedded sound engine."""

    id = "spectral-3/silero-v6"
    rate = RATE

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""

    def measure(self, block: AudioBlock, previous: AudioBlock | None) -> Measures:
        """The measures of one block."""
        return measure(block, previous)

    def detect(self, measured: Sequence[Measures]) -> list[SoundEvent]:
        """Events of a whole track, by start."""
        features = join(measured)
        if not len(features.level):
            return []
        swinging, clapping = sirens(features), applause(features)
        # A two-note siren leaves bars like music, and its notes are tones; a tune may swing once like a siren.
        played = sorted([*music(features), *jingles(features)], key=lambda event: event.start)
        playing = [one for one in _joined(played) if _shared(one, swinging) < 0.5 * (one.end - one.start)]
        swinging = [siren for siren in swinging if not _shared(siren, playing)]
        found = [
            *silences(features),
            *speech(features),
            *playing,
            *louds(features),
            *quiets(features),
            *merged(swinging),
            *clapping,
            *(one for one in impulses(features) if not _shared(one, clapping)),
            *(one for one in tones(features) if not _shared(one, playing) and not _is_own_note(one, swinging)),
        ]
        return sorted(found, key=lambda event: (event.start, event.end, event.kind))


def _joined(events: Sequence[SoundEvent]) -> list[SoundEvent]:
    """Merge overlapping events, sorted by start."""
    whole: list[SoundEvent] = []
    for event in events:
        if whole and event.start <= whole[-1].end:
            last = whole[-1]
            surer = max(last.confidence, event.confidence)
            whole[-1] = replace(last, end=max(last.end, event.end), confidence=surer)
        else:
            whole.append(event)
    return whole


def _shared(event: SoundEvent, others: Sequence[SoundEvent]) -> float:
    """Seconds of an event that others overlap; these must not overlap each other."""
    return sum(overlap(event, other) for other in others)


def _is_own_note(tone: SoundEvent, swinging: Sequence[SoundEvent]) -> bool:
    return _shared(tone, swinging) > OWN_NOTE * (tone.end - tone.start)
