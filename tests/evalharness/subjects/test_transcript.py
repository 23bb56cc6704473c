"""The words that a model is given."""

from __future__ import annotations

import shutil
from pathlib import Path

from longtake.config import load
from longtake.evalharness.views.view import Transcript, TranscriptLine, read_transcript
from longtake.preprocess.pipeline.workspace import Workspace

CUES = "WEBVTT\n\n00:00.000 --> 00:01.000\n{}\n\n00:02.000 --> 00:03.000\n{}\n"


def test_of_several_tracks_the_first_is_given_up_to_the_most_letters(tone: Path, tmp_path: Path) -> None:
    file = Path(shutil.copy(tone, tmp_path / "talk.wav"))
    file.with_suffix(".de.vtt").write_text(CUES.format("Guten Tag.", "Es ist\nrot."), encoding="utf-8")
    file.with_suffix(".en.vtt").write_text(CUES.format("Good day.", "It is red."), encoding="utf-8")
    workspace = Workspace(tmp_path / "library", load())
    lines = TranscriptLine("00:00:00", "Guten Tag."), TranscriptLine("00:00:02", "Es ist rot.")
    assert read_transcript(workspace, file, 1000) == Transcript(lines, 0)
    assert read_transcript(workspace, file, 20) == Transcript(lines[:1], 1)
