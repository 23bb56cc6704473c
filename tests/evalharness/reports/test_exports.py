"""A run as files that other tools read."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from longtake.cli.eval.reports import reports
from longtake.evalharness.items import Variant
from longtake.evalharness.reports.run_scores import read_scores
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.suites.imports import import_run

Write = Callable[..., RunFolder]


def export(folder: RunFolder, to: str, out: Path) -> list[Path]:
    result = CliRunner().invoke(reports, ["export", str(folder.path), "--to", to, "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    return [Path(line) for line in result.stdout.splitlines()]


def test_csv_has_a_row_for_each_reply(choices: Write, tmp_path: Path) -> None:
    (file,) = export(choices(), "csv", tmp_path / "run.csv")
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 12
    assert [(row["item"], row["score"], row["choice"], row["gold"], row["status"]) for row in rows[4:7]] == [
        ("q4", "0.0", "", "B", "ok"),
        ("q5", "0.0", "", "C", "error"),
        ("q0", "1.0", "A", "A", "ok"),
    ]
    assert json.loads(rows[0]["tags"]) == {"wording": "unseen"}


def test_what_is_uncertain_has_a_column(choices: Write, tmp_path: Path) -> None:
    (file,) = export(choices({"agent": ["right", "unsure", "abstains"] * 2}), "csv", tmp_path / "run.csv")
    with file.open(newline="") as stream:
        rows = [(row["abstained"], row["uncertain"], row["parse"]) for row in csv.DictReader(stream)][:3]
    assert rows == [("False", "False", "ok"), ("False", "True", "uncertain"), ("True", "False", "abstained")]


def test_the_folder_of_a_file_is_made(choices: Write, tmp_path: Path) -> None:
    (file,) = export(choices(), "csv", tmp_path / "new" / "run.csv")
    assert file.is_file()


def test_a_missing_verdict_is_an_empty_score(rubric: Write, tmp_path: Path) -> None:
    (file,) = export(rubric((True, None)), "csv", tmp_path / "run.csv")
    with file.open(newline="") as stream:
        assert [(row["turn"], row["score"]) for row in csv.DictReader(stream)] == [("0", ""), ("1", "")]


def test_samples_of_lmms_eval_give_the_same_score_when_taken_back(choices: Write, tmp_path: Path) -> None:
    sharp, dull = export(choices(), "lmms-eval", tmp_path / "samples")
    assert sharp.relative_to(tmp_path) == Path("samples/sharp/samples_own.jsonl")
    card = import_run("lmms-eval", dull, tmp_path / "back", pytest.fail)
    assert card.subjects == ("dull",)
    back = read_scores(RunFolder(tmp_path / "back"), "repo", pytest.fail).subjects[0]
    assert list(back.values.values()) == [1, 0, 0, 0, 1, 0]
    assert set(back.videos.values()) == {"video 0", "video 1", "video 2"}


def test_each_variant_has_samples_of_its_own(choices: Write, tmp_path: Path) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))
    files = export(choices({"agent": ["right"] * 6}, variants=orders), "lmms-eval", tmp_path)
    assert [file.name for file in files] == ["samples_own_original_0.jsonl", "samples_own_original-gold-2_0.jsonl"]
    assert [len(file.read_text().splitlines()) for file in files] == [6, 4]


def test_what_was_right_and_chosen_stands_as_it_was_put_in_each_order(choices: Write, tmp_path: Path) -> None:
    run = choices({"agent": ["right"] * 6}, variants=(Variant(), Variant(name="original/gold-2", gold_at=1)))
    _, moved = export(run, "lmms-eval", tmp_path / "samples")
    first = json.loads(moved.read_text().splitlines()[0])
    assert (first["target"], first["resps"], first["longtake_score"]) == ("B", [["B"]], 1)
    assert "\nA. Gate 5\nB. Gate 4\nC. Gate 6\n" in first["input"]
    (file,) = export(run, "csv", tmp_path / "run.csv")
    with file.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["item"] == "q0"]
    assert [(row["reply"], row["choice"], row["gold"]) for row in rows] == [("A", "A", "A"), ("B", "B", "B")]
    assert [json.loads(row["options"])[0] for row in rows] == ["Gate 4", "Gate 5"]


def test_a_format_that_is_not_there_is_one_sentence(choices: Write) -> None:
    result = CliRunner().invoke(reports, ["export", str(choices().path), "--to", "xlsx", "--out", "x"])
    assert "Can't export to 'xlsx'" in str(result.exception)
