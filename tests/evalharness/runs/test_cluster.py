"""An evaluation on a Ray cluster: what workers reply is what a run here would hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.eval_command import eval_
from helpers.media.small_video import write_small_video

from longtake.evalharness.items import Prediction
from longtake.evalharness.runs.run_folder import RunFolder

CARD = """
name: demo
file: questions.csv
videos: clips
fields: {id: number, question: question, options: [a, b, c], answer: right, video: clip}
format: choice
answer: letter
"""
QUESTIONS = """number,question,a,b,c,right,clip
q1,How much does the kettle cost?,12 dollars,249 dollars,9 dollars,B,talk
q2,What costs 249 dollars?,the violin,the harbour,the kettle,C,talk
q3,How much does the kettle cost?,249 dollars,1 dollar,9 dollars,A,again
"""
SUBJECTS = ("agent", "random")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    (tmp_path / "card.yaml").write_text(CARD)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    (tmp_path / "clips").mkdir()
    for name in ("talk", "again"):
        write_small_video(tmp_path / "clips" / f"{name}.mp4")
    return tmp_path


def _arguments(questions: Path, name: str, *options: str) -> list[str]:
    asked = [option for subject in SUBJECTS for option in ("--subject", subject)]
    return ["run", f"{questions / 'card.yaml'}", "--suite", "own", "--out", f"{questions / name}", *asked, *options]


def _predictions(run: Path) -> dict[tuple[str, str], Prediction]:
    return {(each.item, each.subject): each for each in RunFolder(run).predictions(print).values()}


@pytest.mark.nightly
def test_a_cluster_replies_as_this_process_does(questions: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    assert eval_(*_arguments(questions, "here"), settings=("--library", questions / "library"))[0] == 0
    # In a process of its own, since `--offline` can't be taken back.
    command = [sys.executable, "-m", "longtake", "--library", f"{questions / 'another'}", "--offline", "eval"]
    subprocess.run([*command, *_arguments(questions, "there", "--executor", "ray")], check=True)
    here, there = _predictions(questions / "here"), _predictions(questions / "there")
    assert len(there) == 6
    for key, prediction in there.items():
        reply, same = prediction.replies[0], here[key].replies[0]
        assert (reply.text, reply.choice, reply.status) == (same.text, same.choice, same.status)


@pytest.mark.parametrize("options", [("--executor", "rey"), ("--executor", "ray", "--at-once", "2")])
def test_what_a_cluster_cannot_do_is_refused(questions: Path, options: tuple[str, ...]) -> None:
    code, _, said = eval_(
        "run", questions / "card.yaml", "--suite", "own", "--out", questions / "run", "--subject", "random", *options
    )
    assert (code, said.count("\n")) == (1, 1)
    assert not (questions / "run").exists()
