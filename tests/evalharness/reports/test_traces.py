"""A trace is shown event by event, cut off where it is long, and only as far as the page has room."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from longtake.agent.traces.trace import Trace
from longtake.evalharness.reports.openable import MAX_CHARACTERS, MAX_EVENTS, Traces


@pytest.fixture
def trace(tmp_path: Path) -> Iterator[Trace]:
    made = Trace(tmp_path / "traces")
    yield made
    made.close()


def test_an_event_is_reported_with_its_facts_and_what_it_was_given_and_gave(trace: Trace, tmp_path: Path) -> None:
    trace.event("tool", started=time.time(), data={"tool": "calculator"}, given={"expression": "1 + 1"}, result=2)
    trace.event("answer", started=time.time(), result="Two.")
    shown = Traces(tmp_path / "traces", pytest.fail).of(trace.run)
    assert shown is not None
    assert shown.in_all == 2
    assert [(event.kind, event.parts) for event in shown.events] == [
        ("tool", [("facts", '{"tool": "calculator"}'), ("input", '{"expression": "1 + 1"}'), ("output", "2")]),
        ("answer", [("output", "Two.")]),
    ]


def test_what_is_long_is_cut_off_and_counted(trace: Trace, tmp_path: Path) -> None:
    for _ in range(MAX_EVENTS + 3):
        trace.event("model", started=time.time(), given="x" * MAX_CHARACTERS, result="x" * (MAX_CHARACTERS + 1))
    shown = Traces(tmp_path / "traces", pytest.fail).of(trace.run)
    assert shown is not None
    assert (len(shown.events), shown.in_all) == (MAX_EVENTS, MAX_EVENTS + 3)
    (_, whole), (_, cut) = shown.events[0].parts
    assert whole == "x" * MAX_CHARACTERS
    assert cut == "x" * (MAX_CHARACTERS - 1) + "…"


def test_traces_stop_where_the_page_has_no_room(trace: Trace, tmp_path: Path) -> None:
    trace.event("answer", started=time.time(), result="Two.")
    traces = Traces(tmp_path / "traces", pytest.fail, most_characters=3 * MAX_EVENTS * MAX_CHARACTERS)
    assert traces.of(trace.run) is not None
    assert traces.full
    assert traces.of(trace.run) is None


def test_a_trace_of_another_library_is_none_and_a_damaged_one_is_reported(trace: Trace, tmp_path: Path) -> None:
    reported: list[str] = []
    traces = Traces(tmp_path / "traces", reported.append)
    assert traces.of("20260101-000000-ab") is None
    assert reported == []
    trace.event("answer", started=time.time(), result="Two.")
    for blob in (tmp_path / "traces").glob("blobs/*/*"):
        blob.unlink()
    file = tmp_path / "traces" / f"{trace.run}.jsonl"
    for damage in (file.read_text(), '{"type": "answer"}\n', "no JSON\n"):
        file.write_text(damage)
        assert traces.of(trace.run) is None
    assert "is missing; copy the `blobs` folder" in reported[0]
    assert ["is damaged: restore the trace from a copy" in one for one in reported[1:]] == [True, True]
