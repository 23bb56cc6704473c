"""`bench clips --wordings`: questions are asked in other words and graded as themselves."""

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
from longtake.benchmarks.clips.rewordings import load_wordings
from longtake.console import Session
from longtake.errors import ConfigError, MediaError
from longtake.memory.records import Answer, Closest

SUBTITLES = """WEBVTT

00:00:01.000 --> 00:00:02.000
The green ferry leaves from pier nine.

00:00:02.500 --> 00:00:03.500
Tickets are sold in the bakery.
"""
KNOWN, FERRY = "clips/counter.mp4", "clips/ferry.mp4"


def question(name: str, text: str, gold: str, evidence: tuple[float, float], **changes: Any) -> dict[str, Any]:
    facts = {"id": name, "media": FERRY, "question": text, "answer": gold, "evidence": evidence}
    return facts | {"modality": "subtitle", "kind": "speech_content"} | changes


QUESTIONS = [
    question("pier", "From which pier does the green ferry leave?", "9", (1.0, 2.0)),
    question("hat", "What is the captain wearing?", "A hat", (0.0, 4.0), modality="visual", kind="detail"),
    question("sold", "Where are tickets sold?", "In the bakery", (0.0, 4.0), media=KNOWN),
    question("sea", "What is the name of the sea?", "Baltic", (1.0, 3.0)),
    question("gone", "What is said?", "Nothing", (0.0, 4.0), media="clips/gone.mp4", modality="speech"),
]
WORDINGS: list[dict[str, Any]] = [
    {"id": "pier", "variant": 1, "question": "Which pier does the green ferry leave from?", "by": "somebody"},
    {"id": "sold", "variant": "short", "question": "Where are the tickets sold?"},
    {"id": "pier", "variant": 2, "question": "The green ferry leaves from which pier?"},
    {"id": "hat", "variant": 1, "question": "Tell me what the captain wears."},
    {"id": "sea", "variant": 1, "question": "How is the sea called?"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("media")
    for clip, colour in ((FERRY, (90, 60, 30)), (KNOWN, (30, 60, 90))):
        path = folder / clip
        path.parent.mkdir(exist_ok=True)
        write_clip(path, [flat(colour)] * 100)
        path.with_suffix(".en.vtt").write_text(SUBTITLES, encoding="utf-8")
    write(folder / "questions.jsonl", QUESTIONS)
    write(folder / "wordings.jsonl", WORDINGS)
    return folder


def write(file: Path, items: Sequence[dict[str, Any]]) -> Path:
    file.write_text("".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8")
    return file


def run(folder: Path, *arguments: str) -> Result:
    given = ["clips", "--media", str(folder), "--wordings", str(folder / "wordings.jsonl"), *arguments]
    return CliRunner().invoke(bench, given, obj=Session(library=None), catch_exceptions=False)


class Doubting(Agent):
    """Answers as ever, but is not sure of the ferry, has no line to offer about the sea, and knows of no captain."""

    def ask(self, videos: Sequence[str], question: str, **given: Any) -> Answer:
        answer = super().ask(videos, question, **given)
        if "ferry" in question:
            text = "The green ferry leaves from pier nine." if "Which" in question else "Tickets are sold."
            line = Closest(text=text, start=1.0, end=2.0, modality="speech", video="v")
            return answer.model_copy(update={"status": "uncertain", "closest": (line,)})
        if "captain" in question:
            return answer.model_copy(update={"status": "abstained", "closest": ()})
        return answer.model_copy(update={"status": "uncertain", "closest": ()}) if "sea" in question else answer


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clips_run, "Agent", Doubting)
        result = run(folder, "--json")
    assert result.exit_code == 0
    whole: dict[str, Any] = json.loads(result.stdout)
    return whole


def test_only_the_rewordings_are_asked_and_in_their_order(report: dict[str, Any]) -> None:
    asked = [(item["id"], item["variant"], item["question"]) for item in report["answers"]]
    assert asked == [(item["id"], item["variant"], item["question"]) for item in WORDINGS]
    assert {item["gold"] for item in report["answers"] if item["id"] == "pier"} == {"9"}


def test_each_answer_says_what_was_offered(report: dict[str, Any]) -> None:
    right, sold, without, absent, _ = report["answers"]
    assert (right["outcome"], right["status"], right["closest_hold"]) == ("uncertain", "uncertain", True)
    line = {"text": "The green ferry leaves from pier nine.", "start": 1.0, "end": 2.0, "modality": "speech"}
    assert right["closest"] == [line]
    assert (without["outcome"], without["closest_hold"]) == ("uncertain", False)
    assert (sold["outcome"], sold["status"], sold["closest"]) == ("held", "answered", [])
    assert (absent["outcome"], absent["sources_right"]) == ("abstained", True)


def test_offers_are_counted_by_where_the_answer_lies(report: dict[str, Any]) -> None:
    sources = report["by_source"]
    assert {place: tally["n"] for place, tally in sources.items()} == {
        "said or written": 4,
        "sound": 0,
        "picture": 1,
        "all": 5,
    }
    offers = {name: share["count"] for name, share in sources["all"]["offers"].items()}
    assert offers == {
        "right": 1,
        "right among the closest": 1,
        "uncertain without": 2,
        "wrong and sure": 0,
        "partial": 0,
        "abstained": 1,
        "failed": 0,
    }
    share = sources["said or written"]["offers"]["right"]
    assert (share["count"], share["n"], share["share"]) == (1, 4, 0.25)
    assert 0 < share["low"] < 0.25 < share["high"] < 1


def test_nothing_offered_is_of_questions_with_something_in_scope(report: dict[str, Any]) -> None:
    assert {item["id"]: item["in_scope"] for item in report["answers"]} == {
        "pier": True,
        "sold": True,
        "hat": False,
        "sea": True,
    }
    nothing = report["by_source"]["all"]["nothing_offered"]
    assert (nothing["count"], nothing["n"]) == (1, 4)
    assert report["by_source"]["picture"]["nothing_offered"]["n"] == 0


def test_the_report_names_wordings_and_sources(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clips_run, "Agent", Doubting)
    result = run(folder, "--modality", "visual")
    assert "asking 1 of 1: hat wording 1" in result.stderr
    assert "by where the answer is\npicture (n=1)\n  right                    0 of 1 = 0%" in result.stdout
    assert "\n  nothing, though in scope none asked\n" in result.stdout
    assert "hat wording 1 abstained, visual detail: " in result.stdout
    assert "said or written" not in result.stdout


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", r"wordings\.jsonl, line 3 isn't a rewording: the line: Invalid JSON"),
        ('{"id": "pier", "question": "?"}', r"line 3 isn't a rewording: variant: Field required"),
        ('{"id": "pier", "variant": 1, "question": " "}', r"line 3 isn't a rewording: question: .* at least 1"),
        (
            '{"id": "peer", "variant": 1, "question": "?"}',
            r"line 3 rewords 'peer', which isn't in .*questions\.jsonl\.$",
        ),
    ],
)
def test_a_bad_line_is_named(folder: Path, tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "wordings.jsonl"
    file.write_text(f"{json.dumps(WORDINGS[0])}\n\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=problem):
        load_wordings(folder, file)


def test_only_clips_that_are_asked_about_have_to_be_there(folder: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "w.jsonl", [*WORDINGS, {"id": "gone", "variant": 1, "question": "What is told?"}])
    assert [item.id for item in load_wordings(folder, file, ["visual"])] == ["hat"]
    with pytest.raises(MediaError, match=r"gone\.mp4 is missing; question gone is about it"):
        load_wordings(folder, file)


def test_a_file_without_what_is_wanted_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"w\.jsonl has no question; it has: nothing\.$"):
        load_wordings(folder, write(tmp_path / "w.jsonl", []))
    with pytest.raises(ConfigError, match=r"has no question of modality audio; it has: subtitle, visual\.$"):
        load_wordings(folder, folder / "wordings.jsonl", ["audio"])
    with pytest.raises(MediaError, match=r"nowhere\.jsonl cannot be read: No such file or directory; give --wordings"):
        load_wordings(folder, tmp_path / "nowhere.jsonl")
    (tmp_path / "latin.jsonl").write_bytes("é".encode("latin-1"))
    with pytest.raises(MediaError, match=r"latin\.jsonl cannot be read: it isn't UTF-8 text"):
        load_wordings(folder, tmp_path / "latin.jsonl")
