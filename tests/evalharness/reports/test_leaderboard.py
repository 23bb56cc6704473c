"""Subjects of several runs, ranked where they were asked the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.eval_command import eval_

from longtake.evalharness.items import Variant
from longtake.evalharness.runs.run_folder import RunFolder

Write = Callable[..., RunFolder]


def ranked(*arguments: object) -> list[dict[str, Any]]:
    code, said, _ = eval_("leaderboard", *arguments, "--json")
    assert code == 0
    rankings: list[dict[str, Any]] = json.loads(said)["rankings"]
    return rankings


def test_subjects_of_several_runs_are_ranked_by_their_score(choices: Write, tmp_path: Path) -> None:
    one = choices({"sharp": ["right"] * 4 + ["wrong", "fails"], "dull": ["wrong"] * 6}, name="one")
    other = choices({"middling": ["right"] * 2 + ["wrong"] * 4}, name="other")
    board = tmp_path / "board.md"
    [ranking] = ranked(one.path, other.path, "--out", board)
    rows = [(row["subject"], round(row["headline"]["value"], 1), row["errors"]) for row in ranking["entries"]]
    assert rows == [("sharp", 66.7, 1), ("middling", 33.3, 0), ("dull", 0.0, 0)]
    first = ranking["entries"][0]
    assert (first["items"], first["seconds"], first["run"]) == (6, 3.0, str(one.path))
    assert f"| 2 | middling | {other.path} | 33.3 | 6 | 0 | 0 | 3.0 |" in board.read_text()
    _, said, _ = eval_("leaderboard", one.path, other.path)
    assert [line.split()[:2] for line in said.splitlines()[2:]] == [["1", "sharp"], ["2", "middling"], ["3", "dull"]]


def test_other_items_and_other_ways_of_asking_are_ranked_apart(choices: Write) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))
    whole = choices({"sharp": ["right"] * 6}, name="whole")
    turned = choices({"sharp": ["right"] * 6}, name="turned", variants=orders)
    fewer = choices({"sharp": ["right"] * 6}, name="fewer")
    lines = fewer.items_file.read_text().splitlines(keepends=True)
    fewer.items_file.write_text("".join(lines[:5]))
    rankings = ranked(whole.path, turned.path, fewer.path)
    assert sorted((ranking["items"], len(ranking["entries"])) for ranking in rankings) == [(5, 1), (6, 1), (6, 1)]
    assert len({ranking["item_set"] for ranking in rankings}) == 3


def test_runs_whose_videos_lie_elsewhere_are_ranked_together(choices: Write) -> None:
    runs = [choices({"sharp": ["right"] * 6}, name=name) for name in ("here", "there")]
    moved = runs[1].items_file.read_text().replace("colours.mp4", "moved.mp4")
    runs[1].items_file.write_text(moved)
    assert [len(ranking["entries"]) for ranking in ranked(*(run.path for run in runs))] == [2]


@pytest.mark.parametrize(
    ("arguments", "reported"), [(("nowhere",), "run.json"), (("x", "--out", "x.csv"), "end in .md")]
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], reported: str) -> None:
    code, _, said = eval_("leaderboard", *arguments)
    assert (code, reported in said) == (1, True)
