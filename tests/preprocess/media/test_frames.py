"""Frames come in presentation order, on one clock, shown as they are to be shown."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, flat, noise, write_clip
from helpers.media.odd_files import overwritten, rewrite

from longtake.errors import Cancelled, MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import RUN_UP, SMALL, Frame, read_frames, read_up_to
from longtake.preprocess.media.media import probe


def frames_of(path: Path, start: float | None = None, end: float | None = None) -> list[Frame]:
    span = None if start is None or end is None else TimeSpan(start=start, end=end)
    return list(read_frames(path, probe(path), span, lambda: None))


def times_of(path: Path, start: float | None = None, end: float | None = None) -> list[float]:
    return [round(frame.time, 3) for frame in frames_of(path, start, end)]


def quarters() -> Picture:
    """Blue, green over red, grey: every turn of it looks different."""
    picture = flat((200, 60, 60), 320, 192)
    picture[:96, 160:] = (60, 200, 60)
    picture[96:, :160] = (60, 60, 200)
    picture[96:, 160:] = (128, 128, 128)
    return picture


def test_times_are_those_of_presentation_even_when_frames_come_unevenly(tmp_path: Path) -> None:
    shown = [0.0, 0.1, 0.15, 1.0, 3.0, 3.04]
    path = write_clip(tmp_path / "a.mkv", [noise(n) for n in range(6)], times=lambda n: shown[n])
    assert times_of(path) == shown


def test_a_late_picture_keeps_its_place_on_the_clock_of_the_sound(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mkv", [noise(0)] * 10, times=lambda n: 2 + n / 25, sound_seconds=3.0)
    assert times_of(path)[0] == pytest.approx(2.0, abs=0.05)
    assert times_of(path, 0.0, 0.5) == []


def test_a_raw_stream_counts_its_frames(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.h264", [noise(n) for n in range(10)], format="h264")
    assert times_of(path) == [round(n / 25, 3) for n in range(10)]
    assert times_of(path, 0.2, 0.2) == [0.2]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts"])
def test_a_span_gives_the_frames_on_the_screen_during_it(tmp_path: Path, name: str) -> None:
    path = write_clip(tmp_path / name, [noise(n // 25) for n in range(200)])
    assert times_of(path, 4.01, 4.13) == [4.0, 4.04, 4.08, 4.12]
    assert times_of(path, 0.0, 0.08) == [0.0, 0.04]


def test_a_moment_gives_the_one_frame_shown_then(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mkv", [noise(n) for n in range(4)], times=lambda n: n * 2.0)
    assert times_of(path, 5.5, 5.5) == [4.0]
    assert times_of(path, 4.0, 4.0) == [4.0]
    assert times_of(path, 99.0, 99.0) == [6.0]


@pytest.mark.parametrize("pixels", ["yuv420p", "yuvj420p", "nv12", "yuv444p", "yuv422p", "yuv420p10le", "rgb24"])
def test_small_views_agree_with_the_full_picture_in_every_pixel_format(tmp_path: Path, pixels: str) -> None:
    codec = "ffv1" if pixels == "rgb24" else "libx264"
    pixels = "bgr0" if pixels == "rgb24" else pixels
    frame = frames_of(write_clip(tmp_path / "a.mkv", [quarters()] * 3, codec=codec, pixels=pixels))[0]
    full = cv2.resize(frame.bgr(), SMALL, interpolation=cv2.INTER_AREA).astype(int)
    assert frame.small_bgr.shape == (90, 160, 3)
    assert np.abs(frame.small_bgr - full).mean() < 6
    assert np.array_equal(frame.small_luma, frame.luma(*SMALL))
    assert frame.luma(80, 48).shape == (48, 80)
    assert frame.luma(80, 48).dtype == np.uint8


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_every_view_is_turned_upright(tmp_path: Path, rotation: int) -> None:
    frame = frames_of(write_clip(tmp_path / "a.mp4", [quarters()] * 3, rotation=rotation))[0]
    upright = np.rot90(quarters(), rotation // 90)
    height, width = upright.shape[:2]
    assert np.abs(frame.bgr().astype(int) - upright).mean() < 6
    small = cv2.resize(upright, SMALL, interpolation=cv2.INTER_NEAREST)
    assert np.abs(frame.small_bgr.astype(int) - small).mean() < 6
    assert np.abs(cv2.cvtColor(frame.small_bgr, cv2.COLOR_BGR2GRAY).astype(int) - frame.small_luma).mean() < 30
    grey = cv2.cvtColor(np.ascontiguousarray(upright[::2, ::2]), cv2.COLOR_BGR2GRAY)
    assert np.corrcoef(frame.luma(width // 2, height // 2).ravel(), grey.ravel())[0, 1] > 0.95


def test_the_long_side_is_bounded_and_never_stretched(tmp_path: Path) -> None:
    frame = frames_of(write_clip(tmp_path / "a.mp4", [quarters()] * 2))[0]
    assert frame.bgr(160).shape == (96, 160, 3)
    assert frame.bgr(5_000).shape == (192, 320, 3)


def test_a_truncated_tail_ends_the_frames_that_could_be_read(tmp_path: Path) -> None:
    rough = [np.random.default_rng(n).integers(0, 256, (96, 160, 3), dtype=np.uint8) for n in range(50)]
    whole = write_clip(tmp_path / "a.mkv", rough).read_bytes()
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole[: len(whole) * 6 // 10])
    times = times_of(cut)
    assert 10 < len(times) < 45
    assert times == sorted(times)


def test_damage_in_the_middle_is_skipped(tmp_path: Path) -> None:
    rough = [np.random.default_rng(n).integers(0, 256, (96, 160, 3), dtype=np.uint8) for n in range(50)]
    data = bytearray(write_clip(tmp_path / "a.avi", rough, codec="mjpeg", pixels="yuvj420p").read_bytes())
    middle = data.index(b"\xff\xd8", len(data) // 2)
    data[middle : middle + 600] = bytes(600)
    damaged = tmp_path / "damaged.avi"
    damaged.write_bytes(data)
    times = times_of(damaged)
    assert times[-1] == pytest.approx(1.96, abs=0.01)
    assert 45 <= len(times) < 50


def test_a_cancelled_reading_stops(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mp4", [noise(0)] * 50)

    def cancel() -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        next(read_frames(path, probe(path), None, cancel))


def test_sound_alone_has_no_frames_to_read(media: Path) -> None:
    with pytest.raises(MediaError, match="jfk"):
        frames_of(media / "whisper" / "jfk.flac")


Seen = list[tuple[float, int]]  # the time of each frame, and a checksum of its picture


def whole_and_resumed(path: Path, most: int | None = None) -> Iterator[tuple[Seen, Seen]]:
    """What a reading from the beginning gives after three times, and what a reading that is resumed there gives.

    No more than `most` frames are compared. The last of the times is near enough to the end for it to be seen.
    """

    def seen(frames: Iterable[Frame]) -> Seen:
        return [(frame.time, reduce(lambda sum, plane: crc32(plane, sum), frame.picture.planes, 0)) for frame in frames]

    media, chance = probe(path), random.Random(path.name)
    whole = seen(read_frames(path, media, None, lambda: None))
    for time, _ in [*chance.sample(whole, 2), chance.choice(whole[-(most or 0) :])]:
        after = [frame for frame in whole if frame[0] > time][:most]
        resumed = (frame for frame in read_up_to(time, RUN_UP, path, media, lambda: None) if frame.time > time)
        yield after, seen(islice(resumed, most))


@pytest.mark.nightly
@pytest.mark.parametrize("suffix", [".mp4", ".avi", ".mkv", ".webm"])
def test_a_resumed_reading_of_a_real_file_gives_the_same_frames(media: Path, suffix: str) -> None:
    videos = sorted(media.glob(f"*/*{suffix}"))
    assert videos
    for path in videos if len(videos) < 12 else videos[::3]:  # of many every third: each is decoded four times
        # A codec predicts from far fewer: where so many are the same, so are all that follow.
        for whole, resumed in whole_and_resumed(path, most=60):
            assert resumed == whole, path.name


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "codec", "options"),
    [
        ("a.mp4", "libx264", {"x264-params": "open-gop=1:scenecut=0"}),
        ("a.ts", "libx264", {"x264-params": "intra-refresh=1"}),
        ("a.mkv", "libx265", {"preset": "ultrafast", "x265-params": "open-gop=1:log-level=0"}),
        ("a.mpg", "mpeg2video", {}),
        ("a.avi", "mpeg4", {}),
        ("a.flv", "libx264", {}),
        # The threads of this encoder wait for each other in loops that cost ten times what encoding does.
        ("a.webm", "libvpx", {"deadline": "realtime", "cpu-used": "8", "threads": "1"}),
        ("a.h264", "libx264", {}),
    ],
)
def test_a_resumed_reading_gives_the_same_frames_in_every_format(
    media: Path, tmp_path: Path, name: str, codec: str, options: dict[str, str]
) -> None:
    source = media / "PySceneDetect" / "testvideo.mp4"
    path = rewrite(source, tmp_path / name, numbers=range(0, 600, 2), codec=codec, options=options)
    for whole, resumed in whole_and_resumed(path):
        assert resumed == whole


def test_a_resumed_reading_of_a_file_that_lost_bytes_gives_the_same_times(media: Path, tmp_path: Path) -> None:
    path = overwritten(media / "libopenshot" / "test.avi", tmp_path / "a.avi", 0.4, 0.5)
    for whole, resumed in whole_and_resumed(path):
        assert [time for time, _ in resumed] == [time for time, _ in whole]


@pytest.mark.parametrize("clip", ["face_recognition/short_hamilton_clip.mp4", "moviepy/big_buck_bunny_0_30.webm"])
def test_every_frame_is_found_again_by_the_time_it_has(media: Path, clip: str) -> None:
    path = media / clip
    for time in times_of(path, 1.4, 1.8):
        assert times_of(path, time, time) == [time]
