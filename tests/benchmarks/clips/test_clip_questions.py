"""`bench clips`: a folder of clips and questions is indexed, asked and graded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import flat, write_clip
from typer.testing import CliRunner, Result

from longtake.benchmarks.cli import bench
from longtake.benchmarks.clips.clip_questions import load_questions
from longtake.console import Session
from longtake.errors import ConfigError, MediaError

SUBTITLES = """WEBVTT

00:00:01.000 --> 00:00:02.000
The green ferry leaves from pier nine.

00:00:02.500 --> 00:00:03.500
Tickets are sold in the bakery.

00:00:03.600 --> 00:00:04.000
Bring a coat.
"""

UNANSWERED = ("abstained", "uncertain")


def question(name: str, text: str, gold: str, evidence: tuple[float, float], **changes: Any) -> dict[str, Any]:
    facts = {"id": name, "media": "clips/ferry.mp4", "question": text, "answer": gold, "evidence": evidence}
    return facts | {"modality": "subtitle", "kind": "speech_content", "how_known": "made so"} | changes


QUESTIONS = [
    question("right", "From which pier do they say the green ferry leaves?", "9 (the ninth)", (1.0, 2.0)),
    question("when", 'When is "Tickets are sold" said?', "2.5-3.5 s", (2.5, 3.5), tolerance_s=0.1),
    question(
        "mistaken", "Which pier is named when they talk about the green ferry?", "19", (3.6, 4.0), modality="speech"
    ),
    question("absent", "What is the captain wearing?", "A hat", (0.0, 4.0), modality="visual", kind="detail"),
    question("broken", "What is said?", "Nothing", (0.0, 1.0), modality="speech", media="clips/broken.mp4"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("media")
    (folder / "clips").mkdir()
    write_clip(folder / "clips" / "ferry.mp4", [flat((90, 60, 30))] * 100)
    (folder / "clips" / "ferry.en.vtt").write_text(SUBTITLES, encoding="utf-8")
    (folder / "clips" / "broken.mp4").write_bytes(b"no video at all")
    write_questions(folder, QUESTIONS)
    return folder


def write_questions(folder: Path, questions: list[dict[str, Any]]) -> None:
    lines = [json.dumps(item) for item in questions]
    (folder / "questions.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")


def run(library: Path | None, *arguments: str) -> Result:
    return CliRunner().invoke(bench, ["clips", *arguments], obj=Session(library=library), catch_exceptions=False)


@pytest.fixture(scope="module")
def report(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    result = run(tmp_path_factory.mktemp("library"), "--media", str(folder), "--json")
    assert result.exit_code == 0
    whole: dict[str, Any] = json.loads(result.stdout)
    return whole


def test_each_question_has_its_outcome(report: dict[str, Any]) -> None:
    outcomes = {item["id"]: item["outcome"] for item in report["answers"]}
    assert outcomes.pop("absent") in UNANSWERED
    assert outcomes == {"right": "held", "when": "held", "mistaken": "wrong", "broken": "failed"}
    assert "broken.mp4" in next(item["error"] for item in report["answers"] if item["id"] == "broken")


def test_outcomes_are_counted_with_intervals(report: dict[str, Any]) -> None:
    held = report["total"]["outcomes"]["held"]
    assert (held["count"], held["n"], held["share"]) == (2, 5, 0.4)
    assert 0 < held["low"] < 0.4 < held["high"] < 1
    assert report["by_modality"]["subtitle"]["outcomes"]["held"]["count"] == 2
    assert report["by_modality"]["speech"]["n"] == 2


def test_evidence_hit_is_of_answered_questions(report: dict[str, Any]) -> None:
    hits = {item["id"]: item["evidence_hit"] for item in report["answers"]}
    assert hits == {"right": True, "when": True, "mistaken": False, "absent": False, "broken": False}
    assert (report["total"]["evidence_hit"]["count"], report["total"]["evidence_hit"]["n"]) == (2, 3)


def test_kinds_are_tallied_like_modalities(report: dict[str, Any]) -> None:
    kinds = report["by_kind"]
    assert {kind: tally["n"] for kind, tally in kinds.items()} == {"detail": 1, "speech_content": 4}
    assert sum(kinds["detail"]["outcomes"][name]["count"] for name in UNANSWERED) == 1
    assert set(kinds["detail"]) == set(report["total"])


def test_wrong_with_confidence_is_reported_of_all_and_of_those_answered(report: dict[str, Any]) -> None:
    of_all, of_answered = report["total"]["outcomes"]["wrong"], report["total"]["wrong_of_answered"]
    assert (of_all["count"], of_all["n"]) == (1, 5)
    assert (of_answered["count"], of_answered["n"]) == (1, 3)
    assert 0 < of_answered["low"] < of_answered["share"] < of_answered["high"] < 1


def test_rounds_and_calls_are_means_over_all_and_over_those_answered(report: dict[str, Any]) -> None:
    items = report["answers"]
    answered = [item for item in items if item["outcome"] in ("held", "wrong")]
    for name, group in (("spent", items), ("spent_on_answered", answered)):
        spent = report["total"][name]
        assert spent["n"] == len(group)
        assert spent["rounds"] == round(sum(item["rounds"] for item in group) / len(group), 2) > 0
        assert spent["tool_calls"] == round(sum(item["tool_calls"] for item in group) / len(group), 2)
    assert [item["rounds"] for item in items if item["outcome"] == "failed"] == [0]
    assert report["by_kind"]["detail"]["spent_on_answered"] == {"n": 0, "rounds": None, "tool_calls": None}


def test_what_was_lacking_is_reported_for_wrong_and_abstained_questions(report: dict[str, Any]) -> None:
    groups = {item["id"]: item["needed"] and item["needed"]["group"] for item in report["answers"]}
    assert groups == {
        "right": None,
        "when": None,
        "mistaken": "looked there, not recognised",
        "absent": "no engine here",
        "broken": None,
    }


def test_wrong_answers_are_listed_and_are_no_failure(folder: Path) -> None:
    result = run(None, "--media", str(folder), "--modality", "speech")
    assert result.exit_code == 0
    assert "all (n=2)" in result.stdout
    assert "wrong mistaken (clips/ferry.mp4)" in result.stdout
    assert "gold    19" in result.stdout
    assert "pier nine" in result.stdout
    assert "failed broken" in result.stdout
    assert "indexing 1 of 2: clips/broken.mp4" in result.stderr


def test_what_was_lacking_is_a_line_a_question_by_group(folder: Path) -> None:
    shown = run(None, "--media", str(folder), "--modality", "visual").stdout
    assert "not answered right, by what was lacking (n=1)" in shown
    assert "  no engine here               1\n" in shown
    assert re.search(
        rf"^absent (?:{'|'.join(UNANSWERED)}), visual detail: "
        r"no engine here \(not available: .*captions, visual_question\); called: ",
        shown,
        re.MULTILINE,
    )
    assert re.search(r"^not available: captions: .*captions\.base_url", shown, re.MULTILINE)
    assert re.search(rf"^  detail {{24}}1 (?:{'|'.join(UNANSWERED)})$", shown, re.MULTILINE)


def test_only_questions_of_the_modalities_asked_for(folder: Path) -> None:
    assert [item.id for item in load_questions(folder, ["subtitle"])] == ["right", "when"]
    assert len(load_questions(folder)) == len(QUESTIONS)


def test_unknown_modality_names_those_there_are(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"no question of modality smell; it has: speech, subtitle, visual\."):
        load_questions(folder, ["subtitle", "smell"])


def test_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"nowhere/questions\.jsonl cannot be read: No such file"):
        load_questions(tmp_path / "nowhere")


def test_missing_clip_names_its_question(tmp_path: Path) -> None:
    write_questions(tmp_path, QUESTIONS[:1])
    with pytest.raises(MediaError, match=r"ferry\.mp4 is missing; question right is about it"):
        load_questions(tmp_path)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "a"}', r"line 2 isn't a question: media: Field required"),
        ("{", r"line 2 isn't a question: the line: Invalid JSON"),
        (json.dumps(question("a", "?", "b", (1.0, 2.0), tolerance_s=-1)), r"line 2 .* tolerance_s: .* greater"),
        (json.dumps(question("a", "?", "b", (5.0, 2.0))), r"line 2 isn't a question: evidence: .* 0 <= start <= end"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "questions.jsonl").write_text(f"{json.dumps(QUESTIONS[0])}\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=problem):
        load_questions(tmp_path)
