"""Subjects of several runs, ranked where they were asked the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.eval_command import eval_

from longtake.evalharness.items import Variant
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.scoring.choice_scores import ChoiceScores
from longtake.evalharness.suites import suite_table
from longtake.evalharness.suites.own_set import score_own_set
from longtake.plugins import Table

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
    rows = [(row["subject"], round(row["headline"]["value"], 1), row["errors"]["count"]) for row in ranking["entries"]]
    assert rows == [("sharp", 66.7, 1), ("middling", 33.3, 0), ("dull", 0.0, 0)]
    first = ranking["entries"][0]
    assert (first["items"], first["seconds"], first["run"]) == (6, 3.0, str(one.path))
    assert f"| 2 | middling | {other.path} | 33.3 | 6 | 0 of 6 | 0 | 0 | 3.0 |" in board.read_text()
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


def test_a_withheld_headline_is_not_ranked_and_leads_nothing(rubric: Write) -> None:
    """Of 8 criteria 1 has no verdict, 12.5 %: the agent would have 7 of 8 points, 87.5."""
    run = rubric((True, True), (True, True), (True, True), (True, None)).path
    why = "isn't ranked: 1 of 8 verdicts are missing (12.5 %), and more than 1 % is too much for one."
    _, board, _ = eval_("leaderboard", run)
    title, _, row, reason = board.splitlines()
    assert title.startswith("longshot (repo), 4 items")
    assert (row.split()[:2], row.split()[3:]) == (["-", "agent"], ["none", "4", "0", "of", "4", "0", "0", "4.0"])
    assert reason == f"agent of {run} {why}"
    _, report, _ = eval_("report", run)
    assert report.splitlines()[:2] == ["No subject has a score to be ranked by.", f"agent {why}"]


def test_tests_that_are_not_pooled_are_ranked_one_by_one(choices: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: `when` is the items 0, 2 and 4, `who` 1, 3 and 5. Sharp has 2 and 2 of 3, dull 2 and 0 of 3."""
    own = replace(suite_table.SUITES["own"], score=_by_task)
    table = Table("suites", {**suite_table.SUITES, "own": own}, lambda name, declared: declared)
    monkeypatch.setattr(suite_table, "SUITES", table)
    sharp = ["right"] * 4 + ["abstains", "fails"]
    run = choices({"sharp": sharp, "dull": ["right", "wrong", "right", "wrong", "wrong", "wrong"]}).path
    _, board, _ = eval_("leaderboard", run)
    lines = [line.split() for line in board.splitlines()]
    assert [line[-1] for line in lines if "set" in line] == ["when", "who", "tests"]
    rows = [[line[0], line[1], line[3]] for line in lines if line[0] in "12-"]
    assert rows == [["1", "dull", "66.7"], ["2", "sharp", "66.7"], ["1", "sharp", "66.7"], ["2", "dull", "0.0"]]
    _, report, _ = eval_("report", run)
    assert report.splitlines()[:2] == [
        "when: sharp and dull lead, level at 66.7.",
        "who: sharp leads with 66.7, 66.7 points ahead of dull (0.0).",
    ]
    table = (run / "report.md").read_text()
    assert "## Headline scores, one for each test" in table
    assert "| who | 66.7 | 0.0 |" in table


def _by_task(run: suite_table.Scored, _: object) -> ChoiceScores:
    """The scores of an own set with a headline for each task, and none of all."""
    found = score_own_set(run.items, run.variants, run.predictions, run.judgements)
    return found.model_copy(update={"headline": None, "headlines": found.groups["task"]})


@pytest.mark.parametrize(
    ("arguments", "reported"), [(("nowhere",), "run.json"), (("x", "--out", "x.csv"), "end in .md")]
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], reported: str) -> None:
    code, _, said = eval_("leaderboard", *arguments)
    assert (code, reported in said) == (1, True)
