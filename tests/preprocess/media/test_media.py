"""What probing a file tells, and the sentence for a file that is no video."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from helpers.media.clips import flat, noise, write_clip
from helpers.media.odd_files import index_first
from helpers.media.sound import silence, write_sound

from longtake.errors import MediaError
from longtake.preprocess.media.media import probe, survey
from longtake.preprocess.media.media_files import has_media_name


def test_an_ordinary_clip_tells_its_streams_and_length(tmp_path: Path) -> None:
    info = probe(write_clip(tmp_path / "a.mp4", [noise(0)] * 25, sound_seconds=1.0))
    assert info.video is not None
    assert (info.video.codec, info.video.width, info.video.height, info.video.fps) == ("h264", 320, 180, 25.0)
    assert [(track.codec, track.rate, track.channels) for track in info.audio] == [("aac", 16_000, 1)]
    assert info.duration == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("name", ["missing.mp4", "folder", "empty.mp4", "text.mp4", "notes.txt", "empty.srt"])
def test_what_is_no_video_is_one_sentence_that_names_it(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    elif name == "empty.mp4":
        path.touch()
    elif name == "empty.srt":
        path.write_text("\n\n")
    elif name != "missing.mp4":
        path.write_text("This is not a video at all.\n" * 50)
    with pytest.raises(MediaError) as caught:
        probe(path)
    message = str(caught.value)
    assert str(path) in message
    assert message.endswith(".")
    assert "\n" not in message


def test_a_rotated_picture_is_measured_as_it_is_shown(tmp_path: Path) -> None:
    video = probe(write_clip(tmp_path / "a.mp4", [noise(0)] * 5, rotation=90)).video
    assert video is not None
    assert (video.width, video.height, video.rotation) == (180, 320, 90)


def test_pixels_that_are_not_square_are_made_square(tmp_path: Path) -> None:
    video = probe(write_clip(tmp_path / "a.mp4", [noise(0)] * 5, aspect=Fraction(4, 3))).video
    assert video is not None
    assert (video.width, video.height) == (427, 180)


def test_the_clock_starts_with_the_first_thing_presented(tmp_path: Path) -> None:
    late_picture = write_clip(tmp_path / "a.mkv", [noise(0)] * 25, times=lambda n: 2 + n / 25, sound_seconds=4.0)
    late_all = write_clip(tmp_path / "b.mkv", [noise(0)] * 25, times=lambda n: 2 + n / 25)
    assert probe(late_picture).origin == pytest.approx(0, abs=0.1)
    assert probe(late_picture).duration == pytest.approx(4, abs=0.15)
    assert probe(late_all).origin == pytest.approx(2, abs=0.01)
    assert probe(late_all).duration == pytest.approx(1, abs=0.01)


def test_a_raw_stream_without_times_is_measured_by_its_frames(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.h264", [noise(0)] * 50, format="h264")
    assert probe(path).duration == pytest.approx(2.0, abs=0.1)


def test_sound_without_a_picture_is_media(tmp_path: Path) -> None:
    info = probe(write_sound(tmp_path / "a.wav", silence(2.0)))
    assert info.video is None
    assert info.duration == 2.0
    assert len(info.audio) == 1


@pytest.mark.parametrize(
    ("name", "right"),
    [("a.mp4", True), ("A.MOV", True), ("camera.h264", True), ("VTS_01_1.VOB", True), ("memo.amr", True),
     ("a.txt", False), ("a.mp4.part", False)],
)  # fmt: skip
def test_media_is_found_in_folders_by_its_name(name: str, right: bool) -> None:
    assert has_media_name(Path(name)) is right


def test_cover_art_is_not_a_video(media: Path) -> None:
    info = probe(media / "ableplayer" / "paulallen.mp3")
    assert info.video is None
    assert info.duration == pytest.approx(181.4, abs=0.1)


def test_embedded_text_subtitles_are_found(media: Path) -> None:
    assert [track.codec for track in probe(media / "auto-editor" / "mov_text.mp4").subtitles] == ["mov_text"]
    assert [track.codec for track in probe(media / "auto-editor" / "webvtt.mkv").subtitles] == ["webvtt"]


def test_a_file_cut_off_before_its_index_says_it_cannot_be_read(tmp_path: Path) -> None:
    whole = write_clip(tmp_path / "a.mp4", [flat((0, 0, 0))] * 25).read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MediaError, match=r"cut\.mp4"):
        probe(cut)


def test_a_file_that_cannot_be_sought_is_read_from_its_start(media: Path, tmp_path: Path) -> None:
    copied = index_first(media / "auto-editor" / "webvtt.mkv", tmp_path / "a.mkv")
    assert probe(copied).duration == pytest.approx(probe(media / "auto-editor" / "webvtt.mkv").duration, abs=0.1)


def test_a_header_cannot_ask_for_more_pixels_than_any_picture_has(tmp_path: Path) -> None:
    (tmp_path / "wide.y4m").write_bytes(b"YUV4MPEG2 W16000 H16000 F25:1 C420jpeg\nFRAME\n" + bytes(1000))
    with pytest.raises(MediaError, match=r"wide\.y4m.*16000 x 16000"):
        probe(tmp_path / "wide.y4m")


def test_a_film_that_was_joined_to_another_is_told(tmp_path: Path) -> None:
    one = write_clip(tmp_path / "one.mp4", [noise(0)] * 25, sound_seconds=1.0).read_bytes()
    (tmp_path / "both.mp4").write_bytes(one + one)
    assert [stream.kind for stream in survey(tmp_path / "both.mp4").unread] == ["recording"]
    assert survey(tmp_path / "one.mp4").unread == ()


@pytest.mark.parametrize("suffix", [".flv", ".wav"])
def test_a_recording_that_ffmpeg_does_not_reach_is_told(tmp_path: Path, suffix: str) -> None:
    one = tmp_path / f"one{suffix}"
    if suffix == ".flv":
        write_clip(one, [noise(0)] * 25)
    else:
        write_sound(one, silence(1.0))
    (tmp_path / f"both{suffix}").write_bytes(one.read_bytes() * 2)
    assert [stream.kind for stream in survey(tmp_path / f"both{suffix}").unread] == ["recording"]
    one.write_bytes(one.read_bytes() + b"LIST\x16\0\0\0INFOISFT\x0a\0\0\0RIFF Tool\0")
    assert survey(one).unread == ()
