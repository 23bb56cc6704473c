"""Clips cut out of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import flat
from helpers.media.clips import write_clip as write_video

from longtake.exports.clip_export import LONG_SIDE, write_clip
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import MediaInfo, probe

RED, BLUE = (0, 0, 220), (220, 0, 0)


def _clip(source: Path, start: float, end: float) -> tuple[Path, MediaInfo]:
    target = source.with_name("clip.mp4")
    write_clip(source, probe(source), TimeSpan(start=start, end=end), target)
    return target, probe(target)


def _colours(path: Path) -> list[tuple[float, str]]:
    frames = read_frames(path, probe(path), None, lambda: None)
    return [(round(frame.time, 2), "red" if frame.bgr()[..., 2].mean() > 128 else "blue") for frame in frames]


@pytest.fixture
def two_colours(tmp_path: Path) -> Path:
    """Four seconds of red, then four of blue, with a single keyframe at the start, and a tone."""
    pictures = [flat(RED)] * 40 + [flat(BLUE)] * 40
    return write_video(tmp_path / "source.mp4", pictures, times=lambda number: number / 10, sound_seconds=8.0)


def test_a_clip_begins_and_ends_where_it_should_whatever_the_keyframes(two_colours: Path) -> None:
    clip, media = _clip(two_colours, 3.5, 5.0)
    assert media.duration == pytest.approx(1.5, abs=0.15)
    colours = _colours(clip)
    assert [colour for _, colour in colours] == ["red"] * 5 + ["blue"] * 10
    assert colours[5][0] == pytest.approx(0.5, abs=0.02)
    heard = np.concatenate([block.samples for block in read_audio(clip, media)])
    assert len(heard) / 16_000 == pytest.approx(1.5, abs=0.1)
    assert np.abs(heard).mean() > 0.1


def test_a_large_turned_picture_is_made_smaller_and_upright(tmp_path: Path) -> None:
    source = write_video(tmp_path / "source.mp4", [flat(RED, 1922, 1082)] * 10, rotation=90)
    _, media = _clip(source, 0.0, 0.3)
    assert media.video is not None
    assert (media.video.width, media.video.height, media.video.rotation) == (540, LONG_SIDE, 0)
    assert media.audio == ()


def test_a_clip_of_sound_alone_has_no_picture(tone: Path, tmp_path: Path) -> None:
    target = tmp_path / "clip.mp4"
    write_clip(tone, probe(tone), TimeSpan(start=1.0, end=2.0), target)
    media = probe(target)
    assert media.video is None
    assert media.duration == pytest.approx(1.0, abs=0.05)
