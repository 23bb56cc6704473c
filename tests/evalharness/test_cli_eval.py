"""`longtake eval`, from a file of questions to scores, and from another evaluator's output."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from longtake.cli import app
from longtake.console import EXIT_PARTIAL
from longtake.preprocess.workspace import Workspace

CARD = """
name: demo
file: questions.csv
videos: clips
fields: {id: number, question: question, options: [a, b, c], answer: right, video: clip}
format: choice
answer: letter
"""
QUESTIONS = """number,question,a,b,c,right,clip
q1,Which phone extension is given?,1234,4417,9999,B,demo
q2,On which day is the lecture?,,,,B,demo
q3,Which phone extension is given?,4417,one that is not given at all,9999,A,demo
"""


def eval_(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["eval", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    (tmp_path / "card.yaml").write_text(CARD)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    (tmp_path / "clips").mkdir()
    return tmp_path


def scores(run: Path, *options: str) -> dict[str, Any]:
    code, told, _ = eval_("score", run, *options, "--json")
    assert code == 0
    read: dict[str, Any] = json.loads(told)
    return read


def test_a_set_is_asked_judged_and_scored_and_goes_on_where_it_was(questions: Path) -> None:
    run = questions / "run"
    asked = (
        "run",
        questions / "card.yaml",
        "--suite",
        "own",
        "--out",
        run,
        "--subject",
        "longest",
        "--subject",
        "random",
    )
    code, told, remarks = eval_(*asked)
    assert code == EXIT_PARTIAL
    assert "line 3" in remarks
    assert told.startswith("4 predictions made, 0 there before, 0 errors")
    assert eval_(*asked)[1].startswith("0 predictions made, 4 there before")
    assert eval_("judge", run)[0] == 0
    longest = scores(run)["longest"]
    assert longest["headline"]["value"] == 0.0
    assert longest["errors"] == {"count": 0, "n": 2}


def test_the_agent_is_asked_like_any_other(questions: Path, demo_workspace: Workspace) -> None:
    shutil.copytree(demo_workspace.library.root / "demo", questions / "clips", dirs_exist_ok=True)
    run = questions / "run"
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", "agent", "--limit", 1)
    result = CliRunner().invoke(app, ["--library", str(demo_workspace.library.root), "eval", *map(str, asked)])
    assert result.stdout.startswith("1 prediction made, 0 there before, 0 errors")
    assert scores(run)["headline"]["value"] == 100.0


def test_what_another_evaluator_wrote_is_scored(tmp_path: Path) -> None:
    criteria = [
        {
            "name": name,
            "description": name,
            "category": kind,
            "weight": weight,
            "is_penalty": weight < 0,
            "criteria_met": met,
        }
        for name, kind, weight, met in [
            ("says the price", "high_priority", 5, True),
            ("says the day", "medium_priority", 3, False),
            ("contradiction", "penalty", -5, False),
        ]
    ]
    turns = [
        {"role": "user", "content": "What does it cost?", "difficulty": 1, "modalities": ["speech"]},
        {"role": "assistant", "content": "5", "criteria": criteria, "candidate_response": "It costs 5."},
    ]
    sample = {"sample_id": "sample_1", "video_id": "v", "duration": 100, "sample_type": "single_turn"}
    file = tmp_path / "model_eval.jsonl"
    file.write_text(json.dumps(sample | {"task": "information_retrieval", "conversations": turns}) + "\n")
    assert eval_("import", file, "--suite", "longshot", "--out", tmp_path / "run")[0] == 0
    assert scores(tmp_path / "run")["overall"]["value"] == 62.5
    assert scores(tmp_path / "run", "--variant", "signed")["overall"]["value"] == 0.0
    assert {"overall", "categories", "tasks", "errors", "unjudged"} <= scores(tmp_path / "run").keys()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("score", "nowhere"), "holds no run"),
        (("run", "card.yaml", "--suite", "longshoot", "--out", "run", "--subject", "agent"), "There is no suite"),
        (("import", "x.jsonl", "--suite", "moment-video", "--out", "run"), "Nothing of 'moment-video' can be imported"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["eval", *(str(tmp_path / each) if "." in each else each for each in arguments)])
    assert result.exit_code != 0
    assert told in str(result.exception)
