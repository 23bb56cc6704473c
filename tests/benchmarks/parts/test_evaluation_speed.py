"""`bench evaluation`: the set that is asked, what a side takes, and the shape of the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longtake.benchmarks.intervals import Spread
from longtake.benchmarks.parts.evaluation_sides import FEW, SIDES, cost, write_set
from longtake.benchmarks.parts.evaluation_speed import EvaluationSpeed, Side, measure_evaluation, show_evaluation
from longtake.benchmarks.timing import Machine
from longtake.evalharness.suites.own_set import load_own_set, read_card


def test_the_set_is_read_whole_and_half_of_it_is_open(tmp_path: Path) -> None:
    write_set(tmp_path, 30)
    items = load_own_set(read_card(tmp_path / "many" / "card.yaml"), pytest.fail)
    assert [item.format for item in items] == ["open", "choice"] * 15
    assert len({item.video for item in items}) == 3
    assert len(load_own_set(read_card(tmp_path / "few" / "card.yaml"), pytest.fail)) == FEW


def test_memory_that_is_given_back_counts() -> None:
    assert cost(lambda: bytearray(b"x") * 80_000_000).megabytes > 75


def test_the_floor_writes_a_line_for_each_question(tmp_path: Path) -> None:
    SIDES["loop"](tmp_path, 7)
    written = [json.loads(line) for line in (tmp_path / "loop.jsonl").read_text().splitlines()]
    assert [line["item"] for line in written] == [f"q{place}" for place in range(7)]


def test_where_inspect_is_not_installed_it_is_said() -> None:
    spread = Spread.of([1.0])
    side = Side(milliseconds=spread, few=spread, many=spread)
    report = EvaluationSpeed(
        machine=Machine.since(0.0), items=100, sides={"run": side}, harness=spread, over_loop=spread, over_inspect=None
    )
    assert show_evaluation(report)[-1] == "  inspect isn't installed; run: pip install 'longtake[inspect]'"


def test_every_side_is_measured_and_the_run_is_whole() -> None:
    pytest.importorskip("inspect_ai")
    reported: list[str] = []
    report = measure_evaluation(40, reported.append, repeats=1)
    assert reported == ["measuring 4 items, 1 of 1", "measuring 40 items, 1 of 1"]
    assert list(report.sides) == ["loop", "questions", "run", "judge", "score", "report", "inspect"]
    assert all(side.milliseconds.low > 0 for side in report.sides.values())
    parts = sum(report.sides[side].milliseconds.median for side in ("run", "judge", "score"))
    assert report.harness.median == pytest.approx(parts, abs=1e-3)
    assert report.over_inspect is not None
    for over, side in ((report.over_loop, "loop"), (report.over_inspect, "inspect")):
        assert over.median == pytest.approx(parts / report.sides[side].milliseconds.median, rel=0.1)
    assert len(show_evaluation(report)) == 4 + len(report.sides) + 3
