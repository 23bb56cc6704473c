"""An audit from the command line, with baselines as models: guessing finds as many shortcuts as the floor says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from helpers.command import longtake

TEXTS = ("red", "green", "blue", "yellow")


def benchmark(folder: Path, count: int) -> Path:
    """Questions whose right option is always the longest for the first half."""
    rows = []
    for number in range(count):
        gold = number % 4
        options = [f"{text} as ever" if at == gold and number < count // 2 else text for at, text in enumerate(TEXTS)]
        rows.append(
            {"question": f"Question {number}?", "options": options, "answer": "ABCD"[gold], "video": f"v{number}"}
        )
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fields = {"question": "question", "options": "options", "answer": "answer", "video": "video"}
    card = {"name": "colours", "file": "questions.jsonl", "fields": fields}
    (folder / "card.yaml").write_text(yaml.safe_dump(card), encoding="utf-8")
    return folder / "card.yaml"


@pytest.mark.slow
def test_an_audit_finds_what_a_baseline_solves_blind(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 200)
    made = longtake("eval", "audit", card, "--model", "longest", "--no-parts", "--out", tmp_path / "run")
    assert made.code == 0, made.stderr
    scores = json.loads(longtake("eval", "audit", "score", tmp_path / "run", "--json").stdout)
    flagged = set(scores["shortcuts"]["flagged"])
    assert {str(number + 1) for number in range(100)} <= flagged
    assert scores["accuracy"]["blind"]["longest"] >= 0.5
    # One model that guesses in five tests flags 76 % of four options.
    assert scores["shortcuts"]["consensus"]["1"]["floor"] == pytest.approx(1 - 0.75**5)
    guessed = tmp_path / "guessed"
    longtake("eval", "audit", "run", card, "--model", "random", "--no-parts", "--out", guessed)
    floor = json.loads(longtake("eval", "audit", "score", guessed, "--json").stdout)["shortcuts"]["consensus"]["1"]
    assert floor["value"] == pytest.approx(floor["floor"], abs=0.1)
    shown = longtake("eval", "audit", "score", tmp_path / "run").stdout
    assert "guessing alone" in shown


def test_what_cannot_be_audited_is_one_sentence(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 4)
    wrong = longtake("eval", "audit", "run", card, "--model", "random", "--test", "deaf", "--out", tmp_path / "run")
    assert (wrong.code, "blind" in wrong.stderr) == (1, True)
    longtake("eval", "run", card, "--suite", "own", "--subject", "random", "--out", tmp_path / "plain")
    other = longtake("eval", "audit", "score", tmp_path / "plain")
    assert (other.code, "isn't an audit" in other.stderr) == (1, True)
