"""What a clip's own clock shows at a time is that time, read from the beginning and sought, in every form of file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers.media.odd_files import rewrite

from longtake.config import load
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.text_engines import Box, SceneTextEngine
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.preprocess.media.media import probe

pytestmark = pytest.mark.slow
SAMPLE = 12
TIMECODE_BOX: Box = (0.65, 0.82, 0.33, 0.13)


@pytest.fixture(scope="module")
def reader() -> SceneTextEngine:
    engine: SceneTextEngine = EngineTable(load()).load("scene_text")
    return engine


def timecode(text: str, rate: int) -> float:
    hours, minutes, seconds, frames = map(int, re.findall(r"\d+", text))
    return hours * 3600 + minutes * 60 + seconds + frames / rate


def decimal(text: str) -> float:
    return float(re.findall(r"\d+\.\d+", text)[-1])


@dataclass(frozen=True)
class Clock:
    """Where a clip shows its time, how that is read, and how far a frame may stand from it (seconds)."""

    clip: str
    box: Box
    read: Callable[[str], float]
    within: float


CLOCKS = [
    Clock("auto-editor/example.mp4", TIMECODE_BOX, lambda text: timecode(text, 30) - 3600, 0.001),
    # Made from 29.97 frames a second at 25: the frame shown is the last that had begun, give or take the rounding.
    Clock("moviepy/smpte-2997.mp4", (0.17, 0.79, 0.2, 0.15), decimal, 0.034),
    Clock("moviepy/doc_long_example.mp4", (0.28, 0.43, 0.43, 0.13), lambda text: timecode(text, 25), 0.001),
    Clock("PySceneDetect/counter.mp4", (0.65, 0.83, 0.34, 0.16), decimal, 0.001),
]


def sample(path: Path) -> list[Frame]:
    """Frames at random from a reading of the whole file."""
    chosen = random.Random(7)
    kept: list[Frame] = []
    for number, frame in enumerate(read_frames(path, probe(path), None, lambda: None)):
        place = number if number < SAMPLE else chosen.randrange(number + 1)
        if place < SAMPLE:
            kept[place : place + 1] = [frame]
    return sorted(kept, key=lambda frame: frame.time)


def assert_clock(path: Path, clock: Clock, reader: SceneTextEngine, shift: float = 0.0) -> None:
    frames = sample(path)
    assert len(frames) == SAMPLE
    for frame in frames:
        shown = clock.read(reader.read_region(frame.bgr(), clock.box).text) + shift
        assert frame.time == pytest.approx(shown, abs=clock.within)
        sought = list(read_frames(path, probe(path), TimeSpan(start=frame.time, end=frame.time), lambda: None))
        assert [found.time for found in sought] == [frame.time]
        assert clock.read(reader.read_region(sought[0].bgr(), clock.box).text) + shift == pytest.approx(shown)


@pytest.mark.nightly
@pytest.mark.parametrize("clock", CLOCKS, ids=[clock.clip for clock in CLOCKS])
def test_a_clip_shows_the_time_its_frames_have(media: Path, reader: SceneTextEngine, clock: Clock) -> None:
    assert_clock(media / clock.clip, clock, reader)


EVERY = range(300)
UNEVEN = [number for number in EVERY if number % 7 in (0, 1, 5)]
FORMS: list[tuple[str, Sequence[int], Mapping[str, Any]]] = [
    ("plain.mp4", EVERY, {}),
    ("late.mp4", EVERY, {"start": 3.0, "sound_seconds": 13.0}),
    ("late.mkv", EVERY, {"start": 3.0, "sound_seconds": 13.0}),
    ("offset.ts", EVERY, {"start": 5_000.0}),
    ("wrapping.ts", EVERY, {"start": 95_440.0}),
    ("uneven.mp4", UNEVEN, {}),
    ("uneven.mkv", UNEVEN, {}),
    ("slow.mp4", EVERY[::4], {}),
    ("turned90.mp4", EVERY, {"rotation": 90}),
    ("turned180.mp4", EVERY, {"rotation": 180}),
    ("turned270.mp4", EVERY, {"rotation": 270}),
    ("b_frames.avi", EVERY, {"codec": "mpeg4"}),
    ("b_frames.mpg", EVERY, {"codec": "mpeg2video", "options": {"b": "2000000"}}),
    ("open.ts", EVERY, {"codec": "libx265", "options": {"preset": "ultrafast", "x265-params": "log-level=0"}}),
    ("refreshed.mp4", EVERY, {"options": {"x264-params": "intra-refresh=1"}}),
    ("h264.flv", EVERY, {}),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "numbers", "form"), FORMS, ids=[name for name, _, _ in FORMS])
def test_the_time_is_right_in_every_form(
    media: Path, tmp_path: Path, reader: SceneTextEngine, name: str, numbers: Sequence[int], form: Mapping[str, Any]
) -> None:
    path = rewrite(media / CLOCKS[0].clip, tmp_path / name, numbers=numbers, **form)
    shift = form["start"] if "sound_seconds" in form else 0.0
    # Milliseconds, the ticks of Matroska and FLV; sound starts some samples before 0 where a coder needs a run-up.
    clock = Clock(CLOCKS[0].clip, CLOCKS[0].box, CLOCKS[0].read, 0.002)
    assert_clock(path, clock, reader, shift)
