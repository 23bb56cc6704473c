"""What is found for a question before any controller speaks: in a named scope, near an anchor, around the scope."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.asking import ask_endpoint
from helpers.libraries import SETTINGS
from helpers.media.clips import flat, write_clip, written
from helpers.servers.openai_server import says

from longtake.agent.gathering.gathered import Found, Gathered
from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.preprocess.pipeline.workspace import Workspace

KETTLE, WELCOME = "The blue kettle costs 249 dollars.", "Welcome to the workshop."
Gather = Callable[[str], Gathered]


@pytest.fixture(scope="module")
def gathered(small_workspace: Workspace) -> Gather:
    """What is gathered for a question about the small video, as the trace of its run tells."""
    return lambda question: gathered_for(question, "talk.mp4", small_workspace)


def gathered_for(question: str, video: str, workspace: Workspace) -> Gathered:
    answer = Agent(workspace).ask([video], question)
    trace = RecordedTrace(workspace.library.trace_root, answer.trace or "")
    (event,) = [event for event in trace.events() if event["type"] == "brief"]
    return Gathered.model_validate(trace.blob(event["output"]))


def texts(found: tuple[Found, ...]) -> set[str]:
    return {each.evidence.text for each in found}


def test_without_a_scope_all_of_the_video_is_searched(gathered: Gather) -> None:
    found = gathered("What does the blue kettle cost?")
    assert {KETTLE, WELCOME} <= texts(found.found)
    assert (found.window, found.widened) == (None, False)
    best = max(found.found, key=lambda each: each.cosine)
    assert best.evidence.text == KETTLE
    assert best.words > 0


def test_in_a_named_scope_nothing_else_is_found(gathered: Gather) -> None:
    found = gathered("What is said between 0:00 and 0:02?")
    assert WELCOME in texts(found.found)
    assert KETTLE not in texts(found.found)
    assert found.window is not None
    assert (found.window.start, found.window.end) == (0, 2)


def test_what_was_said_just_before_a_moment_counts(gathered: Gather) -> None:
    found = gathered("What is said at 0:07?")
    assert KETTLE in texts(found.found)


def test_what_lies_to_an_anchor_as_asked_is_marked(gathered: Gather) -> None:
    found = gathered("What is said after the welcome to the workshop?")
    marked = texts(tuple(each for each in found.found if each.anchored))
    assert KETTLE in marked
    assert found.window is not None


def test_an_anchor_that_nothing_comes_near_to_narrows_nothing(gathered: Gather) -> None:
    found = gathered("What is said after the parachute lands on Jupiter?")
    assert found.window is None
    assert {KETTLE, WELCOME} <= texts(found.found)


def test_what_was_gathered_stands_in_the_first_message_in_the_order_of_the_video(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(f"{KETTLE[:-1]} [00:00:04].")])
    reported = asked.endpoint.requests[0]["messages"][1]["content"]
    assert reported.index(WELCOME) < reported.index(KETTLE)
    # It is evidence: an answer from it alone, without a call, is proven.
    assert (asked.answer.status, asked.stood_in, asked.answer.usage.tool_calls) == ("answered", False, 0)


def test_the_first_message_holds_no_more_than_the_settings_let_it(small_workspace: Workspace) -> None:
    for tokens, shown in ((1, False), (1_000, True)):
        script, setting = [says("NOT FOUND: nothing.")], f"gathering.tokens={tokens}"
        asked = ask_endpoint(small_workspace, script, setting, question="Which room is on the slide?")
        assert ("ROOM 4417" in asked.endpoint.requests[0]["messages"][1]["content"]) is shown


def test_rows_of_a_table_are_lines_also_where_cells_are_equal(tmp_path: Path) -> None:
    table = [
        ("Branch", "Now", "Planned"),
        ("Eastfield", "30", "24"),
        ("Quarry Lane", "24", "24"),
        ("Harbour", "36", "30"),
    ]
    picture = flat((60, 30, 10), 640, 360)
    for row, cells in enumerate(table):
        for cell, across in zip(cells, (30, 340, 490), strict=True):
            picture = written(picture, cell, place=(across, 70 + 70 * row), scale=1.0)
    clip = write_clip(tmp_path / "table.mp4", [picture] * 20, times=lambda number: number / 5)
    workspace = Workspace(tmp_path / "library", SETTINGS)
    workspace.add(clip)
    found = gathered_for("What does the table say about Quarry Lane?", str(clip), workspace).found
    lines = {each.evidence.text: each.text for each in found if each.modality == "scene_text"}
    assert lines["Quarry Lane"] == "Quarry Lane · 24 · 24"
    assert lines["Eastfield"] == "Eastfield · 30 · 24"
    assert lines["Harbour"] == "Harbour · 36 · 30"
