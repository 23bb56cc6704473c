"""Inspect reads its logs of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from longtake.cli.eval.reports import reports
from longtake.evalharness.items import Variant
from longtake.evalharness.runs.run_folder import RunFolder

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

Write = Callable[..., RunFolder]


def export(folder: RunFolder, out: Path) -> list[Path]:
    result = CliRunner().invoke(reports, ["export", str(folder.path), "--to", "inspect", "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    return [Path(line) for line in result.stdout.splitlines()]


def read(file: Path) -> EvalLog:
    from inspect_ai.log import read_eval_log  # here, or collecting the tests would take two seconds longer

    return read_eval_log(str(file))


@pytest.mark.nightly
def test_inspect_reads_its_log_with_scores_calls_and_errors(choices: Write, tmp_path: Path) -> None:
    sharp, _ = export(choices(), tmp_path / "logs")
    log = read(sharp)
    assert (log.status, log.eval.task, log.eval.model) == ("success", "own", "longtake/sharp")
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(4 / 6, abs=1e-6)
    assert log.samples is not None
    assert [sample.scores["longtake"].value for sample in log.samples if sample.scores] == [1, 1, 1, 1, 0, 0]
    first, last = log.samples[0], log.samples[-1]
    assert (first.id, first.target, first.choices) == ("q0", "A", ["Gate 4", "Gate 5", "Gate 6"])
    assert first.messages[1].model_dump()["tool_calls"][0]["function"] == "search_speech"
    assert first.model_usage["longtake/sharp"].total_tokens == 100
    assert last.error is not None
    assert last.error.message == "The server is down."


def test_inspect_is_given_the_options_in_the_order_put(choices: Write, tmp_path: Path) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))
    (file,) = export(choices({"agent": ["right"] * 6}, variants=orders), tmp_path)
    samples = read(file).samples
    assert samples is not None
    moved = next(sample for sample in samples if sample.id == "q0/original/gold-2")
    assert (moved.target, moved.output.completion, moved.choices) == ("B", "B", ["Gate 5", "Gate 4", "Gate 6"])
    assert moved.scores is not None
    assert moved.scores["longtake"].answer == "B"
    assert "A. Gate 5" in str(moved.messages[0].content)
    assert "A. Gate 5" in str(moved.input)


def test_inspect_is_given_verdicts_and_no_score_where_one_is_missing(rubric: Write, tmp_path: Path) -> None:
    (file,) = export(rubric((True, False), (True, None)), tmp_path)
    samples = read(file).samples
    assert samples is not None
    whole, lacking = samples
    assert whole.scores is not None
    assert whole.scores["longtake"].explanation == "fact: met It is said.\nfact: not met It is said."
    assert not lacking.scores
