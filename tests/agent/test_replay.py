"""Steps of a run again from its trace alone: the library is gone, the trace lies somewhere else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.small_video import write_small_video

from longtake.agent.ask import Asker
from longtake.agent.controllers.rules import RulesChatModel
from longtake.agent.replay import recorded_reply, recorded_result, replay_step
from longtake.agent.trace import RecordedTrace
from longtake.config import load
from longtake.errors import LibraryError
from longtake.preprocess.workspace import Workspace


@pytest.fixture(scope="module")
def moved_trace(tmp_path_factory: pytest.TempPathFactory) -> RecordedTrace:
    """The trace of one question to the rules controller, in another folder; nothing else is left."""
    root = tmp_path_factory.mktemp("run")
    workspace = Workspace(root / "library", load())
    answer = Asker(workspace).ask([str(write_small_video(root / "talk.mp4"))], "What does the blue kettle cost?")
    assert answer.status == "answered"
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "traces"
    shutil.copytree(workspace.library.trace_root, elsewhere)
    shutil.rmtree(root)
    return RecordedTrace(elsewhere, answer.trace or "")


def test_every_model_step_of_the_rules_controller_is_replied_as_recorded(moved_trace: RecordedTrace) -> None:
    steps = [event["step"] for event in moved_trace.events() if event["type"] == "model"]
    assert len(steps) >= 2
    for step in steps:
        replayed, recorded = replay_step(moved_trace, step, RulesChatModel()), recorded_reply(moved_trace, step)
        assert replayed.tool_calls == recorded.tool_calls
        assert replayed.content == recorded.content


def test_every_tool_step_is_read_back_as_its_result(moved_trace: RecordedTrace) -> None:
    events = [event for event in moved_trace.events() if event["type"] == "tool"]
    results = [recorded_result(moved_trace, event["step"]) for event in events]
    assert [result.tool for result in results] == [event["data"]["tool"] for event in events]
    for event, result in zip(events, results, strict=True):
        assert [item.id for item in result.evidence] == event["evidence"]
    assert any("249 dollars" in item.content for result in results for item in result.evidence)


def test_a_step_of_another_type_is_refused(moved_trace: RecordedTrace) -> None:
    with pytest.raises(LibraryError, match="has no step 0 of type 'model'"):
        replay_step(moved_trace, 0, RulesChatModel())
    with pytest.raises(LibraryError, match="has no step 999 of type 'tool'"):
        recorded_result(moved_trace, 999)


def test_a_trace_without_its_blobs_says_what_to_copy(moved_trace: RecordedTrace, tmp_path: Path) -> None:
    shutil.copy(moved_trace.root / f"{moved_trace.run}.jsonl", tmp_path)
    lone = RecordedTrace(tmp_path, moved_trace.run)
    step = next(event["step"] for event in lone.events() if event["type"] == "model")
    with pytest.raises(LibraryError, match="copy the folder `blobs`"):
        replay_step(lone, step, RulesChatModel())
