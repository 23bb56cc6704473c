"""`bench evaluation`: the set that is asked, what a stage takes, and the shape of the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.benchmarks.parts import evaluation_speed
from longtake.benchmarks.parts.evaluation_speed import FEW, cost, measure_evaluation, write_set
from longtake.evalharness.suites.own_set import load_own_set, read_card


def test_the_set_is_read_whole_and_half_of_it_is_open(tmp_path: Path) -> None:
    write_set(tmp_path, 30)
    items = load_own_set(read_card(tmp_path / "many" / "card.yaml"), pytest.fail)
    assert [item.format for item in items] == ["open", "choice"] * 15
    assert len({item.video for item in items}) == 3
    assert len(load_own_set(read_card(tmp_path / "few" / "card.yaml"), pytest.fail)) == FEW


def test_memory_that_is_given_back_counts() -> None:
    assert cost(lambda: bytearray(b"x") * 80_000_000).megabytes > 75


def test_every_stage_is_measured_and_the_run_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_speed, "REPEATS", 1)
    report = measure_evaluation(lambda _: None, 40)
    assert list(report.stages) == ["run", "judge", "score", "report"]
    assert all(stage.milliseconds.low > 0 for stage in report.stages.values())
    parts = sum(report.stages[stage].milliseconds.median for stage in ("run", "judge", "score"))
    assert report.milliseconds.median == pytest.approx(parts, abs=1e-3)
