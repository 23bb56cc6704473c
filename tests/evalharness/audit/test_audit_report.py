"""The tables and the page of audits, from runs whose figures are known."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from helpers.audits import write_audit, write_votes
from helpers.command import longtake

from longtake.evalharness.audit.audit_state import audit_state
from longtake.evalharness.audit.audit_tables import audit_grids
from longtake.evalharness.reports.grid import Grid
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.scoring.estimates import Estimate

OTHERWISE = {"m": 0, "n": 1, "o": 3, "bag-of-frames:e": 0}


@pytest.fixture
def runs(tmp_path: Path) -> list[RunFolder]:
    """Two audits with the same models: of eight items and of two."""
    right = {
        **{("blind", model): "ab" for model in "mno"},
        ("blind", "m"): "abc",
        **{("standard", model): "abcd" for model in "mno"},
        ("bag-of-frames", "bag-of-frames:e"): "bf",
    }
    one = write_audit(tmp_path / "one", "abcdefgh", right, OTHERWISE)
    other = write_audit(tmp_path / "other", "ab", {("blind", "m"): "", ("standard", "m"): "a"}, OTHERWISE)
    write_votes(one, "abcdefgh", {"v": dict.fromkeys("cdefgh", 2) | {"c": 0}})
    return [one, other]


def table(grids: list[Grid], title: str) -> list[list[str]]:
    [grid] = [each for each in grids if each.title == title]
    return [[_text(cell) for cell in row] for row in grid.rows]


def _text(cell: str | Estimate) -> str:
    return cell if isinstance(cell, str) else "none" if cell.value is None else f"{cell.value:.1f}"


def test_the_tables_of_two_audits_and_both_together(runs: list[RunFolder]) -> None:
    grids = list(audit_grids([audit_state(run, print) for run in runs]))
    # One encoder is all that bag of frames has, so it alone flags at every level.
    assert [row[1] for row in table(grids, "Shortcuts by consensus")] == ["4", "3", "3", "0", "0", "0", "4", "3", "3"]
    assert table(grids, "Shortcuts by consensus")[8][2] == "30.0"
    assert table(grids, "Shortcuts by test") == [["blind", "2", "1", "50.0"], ["bag-of-frames", "2", "1", "50.0"]]
    before = table(grids, "Before and after")
    assert [row[:4] for row in before] == [
        ["own", "8", "5", "37.5"],
        ["own", "2", "2", "0.0"],
        ["total", "10", "7", "30.0"],
    ]
    assert [before[0][place] for place in (4, 7, 8)] == ["10.0", "50.0", "40.0"]  # of m: a to d of 8, c and d of 5
    assert table(grids, "Accuracy: blind")[0] == ["own", "37.5", "25.0", "25.0", "25.0"]
    assert table(grids, "Accuracy: bag-of-frames")[2] == ["total", "20.0", "25.0"]
    assert table(grids, "Overlap of tests")[0] == ["blind", "100 / 100", "50 / 33"]
    assert table(grids, "Shortcuts that are solved with the whole video")[0] == ["m", "100.0", "50.0"]
    assert table(grids, "Remaining items by category")[0] == ["own", "1", "0", "4", "0", "0", "5"]
    assert table(grids, "Accuracy by category")[0][1:] == ["100.0", "none", "25.0", "none", "none", "40.0"]


def test_oracles_stand_beside_the_whole_video_and_beside_guessing(tmp_path: Path) -> None:
    right = {
        **{("blind", model): "ab" for model in "mno"},
        **dict.fromkeys([("standard", "m"), ("standard", "n")], "abc"),
        ("standard", "o"): "def",
        ("grounded", "m"): "abcde",
    }
    state = audit_state(
        write_audit(tmp_path / "run", "abcdefgh", right, {"m": 0, "n": 1, "o": 3}, spanned="abdeh"), print
    )
    assert state.scores.grounded["m"].model_dump() == {"items": 5, "whole": 0.4, "spans": 0.8}
    assert state.scores.either["m or o"].value == pytest.approx(6 / 8)
    assert state.scores.either["m or n"].floor == pytest.approx(1 - 0.75**2)
    grids = list(audit_grids([state]))
    # Of the items with a span, d, e and h remain, and a and b are shortcuts.
    assert table(grids, "Oracle of temporal grounding")[:2] == [
        ["m", "0.0", "100.0"],
        ["m, spans only", "66.7", "100.0"],
    ]
    assert table(grids, "Oracle of two models") == [
        ["m or n", "16.7", "43.8"],
        ["m or o", "66.7", "43.8"],
        ["n or o", "66.7", "43.8"],
    ]


def test_a_report_is_a_page_a_text_and_tables(runs: list[RunFolder], tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = longtake("eval", "audit", "report", *(run.path for run in runs), "--out", out)
    assert done.code == 0, done.stderr
    assert "<svg" in (out / "audit.html").read_text()
    assert "| total | 10 | 7 | 30.0 |" in (out / "audit.md").read_text()
    rows = list(csv.DictReader((out / "tables" / "before-and-after.csv").read_text().splitlines()))
    assert rows[2]["remaining"] == "7"
    assert len(done.stdout.splitlines()) == 2 + len(list((out / "tables").iterdir()))
