"""The tables and the page of audits, from runs whose figures are known."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from helpers.audits import write_audit, write_votes
from helpers.command import longtake
from helpers.data.published import TABLES

from longtake.evalharness.audit.audit_report import audit_grids, shortcut_plot
from longtake.evalharness.audit.audit_state import audit_state
from longtake.evalharness.reports.grid import Grid
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.scoring.estimates import Estimate

MODELS = {"m": 0, "n": 1, "o": 3}
OTHERWISE = {**MODELS, "bag-of-frames:e": 0}


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
    assert table(grids, "Accuracy: blind")[0] == ["own", "8", "37.5", "25.0", "25.0", "25.0"]
    assert table(grids, "Accuracy: bag-of-frames")[2] == ["total", "10", "20.0", "25.0"]
    assert table(grids, "Overlap of tests")[0] == ["blind", "100.0 / 100.0", "50.0 / 33.3"]
    assert table(grids, "Shortcuts that are solved with the whole video")[0] == ["m", "yes", "100.0", "50.0"]
    assert table(grids, "Remaining items by category")[0] == ["own", "1", "0", "4", "0", "0", "5"]
    assert table(grids, "Accuracy by category")[0][1:] == ["100.0", "-", "25.0", "-", "-", "40.0"]


def test_accuracies_stand_over_what_is_removed_beside_the_papers(runs: list[RunFolder]) -> None:
    """3 of 8 items go, of which m has 4 right; 0 of 2 go, with 1 right. r of Table S3 is worked out from its sums."""
    plot = shortcut_plot([audit_state(run, print) for run in runs])
    assert plot
    ours = [(point.place, point.score.value) for point in plot.points if plot.series[point.series] == "m"]
    assert ours == [(37.5, 50.0), (0.0, 50.0)]
    printed = {point.name: (point.place, point.score.value) for point in plot.points if point.series == 0}
    assert printed == {
        name: (float(row["removed"]), float(row["accuracy_original"]))
        for name, row in TABLES["oasis_s3"].items()
        if name != "Total"
    }
    x, y = zip(*printed.values(), strict=True)
    products = sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y) / 14
    squares = [sum(a * a for a in side) - sum(side) ** 2 / 14 for side in (x, y)]
    assert f"Table S3 {products / (squares[0] * squares[1]) ** 0.5:.2f}" in plot.grid.caption


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


def test_what_remains_is_not_what_all_models_get_wrong(tmp_path: Path) -> None:
    right = {
        **{("center-frame", model): "ab" for model in "mn"},
        ("standard", "m"): "abc",
        ("standard", "n"): "abd",
        ("standard", "o"): "efgh",
    }
    named = ("frames:m", "frames:n", "consistency:m", "consistency:n", "validation:o")
    run = write_audit(tmp_path / "run", "abcdefgh", right, {"m": 0, "n": 1, "o": 3}, named=named)
    grids = list(audit_grids([audit_state(run, print)]))
    # c to h remain; m and n both fail on e to h, and o took part in no test: 4 of 6, 4 of 4, 4 of 6.
    assert table(grids, "Beyond difficulty") == [["own", "4", "6", "4", "66.7", "100.0", "66.7"]]
    # All right options are the third, C, and no video exists whose length could be known.
    assert table(grids, "Right options of remaining items") == [["overall", "0.0", "0.0", "100.0", "0.0", "0.0", "6"]]
    nobody = ["0 (0.0)"] * 4
    assert table(grids, "Remaining videos by length") == [["own", *nobody, "6 (100.0)", "6"]]


def test_a_test_counts_only_the_items_of_which_it_has_something_to_show(tmp_path: Path) -> None:
    """Six of sixteen items have speech; of these the models solve 6, 4 and 3. Nobody has a captioner."""
    names = "abcdefghijklmnop"
    right = {("audio", "m"): "abcdef", ("audio", "n"): "abcd", ("audio", "o"): "abc", ("summary", "m"): ""}
    run = write_audit(tmp_path / "run", names, right, MODELS, unable={"audio": names[6:], "summary": names})
    state = audit_state(run, print)
    rates = {model: rate.model_dump() for model, rate in state.scores.accuracy["audio"].items() if rate}
    assert rates == {
        "m": {"value": 1.0, "items": 6},
        "n": {"value": pytest.approx(4 / 6), "items": 6},
        "o": {"value": 0.5, "items": 6},
    }
    assert state.scores.accuracy["summary"] == dict.fromkeys("mno")
    assert state.scores.unable == {"audio": 10, "summary": 16}
    shown = longtake("eval", "audit", "score", run.path).stdout
    assert "right: m 100.0% n 66.7% o 50.0% of 6 items" in shown
    assert "summary          0 flagged, 0 by it alone; right: -" in shown
    grids = list(audit_grids([state]))
    assert table(grids, "Accuracy: audio") == [["own", "6", "100.0", "66.7", "50.0", "25.0"]]
    assert table(grids, "Accuracy: summary") == [["own", "0", "-", "-", "-", "-"]]
    # Three guesses of four options are all right once in 64, and six of sixteen items can be guessed.
    assert state.scores.shortcuts.consensus[3].floor == pytest.approx(6 / 16 / 64)


def test_groups_of_benchmarks_have_a_table(runs: list[RunFolder], tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = longtake("eval", "audit", "report", *(run.path for run in runs), "--out", out, "--group", "Spatial=own")
    assert done.code == 0, done.stderr
    rows = list(csv.reader((out / "tables" / "shortcuts-by-task-group.csv").read_text().splitlines()))
    assert rows == [["consensus", "Spatial"], ["1", "40.00"], ["2", "30.00"], ["3", "30.00"]]  # 4, 3 and 3 of 10
    wrong = longtake("eval", "audit", "report", runs[0].path, "--out", out, "--group", "Spatial=owl")
    assert (wrong.code, "Did you mean 'own'?" in wrong.stderr) == (1, True)


def test_chosen_frames_stand_beside_as_many_spread_evenly(tmp_path: Path) -> None:
    right = {("blind", "m"): "ab", ("uniform", "m"): "abc", ("keyframes", "m"): "acde"}
    state = audit_state(write_audit(tmp_path / "run", "abcdef", right, {"m": 0}), print)
    # c to f remain: c is right of them, and c, d and e.
    assert table(list(audit_grids([state])), "Temporal grounding") == [
        ["m, spread evenly", "25.0"],
        ["m, chosen", "75.0"],
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
