"""Runs that go on from a call of a recorded run with other arguments."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from helpers.asking import Asked, ask_endpoint, endpoint_asker
from helpers.servers.openai_server import openai_server, refuses, says

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.fork import fork
from longtake.agent.traces.replay import replay
from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.errors import LibraryError
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": [3, 7]})
SEARCH = ("cross_modal_search", {"query": "which room", "modalities": []})
ADD = ("calculator", {"expression": "1 + 1"})
SHORT = ("summarize_segment", {"timestamp": [0, 8], "text": "", "length": "short"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
WELCOME = "Welcome to the workshop [00:00:00]."


def trace_of(workspace: Workspace, asked: Asked) -> RecordedTrace:
    return RecordedTrace(workspace.library.trace_root, asked.answer.trace or "")


def step_of(asked: Asked, tool: str) -> int:
    return int(next(event["step"] for event in asked.of("tool") if event["data"]["tool"] == tool))


def at(workspace: Workspace, url: str) -> Workspace:
    """The same library with a controller at a URL."""
    settings = ("controller.engine=openai", f"controller.base_url={url}", "controller.model=scripted")
    return Workspace(workspace.library.root, load(overrides=settings))


def test_it_goes_on_live_from_the_changed_call(small_workspace: Workspace) -> None:
    first = [says("I look.", LISTEN, SEARCH, SHORT), says("A kettle."), says(PRICE)]
    asked = ask_endpoint(small_workspace, first)
    trace, step = trace_of(small_workspace, asked), step_of(asked, "transcribe_speech")
    with openai_server([says(WELCOME)]) as endpoint:
        answer = fork(trace, step, {"timestamp": [0, 2]}, at(small_workspace, endpoint.url))
    assert "Welcome to the workshop" in answer.answer
    (request,) = endpoint.requests
    reported = {
        message["tool_call_id"]: message["content"] for message in request["messages"] if message["role"] == "tool"
    }
    opening = request["messages"][1]["content"]
    (welcome,) = re.findall(r"^(m\d+) .*Welcome to the workshop\.", opening, re.MULTILINE)
    assert reported["call-0-0"] == f"{welcome} (above)"
    new = RecordedTrace(small_workspace.library.trace_root, answer.trace or "")
    events = list(new.events())
    origin = events[0]["data"]["forked_from"]
    assert origin == {"run": trace.run, "step": step, "set": {"timestamp": [0, 2]}}
    results = {event["data"]["tool"]: event for event in events if event["type"] == "tool"}
    before = {event["data"]["tool"]: event for event in asked.of("tool")}
    assert results["transcribe_speech"]["data"]["arguments"] == {"timestamp": [0, 2]}
    assert results["transcribe_speech"]["spans"] == [[results["transcribe_speech"]["spans"][0][0], 0.0, 2.0]]
    for name in ("cross_modal_search", "summarize_segment"):
        assert results[name]["output"] == before[name]["output"]
    assert (
        answer.usage.input_tokens == 400
    )  # recorded replies to the round and to the summary, the live one, and its judge
    assert replay(new).difference is None
    assert list(trace.events()) == asked.events


def test_a_call_of_the_controller_that_stood_in_is_forked(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [refuses(400, "no more")], question="What is said at 0:04?")
    step = step_of(asked, "transcribe_speech")
    with openai_server([refuses(400, "no more")]) as endpoint:
        workspace = at(small_workspace, endpoint.url)
        answer = fork(trace_of(small_workspace, asked), step, {"timestamp": [0, 2]}, workspace)
    events = list(RecordedTrace(small_workspace.library.trace_root, answer.trace or "").events())
    reported = {event["data"]["tool"]: event["data"]["arguments"] for event in events if event["type"] == "tool"}
    assert reported["transcribe_speech"] == {"timestamp": [0, 2]}
    assert replay(RecordedTrace(small_workspace.library.trace_root, answer.trace or "")).difference is None


def test_what_was_called_beside_it_is_recorded_also_where_it_ended_later(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN, SEARCH, ADD), says(PRICE)])
    first, *later = asked.of("tool")
    changes = {LISTEN[0]: {"timestamp": [0, 2]}, SEARCH[0]: {"query": "kettle"}, ADD[0]: {"expression": "2 + 2"}}
    with openai_server([says(PRICE)]) as endpoint:
        workspace = at(small_workspace, endpoint.url)
        answer = fork(trace_of(small_workspace, asked), first["step"], changes[first["data"]["tool"]], workspace)
    events = RecordedTrace(small_workspace.library.trace_root, answer.trace or "").events()
    # A result that was made anew would have taken another time.
    outputs = {event["data"]["tool"]: event["output"] for event in events if event["type"] == "tool"}
    assert {event["data"]["tool"]: event["output"] for event in later}.items() <= outputs.items()
    assert outputs[first["data"]["tool"]] != first["output"]


def test_a_later_round_is_forked_with_all_before_it_as_recorded(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, SEARCH), says(None, LISTEN), says(None, SHORT), says(PRICE)])
    step = step_of(asked, "transcribe_speech")
    with openai_server([says(PRICE)]) as endpoint:
        answer = fork(
            trace_of(small_workspace, asked), step, {"timestamp": "00:00:04"}, at(small_workspace, endpoint.url)
        )
    events = list(RecordedTrace(small_workspace.library.trace_root, answer.trace or "").events())
    made = [event["data"]["tool"] for event in events if event["type"] == "tool"]
    assert made == ["cross_modal_search", "transcribe_speech"]
    assert len(endpoint.requests) == 1
    assert answer.usage.rounds == 3


def test_up_to_the_call_nothing_new_is_known_of_the_videos(own_workspace: Workspace) -> None:
    asked = ask_endpoint(own_workspace, [says(None, LISTEN), says(PRICE)])
    video = own_workspace.library.resolve("talk.mp4")
    own_workspace.library.save(video.model_copy(update={"name": "renamed.mp4"}))
    trace = trace_of(own_workspace, asked)
    with openai_server([says(PRICE)]) as endpoint:
        answer = fork(
            trace, step_of(asked, "transcribe_speech"), {"timestamp": [4, 5]}, at(own_workspace, endpoint.url)
        )
    events = list(RecordedTrace(own_workspace.library.trace_root, answer.trace or "").events())
    assert [event["output"] for event in events if event["type"] == "orient"] == [asked.of("orient")[0]["output"]]


def test_the_extractive_controller_goes_on_from_it_as_well(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    first = agent.ask(["talk.mp4"], "What is said between 00:00:00 and 00:00:03?")
    trace = RecordedTrace(small_workspace.library.trace_root, first.trace or "")
    step = next(event["step"] for event in trace.events() if event["data"].get("tool") == "transcribe_speech")
    answer = fork(trace, step, {"timestamp": [3, 8]}, small_workspace)
    assert "Welcome" in first.answer
    assert "249 dollars" in answer.answer


def test_a_thread_is_not_gone_on_with(small_workspace: Workspace) -> None:
    with openai_server([says(None, LISTEN), says(PRICE)]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        first = agent.ask(["talk.mp4"], "What does it cost?", thread="forked")
    trace = RecordedTrace(small_workspace.library.trace_root, first.trace or "")
    with openai_server([says(WELCOME)]) as endpoint:
        answer = fork(trace, 4, {"timestamp": [0, 2]}, at(small_workspace, endpoint.url))
    new = next(RecordedTrace(small_workspace.library.trace_root, answer.trace or "").events())
    assert new["data"]["thread"] == answer.trace


def test_what_cannot_be_forked_is_reported_in_one_sentence(own_workspace: Workspace) -> None:
    asked = ask_endpoint(own_workspace, [says(None, LISTEN, ("paint", {})), says(PRICE)])
    trace, runs = trace_of(own_workspace, asked), len(list(own_workspace.library.trace_root.glob("*.jsonl")))
    listen, paint = step_of(asked, "transcribe_speech"), step_of(asked, "paint")
    for step, changes, sentence in (
        (0, {"timestamp": 1}, r"^Step 0 of run '.*' isn't a tool call: its calls are at .*\d \(transcribe_speech\)"),
        (99, {"timestamp": 1}, "^Step 99 of run '.*' isn't a tool call"),
        (listen, {"stamp": 1}, "There is no argument 'stamp'. Did you mean 'timestamp'?"),
        (listen, {"timestamp": True}, "timestamp: True .* be read"),
        (paint, {"colour": "red"}, "There is no tool 'paint'"),
    ):
        with pytest.raises(LibraryError, match=sentence):
            fork(trace, step, changes, own_workspace)
    assert len(list(own_workspace.library.trace_root.glob("*.jsonl"))) == runs


def test_a_limit_that_ends_it_before_the_call_is_reported(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, SEARCH), says(None, LISTEN), says(PRICE)])
    trace, step = trace_of(small_workspace, asked), step_of(asked, "transcribe_speech")
    tight = Workspace(small_workspace.library.root, load(overrides=["budget.rounds=1"]))
    with pytest.raises(LibraryError, match=f"ended before step {step}"):
        fork(trace, step, {"timestamp": [0, 2]}, tight)


@pytest.mark.slow
def test_without_its_video_it_says_which_is_gone(small_workspace: Workspace, tmp_path: Path) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    shutil.copytree(small_workspace.library.trace_root, tmp_path / "traces")
    empty = Workspace(tmp_path, load())
    trace = RecordedTrace(empty.library.trace_root, asked.answer.trace or "")
    video = small_workspace.library.resolve("talk.mp4").id
    with pytest.raises(LibraryError, match=video):
        fork(trace, step_of(asked, "transcribe_speech"), {"timestamp": [0, 2]}, empty)
