"""Sirens: made here in every fashion, one recorded, and what must not be taken for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.sound import Wave, clock, filtered, gliding, hear, hear_file, kinds, noise, of

SECONDS = 16.0
BEGIN, END = 4.0, 14.0


KEYS = np.random.default_rng(1).uniform(-0.7, 0.7, 43)


def sawtooth(cycles: float) -> Wave:
    return (clock(SECONDS) * cycles) % 1.0


def wail(cycles: float) -> Wave:
    return 500 * 3.0 ** (0.5 - 0.5 * np.cos(2 * np.pi * cycles * clock(SECONDS)))


def notes(low: float, high: float, each: float) -> Wave:
    return np.where((clock(SECONDS) / each).astype(int) % 2, high, low)


def outdoors(hertz: Wave, snr_db: float = 10.0, partials: int = 3) -> Wave:
    """A siren from `BEGIN` to `END` over the rumble of a street."""
    street = filtered(noise(SECONDS, 0.1), 60, 400)
    street *= 0.02 / street.std()
    siren = gliding(hertz, 0.1, partials)
    siren *= 0.02 * 10 ** (snr_db / 20) / siren.std()
    return street + np.where((clock(SECONDS) >= BEGIN) & (clock(SECONDS) < END), siren, 0.0)


@pytest.mark.parametrize(
    "hertz",
    [
        pytest.param(wail(0.2), id="wail of 12 cycles a minute"),
        pytest.param(wail(0.3), id="wail of 18"),
        pytest.param(wail(0.5), id="wail of 30"),
        pytest.param(wail(2.5), id="yelp of 150"),
        pytest.param(wail(4.0), id="yelp of 240"),
        pytest.param(600 * 2.0 ** sawtooth(0.7), id="rising sweep"),
        pytest.param(1200 * 2.0 ** -sawtooth(2.0), id="falling sweep"),
        pytest.param(notes(440, 585, 0.7), id="German two notes"),
        pytest.param(notes(435, 580, 0.55), id="French two notes"),
        pytest.param(notes(420, 516, 0.5), id="French ambulance"),
        pytest.param(notes(660, 880, 0.4), id="high two notes"),
    ],
)
@pytest.mark.parametrize("partials", [1, 5])
def test_a_siren_is_heard_with_its_times(hertz: Wave, partials: int) -> None:
    (siren,) = of(hear(outdoors(hertz, partials=partials)), "siren")
    assert (siren.start, siren.end) == pytest.approx((BEGIN, END), abs=0.8)


def test_a_siren_of_two_notes_is_neither_music_nor_tones() -> None:
    assert kinds(hear(outdoors(notes(440, 585, 0.7)))) & {"music", "tone"} == set()


def test_a_horn_over_a_siren_leaves_it_whole_and_is_a_tone() -> None:
    samples = outdoors(wail(2.5))
    horn = (clock(SECONDS) >= 8.0) & (clock(SECONDS) < 8.6)
    samples += np.where(horn, gliding(np.full(len(samples), 520.0), 0.6, 8), 0.0)
    events = hear(samples)
    (siren,), (tone,) = of(events, "siren"), of(events, "tone")
    assert (siren.start, siren.end) == pytest.approx((BEGIN, END), abs=0.4)
    assert (tone.start, tone.end) == pytest.approx((8.0, 8.6), abs=0.1)
    assert tone.hz == pytest.approx(520, abs=5)


@pytest.mark.parametrize(
    "hertz",
    [
        pytest.param(np.full(len(clock(SECONDS)), 900.0), id="one note"),
        pytest.param(wail(0.05), id="half a swing"),
        pytest.param(900 * 2.0 ** (0.07 * np.sin(2 * np.pi * 4 * clock(SECONDS))), id="vibrato"),
        pytest.param(900 * 2.0 ** np.interp(clock(SECONDS), 0.4 * np.arange(43), KEYS), id="wandering"),
    ],
)
def test_what_does_not_swing_alike_is_no_siren(hertz: Wave) -> None:
    assert not of(hear(outdoors(hertz)), "siren")


@pytest.mark.parametrize("seed", range(5))
def test_a_melody_is_no_siren(seed: int) -> None:
    scale = 440 * 2 ** (np.array([0, 2, 4, 5, 7, 9, 11, 12]) / 12)
    played = np.random.default_rng(seed).choice(scale, 200)[(clock(30) / 0.3).astype(int)]
    assert not of(hear(gliding(played) * np.exp(-(clock(30) % 0.3) * 4)), "siren")


def test_the_siren_of_a_real_soundscape_is_heard_and_the_horn_over_it(media: Path) -> None:
    events = hear_file(media / "scaper" / "soundscape_20200501_44100.wav")
    (siren,), (horn,) = of(events, "siren"), of(events, "tone")
    assert (siren.start, siren.end) == pytest.approx((2.0, 7.0), abs=0.3)
    assert (horn.start, horn.end) == pytest.approx((5.0, 5.69), abs=0.2)


RECORDINGS = [
    "ableplayer/frenchsong.mp3",
    "ableplayer/paulallen.mp3",
    "moviepy/big_buck_bunny_0_30.webm",
    "cognitive-services-speech-sdk/wikipediaOcelot.wav",
    "nodejs-speech/Google_Gnome.wav",
    "nodejs-speech/commercial_mono.wav",
    "pyannote-audio/tst01.wav",
    "shared-assets/voices-around-a-fire.mp3",
    "VideoLLaMA2/bird-twitter-car.wav",
    "speechbrain/ESC50/2-100648-A-43.wav",
]


@pytest.mark.nightly
@pytest.mark.parametrize("name", RECORDINGS)
def test_songs_speech_birds_and_a_horn_are_no_sirens(media: Path, name: str) -> None:
    assert not of(hear_file(media / name), "siren")
