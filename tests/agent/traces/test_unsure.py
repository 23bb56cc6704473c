"""Runs that ended unsure, as traces tell of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.unsure import KETTLE, TEXT, unsure, unsure_run
from rich.console import Console
from typer.testing import CliRunner

from longtake.agent.traces.diff import diff_of
from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.pages.page import page_of
from longtake.agent.traces.spans import spans_of
from longtake.agent.traces.stats import stats_of, table_of
from longtake.agent.traces.tree import tree_of
from longtake.cli.trace_command import trace
from longtake.console import Session
from longtake.memory.library import LibraryStore

VIDEO = "00112233445566aa"


@pytest.fixture
def run(tmp_path: Path) -> LenientRun:
    return unsure_run(LibraryStore(tmp_path).trace_root, VIDEO)


def test_its_status_is_its_own(run: LenientRun) -> None:
    assert (run.status, run.summary.status) == ("uncertain", "uncertain")
    assert (run.answer, run.problems) == (unsure(VIDEO, run.id), [])


def test_it_is_listed_and_counted_by_it(run: LenientRun, tmp_path: Path) -> None:
    session = Session(library=tmp_path)
    listed = CliRunner().invoke(trace, ["list"], obj=session, catch_exceptions=False).stdout
    assert "  uncertain  " in listed
    reported = json.loads(CliRunner().invoke(trace, ["show", run.id, "--json"], obj=session).stdout)
    assert (reported["status"], reported["answer"]["confidence"], len(reported["answer"]["closest"])) == (
        "uncertain",
        0.4,
        2,
    )
    assert stats_of([run, run]).statuses == {"uncertain": 2}
    assert table_of(stats_of([run]))[0] == "1 runs: 1 uncertain"


def test_the_tree_shows_the_closest_lines(run: LenientRun) -> None:
    console = Console(width=200)
    with console.capture() as captured:
        console.print(tree_of(run))
    shown = captured.get()
    assert "uncertain in " in shown
    assert shown.index(TEXT) < shown.index("closest:") < shown.index(f"00:00:04-00:00:06  speech  {KETTLE}")


def test_the_page_shows_them_to_be_played(run: LenientRun, tmp_path: Path) -> None:
    page = page_of(run.trace, LibraryStore(tmp_path))
    assert '<span class="badge uncertain">Uncertain</span>' in page
    closest = page.partition('aria-label="Closest lines">')[2].partition("</section>")[0]
    assert closest.count('class="chip"') == 2
    assert f'data-video="{VIDEO}" data-start="4.0" data-end="6.0"' in closest
    assert KETTLE in closest


def test_what_is_not_shown_is_said_with_its_reason(run: LenientRun, tmp_path: Path) -> None:
    console = Console(width=200)
    with console.capture() as captured:
        console.print(tree_of(run))
    assert "not shown: The pot costs 249 dollars. (No pot is named)" in captured.get()
    page = page_of(run.trace, LibraryStore(tmp_path))
    assert '<span class="verdict not_shown">Not shown</span>The pot costs 249 dollars.' in page
    assert '<p class="faint">No pot is named.</p>' in page


def test_the_span_of_the_agent_has_its_status_and_closest_lines(run: LenientRun) -> None:
    said = dict(spans_of(run.trace)[0].attributes or {})
    assert (said["longtake.status"], said["longtake.confidence"]) == ("uncertain", 0.4)
    assert [line["start"] for line in json.loads(str(said["longtake.closest"]))] == [4.0, 1.0]


def test_two_such_runs_do_not_differ(run: LenientRun) -> None:
    other = unsure_run(run.trace.root, VIDEO)
    diff = diff_of(run, other)
    assert (diff.before.status, diff.after.status, diff.answer_changed) == ("uncertain", "uncertain", False)
