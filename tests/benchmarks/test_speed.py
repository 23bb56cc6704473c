"""`bench speed` and `bench ask`: what is timed, and the shape of the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip
from typer.testing import CliRunner

from longtake.benchmarks.cli import bench
from longtake.benchmarks.hour.answer_speed import measure_warm
from longtake.console import Session
from longtake.errors import EngineError
from longtake.settings import Settings

COMMANDS = "speed faults clips screenshots pass memory ask load scale walks cluster gguf".split()


def test_the_menu_names_every_measurement() -> None:
    shown = CliRunner().invoke(bench, ["--help"]).stdout
    assert [name for name in COMMANDS if f"│ {name} " in shown] == COMMANDS


def test_one_question_is_too_few_to_be_timed(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"talk\.mp4 has 1 questions, too few to time"):
        measure_warm(tmp_path, tmp_path / "talk.mp4", Settings(), [("Why?", ())])


def test_report_of_speed_holds_every_measure() -> None:
    unread = Session(overrides=("engines.scene_text=[]",))  # reading takes longest
    result = CliRunner().invoke(bench, ["speed", "--rounds", "1", "--json"], obj=unread, catch_exceptions=False)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert set(report) == {"machine", "help", "index", "visual_pass", "ask_warm", "ask_cold"}
    assert report["help"]["seconds"]["n"] == report["index"]["seconds"]["n"] == 1
    assert report["ask_warm"]["n"] >= 10
    assert report["ask_cold"]["ratio"]["n"] == 1
    assert {"visual pass", "sounds", "text_vectors"} <= set(report["index"]["layers"])
    assert report["visual_pass"]["ratio"]["low"] > 0
    assert report["machine"]["cores"] >= 1


def test_different_questions_are_asked_about_the_long_video(tmp_path: Path) -> None:
    media = tmp_path / "clips"
    media.mkdir()
    write_clip(media / "a.mp4", [flat((90, 60, 30))] * 25)
    facts = {"media": "a.mp4", "answer": "1", "evidence": [0, 1], "modality": "ocr", "kind": "count"}
    texts = ["What is shown?", "What is said?", "What is said?"]
    lines = [json.dumps(facts | {"id": str(number), "question": text}) for number, text in enumerate(texts)]
    (media / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    arguments = ["ask", "--media", str(media), "--seconds", "10", "--work", str(tmp_path / "work"), "--json"]
    report = json.loads(CliRunner().invoke(bench, arguments, obj=Session(), catch_exceptions=False).stdout)
    assert report["warm"]["n"] == 1
    assert report["cold"]["ratio"]["n"] == 2
    assert report["cold"]["ratio"]["low"] > 0
