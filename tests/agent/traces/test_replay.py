"""Runs again from their traces alone: the library is gone, the endpoint is gone, the trace lies somewhere else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.asking import Asked, ask_endpoint, endpoint_asker
from helpers.media.small_video import write_small_video
from helpers.servers.openai_server import Reply, agrees, doubts, openai_server, refuses, says

from longtake.agent.graph.agent import Agent
from longtake.agent.graph.state import Turn
from longtake.agent.traces.replay import replay
from longtake.agent.traces.trace import RecordedTrace, Trace
from longtake.config import load
from longtake.errors import LibraryError
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
BROKEN = ("transcribe_speach", "{'timestamp': [3, 7]")
SEARCH = ("cross_modal_search", {"query": "which room", "modalities": []})
SHORT = ("summarize_segment", {"timestamp": [0, 8], "text": "", "length": "short"})
GIVEN = ("summarize_segment", {"timestamp": [0, 8], "text": "Kettles boil. Herons wade.", "length": "short"})
LONG = (says(None, SHORT), says("A heron wades through the river. " * 80))
FULL = refuses(400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.")
BUSY = replace(refuses(429, "slow down"), headers={"retry-after": "0"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."


def trace_of(workspace: Workspace, asked: Asked) -> RecordedTrace:
    return RecordedTrace(workspace.library.trace_root, asked.answer.trace or "")


def rewritten(trace: RecordedTrace, folder: Path, change: Callable[[dict[str, Any]], Any]) -> RecordedTrace:
    """A copy of a trace, in which each event is changed."""
    shutil.copytree(trace.root, folder, dirs_exist_ok=True)
    events = list(trace.events())
    for event in events:
        change(event)
    (folder / f"{trace.run}.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events), encoding="utf-8")
    return RecordedTrace(folder, trace.run)


@pytest.fixture(scope="module")
def moved_traces(tmp_path_factory: pytest.TempPathFactory) -> list[RecordedTrace]:
    """The traces of questions to the extractive controller, in another folder; nothing else is left."""
    root = tmp_path_factory.mktemp("run")
    workspace = Workspace(root / "library", load())
    video = write_small_video(root / "talk.mp4")
    agent = Agent(workspace)
    questions = (
        "What does the blue kettle cost?",
        "What is said at 0:04?",
        "Who built the telescope?",
        "What is said at 01:00:00?",
    )
    answers = [agent.ask([str(video)], question, thread="t") for question in questions]
    assert [answer.status for answer in answers][::3] == ["answered", "failed"]
    assert answers[1].usage.tool_calls
    assert answers[2].status != "answered"
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "traces"
    shutil.copytree(workspace.library.trace_root, elsewhere)
    shutil.rmtree(root)
    return [RecordedTrace(elsewhere, answer.trace or "") for answer in answers]


def test_a_run_of_the_extractive_controller_is_replayed_step_by_step(moved_traces: list[RecordedTrace]) -> None:
    for trace in moved_traces:
        replayed = replay(trace)
        assert (replayed.same, replayed.difference) == (True, None)
        assert replayed.steps == len(list(trace.events()))


DRAFT = "They want 249 dollars for it [m7]. Napoleon was the one who bought it."
WRONG_SUM = "Two of them would come to 2 * 249 = 500 dollars [m7]."
FIVE = "budget.rounds=5"


@pytest.mark.parametrize(
    ("script", "judge", "setting"),
    [
        ([says("I look.", LISTEN, SEARCH, LISTEN), says(DRAFT), says(PRICE)], doubts("Napoleon"), FIVE),
        (
            [says("I look.", LISTEN), says(DRAFT)],
            doubts("Napoleon", verdict="contradicted", reason="m7 says so."),
            FIVE,
        ),
        ([says(DRAFT), says(None, SEARCH), says(PRICE)], doubts("Napoleon"), FIVE),
        ([says(DRAFT), says(None, SEARCH), says(PRICE)], doubts("Napoleon"), "budget.rounds=1"),
        ([says(DRAFT)], doubts("Napoleon"), "verification.mode=strict"),
        ([says(DRAFT)], doubts("Napoleon"), "verification.mode='off'"),
        ([says(None, SEARCH), says(DRAFT)], lambda _: refuses(400, "no judge"), FIVE),
        ([says(None, SEARCH), says(DRAFT)], lambda _: says("All is fine."), FIVE),
        ([says(WRONG_SUM), says(f"Or so: {WRONG_SUM}")], lambda asked: refuses(400, f"no {len(str(asked))}"), FIVE),
        ([says(WRONG_SUM), refuses(400, "no more")], lambda _: refuses(400, "no judge"), FIVE),
        ([says(DRAFT), refuses(400, "no more")], doubts("Napoleon"), FIVE),
        ([says(DRAFT), says("")], doubts("Napoleon"), FIVE),
        ([says(None, ("answer", {"status": "answered"})), says(PRICE)], agrees, FIVE),
        ([says(None, BROKEN), says(f"<think>Hm.</think>{PRICE}")], agrees, FIVE),
        ([says(None, SHORT, GIVEN), says("One."), says("Two."), says(PRICE)], agrees, FIVE),
        ([says(None, LISTEN)], agrees, FIVE),
        ([*[says(None, LISTEN)] * 3, says(PRICE)], agrees, FIVE),
        ([says(None, SEARCH), says(None, LISTEN), says(PRICE)], agrees, "budget.rounds=2"),
        ([says(None, SEARCH), says(None, LISTEN), says(DRAFT)], doubts("Napoleon"), "budget.tokens=200"),
        ([says(None, SEARCH), refuses(400, "no more")], agrees, "budget.rounds=1"),
        ([says(None, LISTEN), refuses(400, "no more")], agrees, FIVE),
        ([refuses(401, "who are you")], agrees, FIVE),
        ([says(""), says("")], agrees, FIVE),
        ([says("NOT FOUND: nothing.")], agrees, FIVE),
        ([*LONG, says(None, LISTEN), FULL, FULL, says(PRICE)], agrees, FIVE),
        ([says(None, LISTEN), BUSY, says(PRICE)], agrees, FIVE),
    ],
    ids=[
        *("mended", "marked", "calls before it is mended", "no round to mend it", "strict", "unchecked"),
        *("no judge", "a judge of nonsense", "no judge of two drafts", "no judge, then no model", "not mended"),
        *("mended by silence", "an answer that says nothing", "repaired", "tools that ask", "in circles"),
        *("last turn of circles", "last turn of rounds", "last turn of tokens", "no last turn", "stopped answering"),
        *("never answered", "empty", "abstains", "too long", "busy"),
    ],
)
def test_a_run_of_an_endpoint_ends_as_it_did(
    small_workspace: Workspace, script: Sequence[Reply], judge: Callable[[dict[str, Any]], Reply], setting: str
) -> None:
    asked = ask_endpoint(small_workspace, script, "controller.price.input=10", setting, judge=judge)
    replayed = replay(trace_of(small_workspace, asked))
    assert (replayed.same, replayed.difference) == (True, None)


def test_a_run_in_which_another_stood_in_and_called_tools_ends_as_it_did(small_workspace: Workspace) -> None:
    script = [says(None, SEARCH), refuses(400, "no more")]
    asked = ask_endpoint(small_workspace, script, question="What is said at 0:04?")
    assert asked.stood_in
    tools = [event["data"]["tool"] for event in asked.of("tool")]
    assert tools[0] == "cross_modal_search"
    assert "transcribe_speech" in tools[1:]
    replayed = replay(trace_of(small_workspace, asked))
    assert (replayed.same, replayed.difference) == (True, None)


@pytest.mark.parametrize(
    ("replies", "seconds", "begins"),
    [
        ([says(PRICE)], 25, PRICE),
        ([refuses(400, "no more")], 25, "“The blue kettle costs 249 dollars.”"),
        ([Reply(says(PRICE).body, delay=1.0)], 0.0, "Stopped because time ran out."),
    ],
    ids=["a last turn", "no last turn", "no time at all"],
)
def test_a_run_out_of_time_ends_as_it_did(
    small_workspace: Workspace, replies: Sequence[Reply], seconds: float, begins: str
) -> None:
    with openai_server(replies) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        answer = agent.ask(["talk.mp4"], "What does the blue kettle cost?", budget=Budget(seconds))
    assert answer.answer.startswith(begins)
    replayed = replay(RecordedTrace(small_workspace.library.trace_root, answer.trace or ""))
    assert (replayed.same, replayed.difference) == (True, None)


def test_a_run_that_was_stopped_stops_where_it_did(small_workspace: Workspace) -> None:
    budget = Budget(60)
    with openai_server([says(None, LISTEN), says(PRICE)]) as endpoint:
        answer = endpoint_asker(small_workspace, endpoint.url).ask(
            ["talk.mp4"],
            "What does the blue kettle cost?",
            budget=budget,
            watch=lambda event: budget.stop() if event["type"] == "tool" else None,
        )
    assert answer.answer.startswith("Stopped.")
    replayed = replay(RecordedTrace(small_workspace.library.trace_root, answer.trace or ""))
    assert (replayed.same, replayed.difference) == (True, None)


def test_a_question_of_a_thread_is_replayed_with_what_was_said_before(small_workspace: Workspace) -> None:
    earlier = [Turn(question="What does the blue kettle cost?", answer="249 dollars.")]
    answer = Agent(small_workspace).ask(["talk.mp4"], "When is it mentioned?", earlier=earlier)
    replayed = replay(RecordedTrace(small_workspace.library.trace_root, answer.trace or ""))
    assert (replayed.same, replayed.difference) == (True, None)


def test_another_result_of_a_tool_ends_in_another_answer(small_workspace: Workspace, tmp_path: Path) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    trace = trace_of(small_workspace, asked)
    (tool,) = asked.of("tool")
    result = trace.blob(tool["output"])
    result["output"]["transcript"] = "The blue kettle costs 248 dollars."
    result["evidence"][0]["text"] = "The blue kettle costs 248 dollars."
    writer = Trace(tmp_path / "other")
    writer.event("tool", started=0.0, result=result)
    writer.close()
    (changed,) = RecordedTrace(tmp_path / "other", writer.run).events()
    shutil.copytree(tmp_path / "other" / "blobs", tmp_path / "traces" / "blobs")

    def point(event: dict[str, Any]) -> None:
        if event["type"] == "tool":
            event["output"] = changed["output"]

    replayed = replay(rewritten(trace, tmp_path / "traces", point))
    assert not replayed.same
    assert replayed.difference is not None
    assert replayed.difference.step == tool["step"]
    assert "step 4 (tool transcribe_speech) differs in evidence.0" in replayed.difference.sentence


def test_a_call_that_is_read_otherwise_has_no_recorded_result(small_workspace: Workspace, tmp_path: Path) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    (tool,) = asked.of("tool")

    def change(event: dict[str, Any]) -> None:
        if event["type"] == "tool":
            event["data"]["arguments"] = {"timestamp": [1, 2]}

    replayed = replay(rewritten(trace_of(small_workspace, asked), tmp_path, change))
    assert not replayed.same
    assert replayed.difference is not None
    assert replayed.difference.step == tool["step"]
    assert replayed.difference.sentence == "instead of step 4 (tool transcribe_speech) there is now: error"


def test_what_differs_without_changing_the_answer_is_reported_all_the_same(
    small_workspace: Workspace, tmp_path: Path
) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])

    def change(event: dict[str, Any]) -> None:
        if event["type"] == "judge":
            event["data"]["unsupported"] = 7

    replayed = replay(rewritten(trace_of(small_workspace, asked), tmp_path, change))
    assert replayed.same
    assert replayed.difference is not None
    assert replayed.difference.sentence == "step 7 (judge) differs in data.unsupported: 7 in the recording, 0 now"


def test_a_run_without_an_end_has_nothing_to_be_replayed_to(small_workspace: Workspace, tmp_path: Path) -> None:
    trace = trace_of(small_workspace, ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)]))

    def interrupt(event: dict[str, Any]) -> None:
        if event["type"] == "answer":
            event.update(type="error", data={"error": "interrupted"})

    with pytest.raises(LibraryError, match="was interrupted before its answer"):
        replay(rewritten(trace, tmp_path, interrupt))


def test_a_trace_that_does_not_hold_enough_says_so(small_workspace: Workspace, tmp_path: Path) -> None:
    old = Trace(tmp_path)
    old.event("run", started=0.0, given={"question": "Who?", "options": [], "videos": []}, result={})
    old.close()
    with pytest.raises(LibraryError, match="ask its question again"):
        replay(RecordedTrace(tmp_path, old.run))


def test_a_trace_without_its_blobs_says_what_to_copy(moved_traces: list[RecordedTrace], tmp_path: Path) -> None:
    trace = moved_traces[0]
    shutil.copy(trace.root / f"{trace.run}.jsonl", tmp_path)
    with pytest.raises(LibraryError, match="copy the `blobs` folder"):
        replay(RecordedTrace(tmp_path, trace.run))
