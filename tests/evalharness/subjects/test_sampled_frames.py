"""Which frames a model is shown, on real clips."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from longtake.errors import MediaError
from longtake.evalharness.subjects.sampled_frames import Sampling, sampled
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe


@pytest.mark.parametrize(
    ("sampling", "frames", "rate", "numbers"),
    [
        (Sampling(1), 30, 10.0, [15]),
        (Sampling(1), 31, 10.0, [15]),
        (Sampling(1), 1, 10.0, [0]),
        (Sampling(4), 30, 10.0, [0, 9, 19, 29]),
        (Sampling(8), 5, 10.0, [0, 1, 2, 3, 4]),
        (Sampling(64, 1.0), 300, 30.0, list(range(0, 300, 30))),
        (Sampling(64, 5.0), 30, 29.97, [0, 6, 12, 18, 24]),
        (Sampling(64, 8.0), 20, 30.0, [0, 4, 8, 12, 16]),
        (Sampling(64, 16.0), 10, 30.0, [0, 2, 4, 6, 8]),
        (Sampling(64, 16.0), 4, 10.0, [0, 1, 2, 3]),
        (Sampling(4, 1.0), 300, 30.0, [0, 90, 180, 270]),
        (Sampling(1, 1.0), 300, 30.0, [150]),
    ],
)
def test_frames_are_numbered_as_the_protocols_say(
    sampling: Sampling, frames: int, rate: float, numbers: list[int]
) -> None:
    assert sampling.numbers(frames, rate) == numbers


@pytest.mark.parametrize(
    ("clip", "sampling"),
    [
        ("PySceneDetect/counter.mp4", Sampling(1)),
        ("PySceneDetect/counter.mp4", Sampling(7)),
        ("Ask-Anything/yoga.mp4", Sampling(5)),
        ("Ask-Anything/yoga.mp4", Sampling(64, 1.0)),
        ("libopenshot/test.avi", Sampling(3)),
        ("moviepy/big_buck_bunny_0_30.webm", Sampling(4)),
        ("auto-editor/webvtt.mkv", Sampling(64, 8.0)),
    ],
)
def test_the_frame_shown_is_the_one_with_its_number(media: Path, clip: str, sampling: Sampling) -> None:
    path = media / clip
    info = probe(path)
    assert info.video
    wanted: dict[int, tuple[float, np.ndarray]] = {}
    count = sum(1 for _ in read_frames(path, info, None, lambda: None))
    numbers = sampling.numbers(count, info.video.fps)
    for number, frame in enumerate(read_frames(path, info, None, lambda: None)):
        if number in numbers:
            wanted[number] = (frame.time, frame.bgr(1024))
    shown = sampled(path, sampling, 1024)
    assert [frame.time for frame in shown] == [wanted[number][0] for number in numbers]
    for frame, number in zip(shown, numbers, strict=True):
        picture = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        assert picture.shape == wanted[number][1].shape
        assert np.abs(picture.astype(int) - wanted[number][1]).mean() < 3  # what JPEG takes away


def test_the_long_side_is_no_longer_than_asked(media: Path) -> None:
    [frame] = sampled(media / "moviepy/big_buck_bunny_0_30.webm", Sampling(1), 512)
    picture = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert max(picture.shape) == 512


def test_what_holds_no_picture_is_reported(tmp_path: Path, tone: Path) -> None:
    (tmp_path / "broken.mp4").write_bytes(b"\0" * 4096)
    for path in (tmp_path / "broken.mp4", tmp_path / "nowhere.mp4", tone):
        with pytest.raises(MediaError):
            sampled(path, Sampling(1), 512)


@pytest.mark.parametrize(
    ("sampling", "seconds", "frames"),
    [(Sampling(64), 10.0, 64), (Sampling(64, 1.0), 10.0, 10), (Sampling(8, 1.0), 10.0, 8), (Sampling(8, 1.0), None, 8)],
)
def test_how_many_frames_are_expected(sampling: Sampling, seconds: float | None, frames: int) -> None:
    assert sampling.expected(seconds) == frames
