"""Files as they are met: odd shapes, several tracks, lost bytes; what cannot be read is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from av.stream import Disposition
from av.video.frame import VideoFrame
from helpers.media.clips import Picture, flat, noise, write_clip
from helpers.media.odd_files import overwritten, repeated, rewrite

from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.coverage import CoveredSpans
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.preprocess.media.media import probe

pytestmark = pytest.mark.slow


def frames_of(path: Path) -> list[Frame]:
    return list(read_frames(path, probe(path), None, lambda: None))


def covered(path: Path) -> list[tuple[float, float]]:
    spans = CoveredSpans()
    for frame in frames_of(path):
        spans.observe(frame.time, frame.duration)
    return [(span.start, span.end) for span in spans.spans()]


def rough(count: int) -> list[Picture]:
    """Pictures that nothing can be saved on, so that bytes lie evenly in the file."""
    return [np.random.default_rng(number).integers(0, 256, (96, 160, 3), dtype=np.uint8) for number in range(count)]


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (9, 64), (427, 321), (16, 999)])
def test_a_picture_of_any_size_is_read_in_every_view(tmp_path: Path, width: int, height: int) -> None:
    path = write_clip(tmp_path / "a.mkv", [flat((40, 200, 90), width, height)] * 3, codec="ffv1", pixels="bgr0")
    video = probe(path).video
    assert video is not None
    assert (video.width, video.height) == (width, height)
    for frame in frames_of(path):
        assert frame.bgr().shape == (height, width, 3)
        assert np.abs(frame.bgr().astype(int) - (40, 200, 90)).max() < 6
        assert frame.small_bgr.shape == (90, 160, 3)
        assert frame.small_luma.shape == (90, 160)


@pytest.mark.parametrize("rate", [8, 60])
def test_slow_and_quick_clips_keep_their_rate(tmp_path: Path, rate: int) -> None:
    path = write_clip(tmp_path / "a.mp4", [noise(n) for n in range(24)], times=lambda number: number / rate)
    assert [frame.time for frame in frames_of(path)] == [round(number / rate, 3) for number in range(24)]
    assert frames_of(path)[3].duration == pytest.approx(1 / rate, abs=0.002)


@pytest.mark.nightly
def test_upright_4k_hevc(tmp_path: Path) -> None:
    path = write_clip(
        tmp_path / "a.mp4", [noise(n, 2160, 3840) for n in range(3)], codec="libx265", pixels="yuv420p10le"
    )
    video = probe(path).video
    assert video is not None
    assert (video.codec, video.width, video.height) == ("hevc", 2160, 3840)
    frames = frames_of(path)
    assert [frame.time for frame in frames] == [0.0, 0.04, 0.08]
    assert frames[2].bgr(960).shape == (960, 540, 3)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts"])
def test_a_video_of_one_frame_has_that_frame(tmp_path: Path, name: str) -> None:
    path = write_clip(tmp_path / name, [noise(1)])
    (frame,) = frames_of(path)
    assert frame.time == 0.0
    media = probe(path)
    assert 0 <= media.duration < 0.2
    (shown,) = read_frames(path, media, TimeSpan(start=0.0, end=0.0), lambda: None)
    assert shown.time == 0.0


def test_the_default_tracks_are_taken_and_every_language_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as container:
        videos: list[Any] = [container.add_stream("libx264", rate=25) for _ in range(2)]
        sounds: list[Any] = [container.add_stream("pcm_s16le", rate=8_000, layout="mono") for _ in range(2)]
        for stream, language in zip([*videos, *sounds], ["", "", "fra", "eng"], strict=True):
            stream.metadata["language"] = language
        for video, size in zip(videos, [(64, 48), (128, 96)], strict=True):
            video.width, video.height = size
            video.pix_fmt = "yuv420p"
        videos[0].disposition, videos[1].disposition = Disposition(0), Disposition.default
        for number in range(5):
            for video, size in zip(videos, [(64, 48), (128, 96)], strict=True):
                frame = VideoFrame.from_ndarray(flat((9, 9, 9), *size), format="bgr24")
                frame.pts, frame.time_base = number, Fraction(1, 25)
                container.mux(video.encode(frame))
        for sound in sounds:
            samples = av.AudioFrame.from_ndarray(np.zeros((1, 1_600), np.int16), format="s16", layout="mono")
            samples.sample_rate, samples.pts = 8_000, 0
            container.mux(sound.encode(samples))
        for stream in [*videos, *sounds]:
            container.mux(stream.encode())
    media = probe(path)
    assert media.video is not None
    assert (media.video.index, media.video.width) == (1, 128)
    assert [track.language for track in media.audio] == ["fra", "eng"]
    assert [frame.bgr().shape for frame in frames_of(path)] == [(96, 128, 3)] * 5


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["a.ts", "a.flv", "a.mpg", "a.mp4", "a.mkv"])
def test_no_frame_is_lost_at_either_end(tmp_path: Path, name: str) -> None:
    source = write_clip(tmp_path / "source.mp4", [noise(n) for n in range(90)], times=lambda number: number / 30)
    codec = "mpeg2video" if name.endswith("mpg") else "libx264"
    path = rewrite(source, tmp_path / name, numbers=range(90), codec=codec)
    frames = frames_of(path)
    assert [frame.time for frame in frames] == pytest.approx([number / 30 for number in range(90)], abs=0.0011)
    assert probe(path).duration == pytest.approx(3.0, abs=0.04)


def test_avi_with_b_frames_is_read_in_order(media: Path, tmp_path: Path) -> None:
    times = [frame.time for frame in frames_of(media / "bgslibrary" / "video03.avi")]
    assert len(times) == 1_699
    assert max(later - earlier for earlier, later in pairwise(times)) < 0.04
    assert min(later - earlier for earlier, later in pairwise(times)) > 0.01
    source = write_clip(tmp_path / "source.mp4", [noise(n) for n in range(60)], times=lambda number: number / 30)
    path = rewrite(source, tmp_path / "a.avi", numbers=range(60), codec="mpeg4")
    expected = [number / 30 for number in range(60)]
    assert [frame.time for frame in frames_of(path)] == pytest.approx(expected, abs=0.0011)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts"])
def test_a_picture_that_stands_still_is_covered(tmp_path: Path, name: str) -> None:
    shown = [0.0, 0.04, 0.08, 9.0, 9.04, 30.0]
    path = write_clip(tmp_path / name, [noise(n) for n in range(6)], times=lambda number: shown[number])
    ((start, end),) = covered(path)
    assert start == 0.0
    assert 30.0 < end < 31.0


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts", "a.avi"])
def test_lost_bytes_in_the_middle_are_not_covered(tmp_path: Path, name: str) -> None:
    if name == "a.avi":
        path = write_clip(tmp_path / name, rough(300), codec="mjpeg", pixels="yuvj420p")
    else:
        path = write_clip(tmp_path / name, rough(100), times=lambda number: number / 5)
    whole = probe(path).duration
    assert covered(path) == [(0.0, pytest.approx(whole, abs=0.05))]
    damaged = overwritten(path, tmp_path / f"damaged{path.suffix}", 0.4, 0.65)
    spans = covered(damaged)
    lost = whole - sum(end - start for start, end in spans)
    assert whole * 0.15 < lost < whole * 0.65
    assert spans[0][0] == 0.0
    assert spans[0][1] <= whole * 0.45


def test_what_webm_leaps_over_is_not_covered(media: Path, tmp_path: Path) -> None:
    path = overwritten(media / "moviepy" / "big_buck_bunny_0_30.webm", tmp_path / "a.webm", 0.45, 0.55)
    before, after = covered(path)
    assert before[1] < 15 < after[0]
    assert after[1] == pytest.approx(30.0, abs=0.1)


def test_the_length_of_a_program_stream_is_that_of_its_frames(media: Path, tmp_path: Path) -> None:
    source = media / "auto-editor" / "example.mp4"
    path = rewrite(source, tmp_path / "a.mpg", numbers=range(450), codec="mpeg2video")
    assert probe(path).duration == pytest.approx(15.0, abs=0.04)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_what_lies_before_the_damage_is_read_as_it_was(tmp_path: Path, name: str) -> None:
    path = write_clip(tmp_path / name, rough(60))
    damaged = overwritten(path, tmp_path / f"damaged{path.suffix}", 0.6, 0.8)
    before = frames_of(path)[:20]
    for whole, kept in zip(before, frames_of(damaged), strict=False):
        assert kept.time == whole.time
        assert np.array_equal(kept.bgr(), whole.bgr())


def _in_a_file(folder: Path) -> Path:
    (folder / "talk.mp4").write_bytes(b"x")
    return folder / "talk.mp4" / "part.mp4"


def _loop(folder: Path) -> Path:
    (folder / "loop.mp4").symlink_to(folder / "loop.mp4")
    return folder / "loop.mp4"


def _pictures(folder: Path) -> Path:
    (folder / "0001.png").write_bytes(b"\x89PNG")
    return folder


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "missing": (lambda folder: folder / "gone.mp4", "No such file or directory"),
    "inside a file": (_in_a_file, "Not a directory"),
    "a link to itself": (_loop, "Too many levels of symbolic links"),
    "too long a name": (lambda folder: folder / ("x" * 300 + ".mp4"), "File name too long"),
    "a folder of pictures": (_pictures, "is a folder; choose a video file in it"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_says_what_where_and_what_to_do(tmp_path: Path, what: str) -> None:
    make, sentence = REFUSED[what]
    path = make(tmp_path)
    with pytest.raises(MediaError) as caught:
        probe(path)
    message = str(caught.value)
    assert str(path) in message
    assert sentence in message
    assert message.endswith(".")


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["a.mkv", "a.webm", "a.mp4", "a.ts"])
def test_probing_a_long_file_reads_little_of_it(media: Path, tmp_path: Path, name: str) -> None:
    webm = name.endswith("webm")
    clip = media / ("moviepy/big_buck_bunny_0_30.webm" if webm else "shared-assets/friday.mp4")
    path = repeated(clip, tmp_path / name, 120 if webm else 600)

    def bytes_read() -> int:
        return int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])

    before = bytes_read()
    media_info = probe(path)
    assert bytes_read() - before < path.stat().st_size / 5
    assert media_info.duration > 3_500
