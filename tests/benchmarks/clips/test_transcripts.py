"""What is said in a clip, from the files beside it and the tracks inside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip

from longtake.benchmarks.clips.transcripts import transcript
from longtake.preprocess.media.cues import Cue

VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nFrom the sidecar.\n"


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return write_clip(tmp_path / "talk.mp4", [flat((9, 9, 9))] * 25)


def test_the_sidecar_comes_before_the_plain_text(clip: Path) -> None:
    clip.with_suffix(".txt").write_text("From the\ntext.", encoding="utf-8")
    assert transcript(clip) == [Cue(0.0, 1.0, "From the text.")]
    clip.with_suffix(".vtt").write_text(VTT, encoding="utf-8")
    assert transcript(clip) == [Cue(1.0, 2.0, "From the sidecar.")]


def test_segment_time_marks_name_the_speaker(clip: Path) -> None:
    clip.with_suffix(".stm").write_text(
        "talk 1 Ann 0.25 0.5 Hello there.\n\ntalk 1 Ben 0.5 1.0 Hi.\n", encoding="utf-8"
    )
    assert transcript(clip) == [Cue(0.25, 0.5, "Hello there.", "Ann"), Cue(0.5, 1.0, "Hi.", "Ben")]


def test_labels_are_not_what_is_said(clip: Path) -> None:
    clip.with_suffix(".txt").write_text("0.1\t0.4\tsiren\n", encoding="utf-8")
    assert transcript(clip) == []


def test_a_track_inside_the_file_is_read(media: Path) -> None:
    cues = transcript(media / "auto-editor" / "mov_text.mp4")
    assert cues
    assert all(cue.text and cue.end > cue.start for cue in cues)
