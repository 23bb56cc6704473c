"""Detects sound events without a trained classifier, by Silero's voice activity and rules on level, spectrum and pitch.

The rules name only what the signal itself shows, never its cause: `siren` and `applause` mean sounds like these. When
in doubt, they report nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longtake.preprocess.engines.sounds.sound_engine import Measures, SoundEvent
from longtake.preprocess.engines.sounds.spectral_applause import applause
from longtake.preprocess.engines.sounds.spectral_chords import jingles
from longtake.preprocess.engines.sounds.spectral_features import RATE, join, measure
from longtake.preprocess.engines.sounds.spectral_levels import impulses, louds, quiets, silences
from longtake.preprocess.engines.sounds.spectral_music import music
from longtake.preprocess.engines.sounds.spectral_runs import overlap
from longtake.preprocess.engines.sounds.spectral_sirens import merged, sirens
from longtake.preprocess.engines.sounds.spectral_tones import tones
from longtake.preprocess.engines.sounds.spectral_voices import speech
from longtake.preprocess.media.audio import AudioBlock
from longtake.settings import Settings

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
