"""The way a real sound runs is told by how it swells and dies away, or not told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.sound import Wave, noise, write_sound

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.sound_direction import Direction, sound_direction

CLIPS = (
    "whisper/jfk.flac",
    "speechbrain/LJ050-0131.wav",
    "learning-area/bear.mp3",
    "shared-assets/countdown.mp3",
    "learning-area/frog.mp4",  # two seconds of sound
)


def direction(path: Path) -> Direction | None:
    media = probe(path)
    return sound_direction(path, media, TimeSpan(start=0, end=media.duration), lambda: None)[0]


def samples_of(path: Path) -> Wave:
    return np.concatenate([block.samples for block in read_audio(path, probe(path))]).astype(np.float64)


@pytest.mark.parametrize("clip", CLIPS)
def test_a_real_sound_runs_forwards_and_its_reverse_backwards(media: Path, clip: str, tmp_path: Path) -> None:
    assert direction(media / clip) == "forwards"
    assert direction(write_sound(tmp_path / "reversed.wav", samples_of(media / clip)[::-1])) == "backwards"


def test_a_steady_noise_a_short_sound_and_no_sound_tell_nothing(media: Path, tmp_path: Path) -> None:
    assert direction(write_sound(tmp_path / "steady.wav", noise(10, 0.1))) is None
    assert direction(write_sound(tmp_path / "short.wav", samples_of(media / CLIPS[0])[:16_000])) is None
    assert direction(media / "sam2" / "01_dog.mp4") is None


def test_chirps_that_rise_in_some_bands_do_not_reverse_a_recording(media: Path) -> None:
    assert direction(media / "VideoLLaMA2" / "bird-twitter-car.wav") != "backwards"
