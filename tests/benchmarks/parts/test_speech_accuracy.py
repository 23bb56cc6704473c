"""Word errors, diarization errors, and the report of `bench speech` on a clip of its own."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.data.layers import new_layer
from helpers.media.speech import write_spoken

from longtake.benchmarks.parts.speech_accuracy import Turn, _diarization, word_errors
from longtake.memory.layers import Layer, LayerRecipe, LayerStore


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


def speakers(folder: Path, *turns: tuple[float, float, str]) -> Layer | None:
    recipe = LayerRecipe("speakers", 1, "test")
    with new_layer(LayerStore(folder), recipe) as writer:
        for start, end, speaker in turns:
            writer.add({"start": start, "end": end, "speaker": speaker, "trusted": False})
    return LayerStore(folder).get(recipe.name, recipe.key)


def test_turns_are_compared_under_the_best_assignment(tmp_path: Path) -> None:
    labelled = [Turn(0, 4, "Ann"), Turn(4, 8, "Ben"), Turn(7, 8, "Ann")]
    result = _diarization(labelled, speakers(tmp_path, (0, 5, "1"), (5, 10, "2")))
    assert (result.speakers, result.found, result.spoken) == (2, 2, 9.0)
    assert (result.missed, result.false, result.confused) == (1.0, 2.0, 1.0)
    assert result.error == pytest.approx(4 / 9)


def test_without_turns_all_is_missed() -> None:
    result = _diarization([Turn(0, 4, "Ann")], None)
    assert (result.found, result.missed, result.error) == (0, 4.0, 1.0)


def test_a_clip_is_measured_without_its_subtitles(tmp_path: Path) -> None:
    write_spoken(tmp_path / "spoken.wav")
    shutil.copy(str(files("longtake.preprocess.demo") / "speech.en.vtt"), tmp_path / "spoken.vtt")
    report = json.loads(longtake("bench", "speech", "--media", tmp_path, "--json", library=tmp_path / "library").stdout)
    (clip,) = report["clips"]
    assert clip["engine"].startswith("faster-whisper")
    assert 0.5 < clip["words"]["wrong"] / clip["words"]["said"] < 1, "the subtitles go on for minutes"
    assert clip["turns"] is None


def test_a_recording_is_timed_both_ways(tmp_path: Path) -> None:
    write_spoken(tmp_path / "spoken.wav")
    (tmp_path / "spoken.txt").write_text("Good morning.")
    done = longtake("bench", "speech", "--media", tmp_path, "--seconds", "10", "--json", library=tmp_path / "library")
    report = json.loads(done.stdout)
    assert report["duration"] == 10
    assert min(report["ours"], report["alone"]) > 0
