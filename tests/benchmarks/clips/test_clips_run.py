"""`bench clips`: a folder of clips and questions is indexed, asked and graded; rewordings are asked instead."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import flat, write_clip
from typer.testing import CliRunner, Result

from longtake.agent.graph.agent import Agent
from longtake.benchmarks.cli import bench
from longtake.benchmarks.clips import clips_run
from longtake.benchmarks.clips.clip_questions import load_questions
from longtake.console import Session
from longtake.errors import ConfigError, MediaError
from longtake.memory.records import Answer, Closest

SUBTITLES = """WEBVTT

00:00:01.000 --> 00:00:02.000
The green ferry leaves from pier nine.

00:00:02.500 --> 00:00:03.500
Tickets are sold in the bakery.

00:00:03.600 --> 00:00:04.000
Bring a coat.
"""
FERRY = "Which pier is named when they talk about the green ferry?"


def question(name: str, text: str, gold: str, evidence: tuple[float, float], **changes: Any) -> dict[str, Any]:
    facts = {"id": name, "media": "clips/ferry.mp4", "question": text, "answer": gold, "evidence": evidence}
    return facts | {"modality": "subtitle", "kind": "speech_content", "how_known": "made so"} | changes


QUESTIONS = [
    question("right", "From which pier do they say the green ferry leaves?", "9 (the ninth)", (1.0, 2.0)),
    question("when", 'When is "Tickets are sold" said?', "2.5-3.5 s", (2.5, 3.5), tolerance_s=0.1),
    question("mistaken", FERRY, "19", (3.6, 4.0), modality="speech"),
    question("absent", "What is the captain wearing?", "A hat", (0.0, 4.0), modality="visual", kind="detail"),
    question("broken", "What is said?", "Nothing", (0.0, 1.0), modality="speech", media="clips/broken.mp4"),
]
WORDINGS: list[dict[str, Any]] = [
    {"id": "right", "variant": 1, "question": "Which pier does the green ferry leave from?", "by": "somebody"},
    {"id": "absent", "variant": "short", "question": "What does the captain wear?"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("media")
    (folder / "clips").mkdir()
    write_clip(folder / "clips" / "ferry.mp4", [flat((90, 60, 30))] * 100)
    (folder / "clips" / "ferry.en.vtt").write_text(SUBTITLES, encoding="utf-8")
    (folder / "clips" / "broken.mp4").write_bytes(b"no video at all")
    write(folder / "questions.jsonl", QUESTIONS)
    write(folder / "wordings.jsonl", WORDINGS)
    return folder


def write(file: Path, items: Sequence[dict[str, Any]]) -> Path:
    file.write_text("".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8")
    return file


def run(folder: Path, *arguments: str) -> Result:
    given = ["clips", "--media", str(folder), *arguments]
    return CliRunner().invoke(bench, given, obj=Session(), catch_exceptions=False)


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    result = run(folder, "--json")
    assert result.exit_code == 0
    return dict(json.loads(result.stdout))


def test_each_question_has_its_outcome(report: dict[str, Any]) -> None:
    outcomes = {item["question"]["id"]: item["outcome"] for item in report["answers"]}
    assert outcomes.pop("absent") in ("abstained", "uncertain")
    assert outcomes == {"right": "held", "when": "held", "mistaken": "wrong", "broken": "failed"}
    assert "broken.mp4" in report["answers"][-1]["answer"]["error"]


def test_outcomes_are_counted_by_modality_and_kind(report: dict[str, Any]) -> None:
    tallies = report["by_modality"]
    assert {name: tally["n"] for name, tally in tallies.items()} == {"all": 5, "speech": 2, "subtitle": 2, "visual": 1}
    total = tallies["all"]
    assert (total["held"]["count"], total["held"]["n"], total["others"]["failed"]) == (2, 5, 1)
    assert (tallies["speech"]["wrong"]["count"], tallies["subtitle"]["wrong"]["count"]) == (1, 0)
    assert {kind: tally["n"] for kind, tally in report["by_kind"].items()} == {"detail": 1, "speech_content": 4}


def test_rewordings_are_asked_instead_and_graded_as_the_question(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Doubting(Agent):
        """Isn't sure of the ferry, and mistaken about the captain."""

        def ask(self, videos: Sequence[str], question: str, **given: Any) -> Answer:
            if "ferry" not in question:
                return Answer(question=question, status="answered", answer="A scarf.")
            text = "The green ferry leaves from pier nine."
            line = Closest(text=text, start=1.0, end=2.0, modality="speech", video="v")
            return Answer(question=question, status="uncertain", answer=text, closest=(line,))

    monkeypatch.setattr(clips_run, "Agent", Doubting)
    wordings = ("--wordings", str(folder / "wordings.jsonl"))
    ferry, captain = json.loads(run(folder, *wordings, "--json").stdout)["answers"]
    asked = ferry["question"]
    assert (asked["id"], asked["variant"], asked["question"]) == ("right", 1, WORDINGS[0]["question"])
    assert (asked["answer"], ferry["outcome"], ferry["closest_hold"]) == ("9 (the ninth)", "uncertain", True)
    assert (captain["outcome"], captain["closest_hold"]) == ("wrong", False)
    shown = run(folder, *wordings).stdout
    assert "absent wording short (clips/ferry.mp4)" in shown
    assert "gold    A hat" in shown
    assert "answer  A scarf." in shown


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"id": "a"}, r"line 2: media"),
        (question("a", "?", "b", (1.0, 2.0), tolerance_s=-1), r"line 2: tolerance_s"),
        (question("a", "?", "b", (5.0, 2.0)), r"line 2: evidence"),
    ],
)
def test_a_bad_question_is_named(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    write(tmp_path / "questions.jsonl", [QUESTIONS[0], line])
    with pytest.raises(ConfigError, match=problem):
        load_questions(tmp_path)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"id": "right", "question": "?"}, r"line 1: variant"),
        ({"id": "right", "variant": 1, "question": " "}, r"line 1: question"),
        (
            {"id": "peer", "variant": 1, "question": "?"},
            r"wordings\.jsonl rewords 'peer', which isn't in .*questions\.jsonl\.$",
        ),
    ],
)
def test_a_bad_rewording_is_named(folder: Path, tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        load_questions(folder, write(tmp_path / "wordings.jsonl", [line]))


def test_what_is_missing_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere/questions\.jsonl is missing or empty"):
        load_questions(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"w\.jsonl is missing or empty"):
        load_questions(folder, write(tmp_path / "w.jsonl", []))
    write(tmp_path / "questions.jsonl", QUESTIONS[:1])
    with pytest.raises(MediaError, match=r"ferry\.mp4 is missing; question right is about it"):
        load_questions(tmp_path)
