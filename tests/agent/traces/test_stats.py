"""Figures over runs, and their plot."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers.data.recorded import EVENTFUL, LISTEN, PRICE, lines_of, recorded, rewritten
from helpers.servers.openai_server import says

from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.stats import Stats, ToolStats, plot_of, spread, stats_of, table_of
from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture(scope="module")
def runs(small_workspace: Workspace) -> list[LenientRun]:
    guarded = recorded(
        small_workspace, says(None, LISTEN), says(None, LISTEN), says(PRICE), settings=("budget.rounds=2",)
    )
    return [recorded(small_workspace, *EVENTFUL), guarded]


@pytest.fixture(scope="module")
def stats(runs: list[LenientRun]) -> Stats:
    return stats_of(runs)


def test_runs_are_counted_by_how_they_ended(stats: Stats) -> None:
    assert (stats.runs, stats.statuses) == (2, {"answered": 2})  # the second in its last turn
    assert stats.guards == {"the limit of 2 rounds was reached": 1}
    assert (stats.rounds.median, stats.rounds.p95, stats.rounds.total) == (4.0, 5.0, 8.0)
    assert (stats.tokens.total, stats.cost.total) == (1320.0, pytest.approx(0.00252))


def test_calls_errors_and_cached_results_are_counted_by_tool(stats: Stats) -> None:
    counted = {tool.tool: (tool.calls, tool.errors, tool.cached) for tool in stats.tools}
    assert counted == {
        "controller": (11, 0, 0),
        "transcribe_speech": (5, 0, 2),
        "cross_modal_search": (1, 0, 0),
        "nonsense": (1, 1, 0),
    }


def test_the_time_of_a_tool_is_that_of_its_calls(stats: Stats, runs: list[LenientRun]) -> None:
    times = [call.seconds for run in runs for call in run.calls if call.data["tool"] == "transcribe_speech"]
    (tool,) = [tool for tool in stats.tools if tool.tool == "transcribe_speech"]
    assert tool.seconds == spread(times)
    assert sum(tool.share for tool in stats.tools) == pytest.approx(1.0, abs=0.001)
    assert [tool.share for tool in stats.tools] == sorted((tool.share for tool in stats.tools), reverse=True)


def test_a_spread_is_the_middle_and_the_nearest_rank() -> None:
    assert spread([]).model_dump() == {"median": 0.0, "p95": 0.0, "total": 0.0}
    assert spread([3.0, 1.0]).model_dump() == {"median": 2.0, "p95": 3.0, "total": 4.0}
    assert spread(list(range(1, 101))).model_dump() == {"median": 50.5, "p95": 95.0, "total": 5050.0}


def test_the_table_has_a_line_for_every_tool_and_says_what_could_not_be_read(
    stats: Stats, runs: list[LenientRun], tmp_path: Path
) -> None:
    lines = table_of(stats)
    assert lines[0] == "2 runs: 2 answered"
    assert [line.split()[0] for line in lines[8:]] == [tool.tool for tool in stats.tools]
    torn = rewritten(runs[0], tmp_path, [*lines_of(runs[0])[:4], "{"])
    assert "is cut off" in table_of(stats_of([torn]))[-1]


def test_no_runs_have_no_figures() -> None:
    empty = stats_of([])
    assert (empty.runs, empty.tools) == (0, ())
    assert table_of(empty)[0].startswith("0 runs")
    assert ElementTree.fromstring(plot_of(empty)).tag.endswith("svg")


def test_the_plot_draws_every_tool_and_names_are_no_markup(stats: Stats) -> None:
    odd = stats.tools[0].model_copy(update={"tool": "<script>alert(1)</script>", "share": 0.5})
    drawn = ElementTree.fromstring(plot_of(stats.model_copy(update={"tools": (*stats.tools, odd)})))
    texts = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {tool.tool for tool in (*stats.tools, odd)} <= set(texts)
    assert not list(drawn.iter("{http://www.w3.org/2000/svg}script"))
    assert "<script>alert(1)</script> 50%" in drawn.attrib["aria-label"]


def test_a_slower_call_stands_further_to_the_right() -> None:
    def circles(*medians: float) -> list[float]:
        made = [
            ToolStats(tool=str(n), calls=1, errors=0, cached=0, seconds=spread([each]), share=0.1)
            for n, each in enumerate(medians)
        ]
        drawn = ElementTree.fromstring(plot_of(stats_of([]).model_copy(update={"tools": tuple(made)})))
        found = [each for each in drawn.iter("{http://www.w3.org/2000/svg}circle") if each.get("class") is None]
        return [float(each.attrib["cx"]) for each in found]

    quick, middling, slow = circles(0.01, 0.1, 10.0)
    assert quick < middling < slow
    assert slow - middling == pytest.approx(2 * (middling - quick), abs=0.2)
