"""`bench recall`: questions about clips, asked of a long video that holds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helpers.media.clips import flat, write_clip
from typer.testing import CliRunner

from longtake.bench.cli import bench
from longtake.bench.hour.recall import Recalled, RecallShares
from longtake.console import Session

FERRY = "WEBVTT\n\n00:01.000 --> 00:02.000\nThe green ferry leaves from pier nine.\n"


def recalled(rank: int | None, outcome: str) -> Recalled:
    facts: dict[str, Any] = {"id": "a", "modality": "ocr", "question": "?", "gold": "1", "evidence": (0.0, 1.0)}
    return Recalled.model_validate(facts | {"rank": rank, "outcome": outcome, "answer": ""})


def test_found_evidence_and_held_golds_are_counted_apart() -> None:
    shares = RecallShares.of([recalled(1, "held"), recalled(5, "abstained"), recalled(None, "wrong")])
    assert (shares.evidence.count, shares.held.count, shares.evidence.n, shares.held.n) == (2, 1, 3, 3)


def test_questions_are_asked_where_their_clips_lie(tmp_path: Path) -> None:
    media = tmp_path / "clips"
    media.mkdir()
    write_clip(media / "ferry.mp4", [flat((90, 60, 30))] * 75)
    (media / "ferry.vtt").write_text(FERRY, encoding="utf-8")
    write_clip(media / "mute.mp4", [flat((10, 90, 30))] * 25)
    common = {"media": "ferry.mp4", "modality": "speech", "kind": "speech_content", "evidence": [1, 2]}
    questions = [
        {"id": "pier", "question": "From which pier do they say the green ferry leaves?", "answer": "9"},
        {"id": "when", "question": 'When is "green ferry" said?', "answer": "1-2 s", "tolerance_s": 0.2},
        {
            "id": "mistaken",
            "question": "Which pier is named when they talk about the green ferry?",
            "answer": "8",
            "evidence": [2.5, 3],
        },
        {"id": "whole", "question": "Transcribe.", "answer": "The green ferry"},
        {"id": "unanswerable", "question": "Who speaks?", "answer": "Ann", "media": "mute.mp4"},
        {"id": "seen", "question": "Which colour is it?", "answer": "Green", "modality": "visual"},
    ]
    lines = [json.dumps(common | item) for item in questions]
    (media / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    arguments = ["recall", "--media", str(media), "--seconds", "12", "--work", str(tmp_path / "work"), "--json"]
    result = CliRunner().invoke(bench, arguments, obj=Session(), catch_exceptions=False)
    report = json.loads(result.stdout)
    asked = {item["id"]: item for item in report["asked"]}
    assert set(asked) == {"pier", "when", "mistaken"}
    assert report["left_out"] == {"whole": "asks about the whole clip (transcribe)"}
    assert (asked["pier"]["rank"], asked["pier"]["outcome"], asked["when"]["outcome"]) == (1, "held", "held")
    assert asked["pier"]["evidence"][0] > 1
    assert asked["mistaken"]["outcome"] == "wrong"
    assert report["total"]["held"]["count"] == report["by_modality"]["speech"]["held"]["count"] == 2
