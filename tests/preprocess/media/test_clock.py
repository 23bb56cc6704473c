"""A file whose clock starts again, or starts anywhere, has one clock: for its length, its pictures and its sound."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from av.video.frame import VideoFrame
from helpers.media.clips import flat

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.preprocess.media.media import MediaInfo, survey
from longtake.preprocess.media.stream_ends import promised_end

DARK, LIGHT = 40, 200
FLV_HEADER = 13  # bytes, which a recorder that starts again doesn't repeat


def recording(
    path: Path,
    levels: list[int],
    fps: int,
    start: float = 0.0,
    codec: str = "libx264",
    format: str | None = None,
    options: dict[str, str] | None = None,
) -> bytes:
    """Small pictures of one grey each."""
    with av.open(str(path), "w", format=format, options=options or {}) as container:
        stream: Any = container.add_stream(codec, rate=fps)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number, grey in enumerate(levels):
            frame = VideoFrame.from_ndarray(flat((grey, grey, grey), 64, 48), format="bgr24").reformat(format="yuv420p")
            frame.pts, frame.time_base = number + round(start * fps), Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path.read_bytes()


def joined(folder: Path, suffix: str, fps: int, starts: tuple[float, float] = (0.0, 0.0)) -> Path:
    """30 s of dark pictures and 20 s of light ones in one file, each with a clock of its own."""
    codec = "mpeg2video" if suffix == ".mpg" else "libx264"
    first = recording(folder / f"1{suffix}", [DARK] * 30 * fps, fps, starts[0], codec)
    second = recording(folder / f"2{suffix}", [LIGHT] * 20 * fps, fps, starts[1], codec)
    path = folder / f"joined{suffix}"
    path.write_bytes(first + (second[FLV_HEADER:] if suffix == ".flv" else second))
    return path


def level(frame: Frame) -> float:
    return float(frame.luma(8, 8).mean())


def seen(path: Path, media: MediaInfo, span: TimeSpan | None = None) -> list[Frame]:
    return list(read_frames(path, media, span, lambda: None))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "fps", "starts"),
    [
        (".ts", 5, (0.0, 0.0)),
        (".ts", 5, (5000.0, 0.0)),  # FFmpeg takes the fall for a wrapped clock, 26 hours on
        (".ts", 5, (0.0, 500.0)),
        (".flv", 5, (0.0, 0.0)),
        (".mpg", 25, (0.0, 0.0)),
    ],
)
def test_what_follows_a_restart_is_placed_after_what_came_before(
    tmp_path: Path, suffix: str, fps: int, starts: tuple[float, float]
) -> None:
    path = joined(tmp_path, suffix, fps, starts)
    media = survey(path)
    # 30 s and 20 s; a transport stream ends each with a frame whose length it doesn't say.
    assert media.duration == pytest.approx(50.0, abs=0.5)
    assert media.restarts == (pytest.approx(30.0, abs=0.3),)
    frames = seen(path, media)
    assert len(frames) >= 50 * fps - 2
    assert {level(frame) < 120 for frame in frames if frame.time < 29.5} == {True}
    assert {level(frame) < 120 for frame in frames if frame.time > 30.5} == {False}
    assert max(later.time - earlier.time for earlier, later in pairwise(frames)) < 0.5
    for moment in (10.0, 45.0):  # the second lies 10 s after a mark, where reading begins
        (shown,) = seen(path, media, TimeSpan(start=moment, end=moment))
        assert shown.time == max(frame.time for frame in frames if frame.time <= moment)


def test_a_clock_that_wraps_does_not_start_again(tmp_path: Path) -> None:
    path = tmp_path / "wraps.ts"
    recording(path, [DARK] * 100, 5, start=round(2**33 / 90_000) - 10)
    media = survey(path)
    assert (media.restarts, media.marks) == ((), ())
    assert media.duration == pytest.approx(20.0, abs=0.3)
    assert [frame.time for frame in seen(path, media)][:3] == pytest.approx([0.0, 0.2, 0.4], abs=0.001)


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        (".flv", {}),
        (
            ".mp4",
            {"movflags": "frag_keyframe+empty_moov+frag_discont", "use_editlist": "0", "avoid_negative_ts": "disabled"},
        ),
    ],
)
def test_a_stream_recorded_from_its_middle_is_as_long_as_what_it_holds(
    tmp_path: Path, suffix: str, options: dict[str, str]
) -> None:
    path = tmp_path / f"live{suffix}"
    recording(path, [DARK] * 60, 5, start=3600.0, options=options)
    media = survey(path)
    assert promised_end(path, media, 0) <= media.duration + 0.3
    assert media.duration == pytest.approx(12.0, abs=0.3)
    assert [frame.time for frame in seen(path, media)][-1] == pytest.approx(11.8, abs=0.01)  # of 60, 5 a second


@pytest.mark.parametrize(("codec", "format"), [("libx264", "h264"), ("libx265", "hevc")])
def test_a_stream_without_times_has_the_rate_that_its_pictures_say(tmp_path: Path, codec: str, format: str) -> None:
    path = tmp_path / f"raw.{format}"
    recording(path, [DARK] * 80 + [LIGHT] * 45, 10, codec=codec, format=format)
    media = survey(path)
    assert media.duration == pytest.approx(12.5, abs=0.11)  # 125 pictures, 10 a second; FFmpeg says 25
    frames = seen(path, media)
    assert next(frame.time for frame in frames if level(frame) > 120) == pytest.approx(8.0, abs=0.11)  # the 81st
    assert frames[-1].end <= media.duration + 0.11


@pytest.mark.parametrize(
    ("codec", "rates"),
    [
        ("libopus", (48_000, 48_000)),
        ("flac", (44_100, 22_050)),  # FFmpeg counts both parts in samples of the first
        ("flac", (16_000, 48_000)),  # its decoder keeps to the block size of the first
        ("vorbis", (44_100, 22_050)),  # it ends with the first
    ],
)
def test_chained_ogg_is_heard_to_its_end(tmp_path: Path, codec: str, rates: tuple[int, int]) -> None:
    parts = []
    for number, rate in enumerate(rates):
        part = tmp_path / f"{number}.ogg"
        with av.open(str(part), "w", options={"serial_offset": str(7 + number)}) as container:
            layout = "stereo" if codec == "vorbis" else "mono"
            stream: Any = container.add_stream(codec, rate=rate, layout=layout, options={"strict": "experimental"})
            samples = np.zeros((stream.channels, 4 * rate), np.float32)  # a tone in the third of four seconds
            samples[:, 2 * rate : 3 * rate] = 0.3 * np.sin(np.arange(rate) * 2880 / rate)
            resampler = av.AudioResampler(stream.format, layout, rate, stream.frame_size or None)
            frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout=layout)
            frame.sample_rate, frame.pts = rate, 0
            for piece in [*resampler.resample(frame), *resampler.resample(None)]:
                container.mux(stream.encode(piece))
            container.mux(stream.encode())
        parts.append(part.read_bytes())
    path = tmp_path / "chained.ogg"
    path.write_bytes(b"".join(parts))
    media = survey(path)
    assert media.duration == pytest.approx(8.0, abs=0.1)
    assert media.restarts == (pytest.approx(4.0, abs=0.05),)
    heard = np.zeros(9 * 16_000, np.float32)
    for block in read_audio(path, media):
        first = round(block.start * 16_000)
        heard[first : first + len(block.samples)] = block.samples
    loud = [bool(np.abs(heard[second * 16_000 + 3_200 : second * 16_000 + 12_800]).max() > 0.1) for second in range(8)]
    assert loud == [False, False, True, False, False, False, True, False]


def test_one_false_time_is_no_restart(tmp_path: Path) -> None:
    path = tmp_path / "glitch.ts"
    recording(path, [DARK] * 500, 25, codec="mpeg2video")
    data = bytearray(path.read_bytes())  # at 10 s it says 3 s
    path.write_bytes(_with_time(data, 250, 3.0))
    media = survey(path)
    assert media.restarts == ()
    assert media.duration == pytest.approx(20.0, abs=0.5)


def _with_time(data: bytearray, number: int, seconds: float) -> bytes:
    """A transport stream whose PES header of this number says another time, in the five bytes of a timestamp."""
    ticks, place = round(seconds * 90_000), -1
    for _ in range(number + 1):
        place = data.index(b"\x00\x00\x01\xe0", place + 1)
    both = data[place + 7] >> 6 == 3
    for at, sign in ((place + 9, 3 if both else 2), *(((place + 14, 1),) if both else ())):
        data[at : at + 5] = bytes(
            (
                sign << 4 | (ticks >> 30 & 7) << 1 | 1,
                ticks >> 22 & 255,
                (ticks >> 15 & 127) << 1 | 1,
                ticks >> 7 & 255,
                (ticks & 127) << 1 | 1,
            )
        )
    return bytes(data)


def test_streams_that_lie_one_after_the_other_do_not_start_again(tmp_path: Path) -> None:
    path = tmp_path / "apart.mkv"
    with av.open(str(path), "w", options={"max_interleave_delta": "1"}) as container:
        streams: list[Any] = [container.add_stream("pcm_s16le", rate=8_000, layout="mono") for _ in range(2)]
        for stream in streams:  # FFmpeg gives up to wait for the second stream
            for first in range(0, 30 * 8_000, 1_000):
                sound = av.AudioFrame.from_ndarray(np.zeros((1, 1_000), np.int16), format="s16", layout="mono")
                sound.sample_rate, sound.pts = 8_000, first
                container.mux(stream.encode(sound))
            container.mux(stream.encode())
    media = survey(path)
    assert media.restarts == ()
    assert media.duration == pytest.approx(30.0, abs=0.2)


def paused(path: Path, times: list[float], sounds: list[list[tuple[float, float]]]) -> Path:
    """A recording with pictures at some times, and sound tracks that each sound in some spans; times are seconds."""
    with av.open(str(path), "w") as container:
        picture: Any = container.add_stream("libx264", rate=5, options={"bf": "0", "g": "5"})
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        tracks: list[Any] = [container.add_stream("aac", rate=44_100, layout="mono") for _ in sounds]
        packets: list[Any] = []
        for number, time in enumerate(times):
            frame = VideoFrame.from_ndarray(flat((number, 0, 0), 64, 48), format="bgr24").reformat(format="yuv420p")
            frame.pts, frame.time_base = round(5 * time), Fraction(1, 5)
            packets += picture.encode(frame)
        for track, spans in zip(tracks, sounds, strict=True):
            for first in range(0, 16 * 44_100, 1_024):
                if any(start <= first / 44_100 < end for start, end in spans):
                    samples = av.AudioFrame.from_ndarray(np.zeros((1, 1_024), np.float32), format="fltp", layout="mono")
                    samples.sample_rate, samples.pts, samples.time_base = 44_100, first, Fraction(1, 44_100)
                    packets += track.encode(samples)
            packets += track.encode()
        packets += picture.encode()
        for packet in sorted(packets, key=lambda each: float(each.dts * each.time_base)):
            container.mux(packet)
    return path


MOVING = [0.2 * number for number in [*range(20), *range(45, 75)]]  # seconds of the pictures, none from 4 to 9
SLOW = [1.2 * number for number in range(13)]


@pytest.mark.parametrize("suffix", [".ts", ".mkv", ".flv"])
@pytest.mark.parametrize(
    ("times", "sounds", "pauses"),
    [
        pytest.param(MOVING, [[(0, 4), (9, 16)]], [(4, 9)], id="nothing was recorded"),
        pytest.param(MOVING, [[(0, 16)]], [], id="a still picture"),
        pytest.param(MOVING, [[(0, 4), (6.5, 16)]], [], id="a still picture and a silence of its own"),
        pytest.param(MOVING, [[(0, 16)], [(0, 4), (9, 16)]], [], id="one of two tracks goes on"),
        pytest.param(
            SLOW, [[(0, 4.8), (6, 9.6), (10.8, 16)]], [], id="a slow picture, and sound where somebody speaks"
        ),
    ],
)
def test_a_picture_does_not_last_through_a_pause_of_the_recording(
    tmp_path: Path,
    suffix: str,
    times: list[float],
    sounds: list[list[tuple[float, float]]],
    pauses: list[tuple[float, float]],
) -> None:
    one_track = suffix == ".flv"
    path = paused(tmp_path / f"pause{suffix}", times, sounds[:1] if one_track else sounds)
    media = survey(path)
    assert [(pause.start, pause.end) for pause in media.pauses] == [pytest.approx(each, abs=0.3) for each in pauses]
    frames = seen(path, media)
    lost = [(one.end, other.time) for one, other in pairwise(frames) if other.time - one.end > 0.3]
    assert lost == [pytest.approx(each, abs=0.3) for each in pauses]


def test_pictures_that_are_decoded_before_the_clock_begins_are_read(tmp_path: Path) -> None:
    path = tmp_path / "early.ts"
    options = {"avoid_negative_ts": "disabled", "muxdelay": "0", "muxpreload": "0"}
    recording(path, [DARK, LIGHT] * 8, 1, start=0.0, options=options)
    assert len(seen(path, survey(path))) == 16
