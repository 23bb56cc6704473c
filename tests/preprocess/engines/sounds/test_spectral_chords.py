"""Music of a few seconds: chords and melodies made here, and what else holds a pitch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.sound import RATE, Wave, clock, gliding, hear, hear_file, kinds, noise, of, silence

from longtake.preprocess.demo.sound import synthesise

SEMITONE = 2 ** (1 / 12)


def struck(notes: list[int], seconds: float, partials: int = 6) -> Wave:
    """Notes, in semitones over A at 220 Hz, struck together and dying away."""
    times = clock(seconds)
    hertz = [220 * SEMITONE**note * number for note in notes for number in range(1, partials + 1)]
    strengths = [0.1 / number for _ in notes for number in range(1, partials + 1)]
    sound = sum(level * np.sin(2 * np.pi * each * times) for each, level in zip(hertz, strengths, strict=True))
    return sound * np.exp(-times / seconds) * np.minimum(1, times / 0.01)


def played(chords: list[list[int]], each: float) -> Wave:
    """Two seconds of a quiet room, the chords one after the other, and the room again."""
    tune = np.concatenate([struck(notes, each) for notes in chords])
    room = noise(4 + len(tune) / RATE, 0.001)
    room[2 * RATE : 2 * RATE + len(tune)] += tune.astype(np.float32)
    return room


@pytest.mark.parametrize(
    ("chords", "each"),
    [
        ([[0, 4, 7], [5, 9, 12], [7, 11, 14], [0, 4, 7]], 0.9),
        ([[-2, 1, 5], [3, 7, 10], [-4, 0, 3]], 1.2),
        ([[0], [4], [7], [12], [9], [5], [2]], 0.5),
    ],
)
def test_a_jingle_of_a_few_seconds_is_music_with_its_times(chords: list[list[int]], each: float) -> None:
    events = hear(played(chords, each))
    (music,) = of(events, "music")
    assert (music.start, music.end) == pytest.approx((2.0, 2.0 + each * len(chords)), abs=0.6)
    assert kinds(events) & {"speech", "tone", "siren", "applause"} == set()


def test_longer_music_begins_with_its_first_chord() -> None:
    chords = synthesise("music", 13.0)[::3]  # from 48 to 16 kHz
    (music,) = of(hear(np.concatenate([silence(1.5), chords, silence(2)])), "music")
    assert (music.start, music.end) == pytest.approx((1.5, 14.5), abs=0.1)


def test_one_chord_struck_again_and_again_is_no_music() -> None:
    assert not of(hear(played([[0, 4, 7]] * 5, 0.8)), "music")


@pytest.mark.parametrize("each", [0.4, 0.7, 1.0])
def test_a_bell_of_two_notes_is_no_music(each: float) -> None:
    assert not of(hear(played([[0], [6]] * 3, each)), "music")


@pytest.mark.parametrize("rise", [3, 10, 30, 60])
def test_an_engine_that_revs_up_is_no_music(rise: int) -> None:
    assert not of(hear(gliding(110 + rise * clock(6), 0.1, 20) + noise(6, 0.002)), "music")


def test_beeps_of_several_pitches_are_no_music() -> None:
    pitch = np.array([400, 600, 800, 1000, 1300])[(clock(5) / 0.5).astype(int) % 5]
    assert not of(hear(0.2 * np.sin(2 * np.pi * pitch * clock(5))), "music")


def test_the_two_tones_of_dialled_digits_are_no_music() -> None:
    digit = (clock(5) / 0.5).astype(int) % 5
    low, high = np.array([697, 770, 852, 941, 697])[digit], np.array([1209, 1336, 1477, 1209, 1336])[digit]
    dialled = np.sin(2 * np.pi * low * clock(5)) + np.sin(2 * np.pi * high * clock(5))
    assert not of(hear(0.2 * dialled), "music")


@pytest.mark.parametrize("ground", [95.0, 140.0, 210.0])
def test_vowels_on_one_note_are_no_music(ground: float) -> None:
    random = np.random.default_rng(5)
    spoken = np.stack([random.uniform(*range_, 13) for range_ in ((250, 900), (900, 2300), (2300, 3200))])
    formants = spoken[:, (clock(5) / 0.4).astype(int)]
    harmonics = ground * np.arange(1, int(4000 / ground))
    shares = [0.05 * (1 / (1 + ((hertz - formants) / 60) ** 2)).sum(axis=0) for hertz in harmonics]
    voice = sum(share * np.sin(2 * np.pi * hertz * clock(5)) for hertz, share in zip(harmonics, shares, strict=True))
    assert not of(hear(np.concatenate([silence(1), voice, silence(1)])), "music")


@pytest.mark.parametrize("name", ["learning-area/bear.mp3", "shared-assets/t-rex-roar.mp3", "moviepy/crunching.mp3"])
def test_growls_and_crunching_are_no_music(media: Path, name: str) -> None:
    assert not of(hear_file(media / name), "music")
