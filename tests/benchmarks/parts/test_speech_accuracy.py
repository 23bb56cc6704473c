"""Word errors, and the report of `bench speech` on a clip of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.media.speech import write_spoken

from longtake.benchmarks.parts.speech_accuracy import word_errors
from longtake.preprocess.demo.demo_truth import load_truth, webvtt


@pytest.mark.parametrize(
    ("said", "recognised", "errors"),
    [
        ("Nobody was hurt.", "nobody was hurt", (3, 0)),
        ("Nobody was hurt.", "nobody was that", (3, 1)),
        ("Nobody was hurt.", "nobody hurt", (3, 1)),
        ("Nobody was hurt.", "nobody was ever hurt", (3, 1)),
        ("Nobody was hurt.", "", (3, 3)),
    ],
)
def test_words_inserted_deleted_and_replaced_are_counted(said: str, recognised: str, errors: tuple[int, int]) -> None:
    assert word_errors(said, recognised) == errors


def test_a_clip_is_measured_without_its_subtitles(tmp_path: Path) -> None:
    write_spoken(tmp_path / "spoken.wav")
    (tmp_path / "spoken.vtt").write_text(webvtt(load_truth().cues), encoding="utf-8")
    report = json.loads(longtake("bench", "speech", "--media", tmp_path, "--json", library=tmp_path / "library").stdout)
    (clip,) = report["clips"]
    assert report["engine"].startswith("faster-whisper")
    assert 0.5 < clip["wrong"] / clip["said"] < 1, "the subtitles go on for minutes"
    assert (report["words"], report["wrong"]) == (clip["said"], clip["wrong"])


def test_a_recording_is_timed_both_ways(tmp_path: Path) -> None:
    write_spoken(tmp_path / "spoken.wav")
    (tmp_path / "spoken.txt").write_text("Good morning.")
    done = longtake("bench", "speech", "--media", tmp_path, "--seconds", "10", "--json", library=tmp_path / "library")
    report = json.loads(done.stdout)
    (speed,) = report["speed"]
    assert speed["recording"] == 10
    assert min(speed["ours"], speed["alone"]) > 0
