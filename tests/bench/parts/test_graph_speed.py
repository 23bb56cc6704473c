"""`bench graph`: the runs that are timed, and the shape of the report."""

from __future__ import annotations

import json
from functools import partial

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from typer.testing import CliRunner

from longtake.bench.cli import bench
from longtake.bench.parts import graph_speed
from longtake.bench.parts.graph_speed import RUNS, InstantModel, PerStep, measure_graph
from longtake.config import load
from longtake.console import Session

UNREAD = "engines.scene_text=[]"  # nothing is asked of the video, and reading it takes longest


def test_the_instant_controller_asks_for_another_sum_each_round_and_then_answers() -> None:
    model, messages = InstantModel(rounds=2), [HumanMessage("How much?")]
    replies = []
    for _ in range(3):
        replies.append(model.invoke([*messages, *replies]))
    assert all(isinstance(reply, AIMessage) for reply in replies)
    assert [[call["args"]["expression"] for call in reply.tool_calls] for reply in replies] == [
        ["0 + 1"],
        ["1 + 1"],
        [],
    ]
    assert replies[-1].text == "The result is 2."


def test_milliseconds_are_of_one_step_and_ratios_of_pairs() -> None:
    compared = PerStep.of([(0.4, 0.1), (0.8, 0.4), (1.2, 0.2)], 10)
    assert (compared.ours.low, compared.ours.median, compared.ours.high) == (40, 80, 120)
    assert (compared.floor.low, compared.floor.median, compared.floor.high) == (10, 20, 40)
    assert (compared.ratio.low, compared.ratio.median, compared.ratio.high) == (2, 4, 6)


def test_every_round_is_run_through_the_graph() -> None:
    report = measure_graph(load(overrides=(UNREAD,)), lambda text: None, rounds=12, runs=2)
    assert report.steps == 29
    assert {node: spread.n for node, spread in report.nodes.items()} == {
        "orient": 2,
        "brief": 2,
        "plan": 26,
        "act": 24,
        "judge": 2,
        "answer": 2,
    }
    assert (report.wall.ratio.n, report.cpu.ratio.n) == (2, 2)
    assert min(report.wall.ours.low, report.cpu.ours.low, report.wall.floor.low, report.cpu.floor.low) > 0


def test_report_is_given_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_speed, "measure_graph", partial(measure_graph, runs=2))
    result = CliRunner().invoke(bench, ["graph", "--json"], obj=Session(overrides=(UNREAD,)), catch_exceptions=False)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert set(report) == {"machine", "steps", "wall", "cpu", "nodes"}
    assert report["steps"] == 19
    assert report["wall"]["ratio"]["n"] == 2
    assert RUNS >= 20
