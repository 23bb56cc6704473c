"""Long videos made of clips: nothing is lost, doubled or shifted where segments join."""

from __future__ import annotations

import sys
from pathlib import Path

import av
import numpy as np
import pytest
from helpers.media.clips import flat, noise, write_clip, written

from longtake.benchmarks.hour.reel import Reel, make_loop
from longtake.errors import EngineError, MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.subtitle_formats import parse_subtitles

RED, BLUE = (0, 0, 200), (200, 0, 0)
SAID = "WEBVTT\n\n00:00.200 --> 00:00.800\nThe red one.\n\n00:02.000 --> 00:03.000\nSaid after the end.\n"


def unheard(_: str) -> None:
    """Take progress."""


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A red clip with a tone and words, a blue one at another frame rate without sound, and what is no clip."""
    folder = tmp_path_factory.mktemp("clips")
    write_clip(folder / "a.mp4", [flat(RED, 160, 90)] * 25, sound_seconds=1.0)
    (folder / "a.vtt").write_text(SAID, encoding="utf-8")
    write_clip(folder / "b.mkv", [flat(BLUE, 90, 160)] * 10, times=lambda number: number / 10)
    (folder / "notes.txt").write_text("nothing", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def loop(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Reel:
    return make_loop(clips, tmp_path_factory.mktemp("work"), unheard, 15)


def shown_at(path: Path, moment: float) -> Picture:
    return next(read_frames(path, probe(path), TimeSpan(start=moment, end=moment), lambda: None)).bgr()


def test_pictures_and_sound_run_on_where_segments_join(loop: Reel) -> None:
    assert loop.seconds == pytest.approx(15, abs=0.03)
    with av.open(str(loop.path)) as container:
        pictures = [frame.time for frame in container.decode(video=0)]
    assert pictures == pytest.approx([number / 25 for number in range(15 * 25)], abs=0.002)
    assert sum(len(block.samples) for block in read_audio(loop.path, probe(loop.path), rate=1000)) == pytest.approx(
        15_000, abs=50
    )


def test_a_clip_is_seen_and_heard_in_its_place_and_nowhere_else(loop: Reel) -> None:
    for start, colour in ((0.0, RED), (6.0, BLUE)):  # after each, five seconds of a slide
        for moment in (start, start + 0.9):
            assert np.abs(shown_at(loop.path, moment)[360, 640].astype(int) - colour).max() < 12
        assert np.abs(shown_at(loop.path, start + 2)[360, 640].astype(int) - colour).max() > 40
    samples = np.concatenate([block.samples for block in read_audio(loop.path, probe(loop.path), rate=1000)])
    loud = np.flatnonzero(np.abs(samples) > 0.2) / 1000
    assert loud.min() < 0.05
    assert 0.9 < loud.max() < 1.1


def test_what_is_said_stands_beside_it_at_its_offset(loop: Reel) -> None:
    cues = parse_subtitles(loop.path.with_suffix(".vtt").read_bytes(), "loop")
    assert [(cue.start, cue.end, cue.text) for cue in cues] == [(0.2, 0.8, "The red one.")]


def test_clips_that_do_not_fit_are_refused(clips: Path, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="has no clip that fits into 3 s"):
        make_loop(clips, tmp_path, unheard, 3)


def test_without_ffmpeg_it_is_said(clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(EngineError, match=r"ffmpeg, which isn't installed: install longtake\[bench\]"):
        make_loop(clips, tmp_path, unheard, 15)


def test_sound_alone_is_a_clip_where_its_words_are_known(tone: Path, tmp_path: Path) -> None:
    (tmp_path / "tone.wav").write_bytes(tone.read_bytes())
    with pytest.raises(MediaError, match="has no clip"):
        make_loop(tmp_path, tmp_path / "work", unheard, 12)
    (tmp_path / "tone.txt").write_text("A tone.", encoding="utf-8")
    assert make_loop(tmp_path, tmp_path / "work", unheard, 12).seconds == pytest.approx(12, abs=0.03)


def test_a_turned_clip_is_shown_as_a_player_shows_it(tmp_path: Path) -> None:
    picture = written(noise(3, 320, 180), "UP", (60, 110), 3.0)
    (tmp_path / "clips").mkdir()
    clip = write_clip(tmp_path / "clips" / "turned.mp4", [picture] * 25, rotation=90)
    shown = shown_at(make_loop(tmp_path / "clips", tmp_path / "work", unheard, 10).path, 0.0)
    expected = shown_at(clip, 0.0)
    scale = min(1280 / expected.shape[1], 720 / expected.shape[0])
    height, width = round(expected.shape[0] * scale), round(expected.shape[1] * scale)
    top, left = (720 - height) // 2, (1280 - width) // 2
    rows = (np.linspace(0.05, 0.95, 12) * height + top).astype(int)
    columns = (np.linspace(0.05, 0.95, 12) * width + left).astype(int)
    wanted = expected[((rows - top) / scale).astype(int)][:, ((columns - left) / scale).astype(int)]
    assert np.abs(shown[rows][:, columns].astype(int) - wanted).mean() < 15
