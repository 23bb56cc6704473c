"""Runs read back: what they were asked, came to and spent; and traces that are torn or of another schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.data.recorded import COST, EVENTFUL, LISTEN, PRICE, forked, lines_of, recorded, rewritten
from helpers.servers.openai_server import says

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.lenient_run import ForkOrigin, LenientRun
from longtake.agent.traces.steps import every, steps_of
from longtake.agent.traces.trace import SCHEMA, RecordedTrace
from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture(scope="module")
def run(small_workspace: Workspace) -> LenientRun:
    return recorded(small_workspace, *EVENTFUL)


def test_what_a_run_spent_is_what_its_answer_says(run: LenientRun) -> None:
    assert run.answer is not None
    reported, read = run.answer.usage, run.usage
    assert read.model_copy(update={"seconds": 0.0}) == reported.model_copy(update={"seconds": 0.0})
    assert read.seconds == pytest.approx(reported.seconds, abs=0.05)
    assert (read.rounds, read.tool_calls, read.cost) == (5, 5, pytest.approx((700 * 2 + 140 * 8) / 1e6))


def test_a_run_is_reported_in_one_line(run: LenientRun) -> None:
    summary = run.summary
    assert (summary.run, summary.question, summary.status) == (run.id, COST, "answered")
    assert run.problems == []


def test_a_fork_tells_which_call_it_was_forked_from(run: LenientRun, small_workspace: Workspace) -> None:
    fork = forked(small_workspace, run, "transcribe_speech", timestamp=[0, 2])
    call = next(each for each in run.calls if each.data["tool"] == "transcribe_speech")
    reported = {"run": run.id, "step": call.step, "set": {"timestamp": [0, 2]}}
    assert fork.forked_from == ForkOrigin.model_validate(reported)
    assert fork.summary.model_dump()["forked_from"] == reported
    assert run.summary.forked_from is None


def test_what_a_fork_was_forked_from_may_be_unreadable(run: LenientRun, tmp_path: Path) -> None:
    first, *lines = lines_of(run)
    begun = json.loads(first)
    begun["data"]["forked_from"] = {"run": run.id, "step": "the third"}
    torn = rewritten(run, tmp_path, [json.dumps(begun) + "\n", *lines])
    assert torn.summary.forked_from is None
    assert torn.problems == [f"The origin of the fork {run.id} can't be read, and isn't shown."]


def test_steps_stand_under_the_reply_that_led_to_them_in_the_order_of_the_calls(run: LenientRun) -> None:
    steps = steps_of(run)
    assert [step.type for step in steps] == ["orient", "brief", *["model"] * 5, "answer"]
    assert [[below.tool or below.type for below in step.steps] for step in steps] == [
        [],
        [],
        ["cross_modal_search", "transcribe_speech"],
        ["transcribe_speech", "nonsense"],
        ["transcribe_speech"],
        ["judge", "judge"],
        ["judge", "judge"],
        [],
    ]
    assert sorted(step.step for step in every(steps)) == [event.step for event in run.events[1:]]


def test_calls_stand_as_they_were_asked_for_whichever_ended_first(run: LenientRun, tmp_path: Path) -> None:
    lines = lines_of(run)
    one, other = json.loads(lines[4]), json.loads(lines[5])
    swapped = [json.dumps({**other, "step": one["step"]}) + "\n", json.dumps({**one, "step": other["step"]}) + "\n"]
    ended_otherwise = rewritten(run, tmp_path, [*lines[:4], *swapped, *lines[6:]])
    assert {one["type"], other["type"]} == {"tool"}
    tools = [[call.data["tool"] for call in each.calls] for each in (run, ended_otherwise)]
    assert tools[0] == tools[1]
    assert tools[0][:2] == ["cross_modal_search", "transcribe_speech"]


def test_a_step_says_what_was_mended_found_cached_and_failed(run: LenientRun) -> None:
    calls = [step for step in every(steps_of(run)) if step.type == "tool"]
    assert calls[1].sent == {"tool": "transcribe_speach", "arguments": {"timestamp": [3, 7]}}
    assert [(cited.start, cited.end, cited.quote) for cited in calls[1].evidence] == [
        (4.0, 6.0, "The blue kettle costs 249 dollars.")
    ]
    assert calls[2].sent is None
    assert [call.cached for call in calls] == [False, False, False, False, True]
    assert (calls[3].failure or "").startswith("bad_arguments: There is no tool 'nonsense'.")
    (model, *_) = [step for step in steps_of(run) if step.type == "model"]
    assert model.repairs == ("tool 'transcribe_speach' taken for 'transcribe_speech'",)
    assert (model.text, model.input_tokens, model.output_tokens) == ("I look for the price.", 100, 20)


def test_a_run_without_an_endpoint_costs_nothing(small_workspace: Workspace) -> None:
    answer = Agent(small_workspace).ask(["talk.mp4"], COST)
    read = LenientRun(RecordedTrace(small_workspace.library.trace_root, answer.trace or ""))
    assert (read.usage.cost, read.usage.rounds) == (0.0, answer.usage.rounds)


def test_a_trace_that_ends_in_the_middle_of_a_line_is_shown_up_to_there(run: LenientRun, tmp_path: Path) -> None:
    lines = lines_of(run)
    torn = rewritten(run, tmp_path, [*lines[:6], lines[6][:40]])
    assert [event.step for event in torn.events] == [0, 1, 2, 3, 4, 5]
    assert (torn.asked.question, torn.status, torn.answer) == (COST, "unfinished", None)
    assert [step.type for step in steps_of(torn)] == ["orient", "brief", "model"]
    (problem,) = torn.problems
    assert "is cut off" in problem


@pytest.mark.parametrize("broken", ["no JSON\n", "[]\n", '{"step": "x", "type": "tool"}\n', '{"type": "tool"}\n'])
def test_a_line_that_is_no_event_is_left_out(run: LenientRun, tmp_path: Path, broken: str) -> None:
    lines = lines_of(run)
    mended = rewritten(run, tmp_path, [*lines[:3], broken, *lines[3:]])
    assert [event.step for event in mended.events] == [event.step for event in run.events]
    assert [problem.partition(" of ")[0] for problem in mended.problems] == ["Line 4"]
    assert mended.answer == run.answer


def test_a_step_that_is_sent_twice_is_shown_once(run: LenientRun, tmp_path: Path) -> None:
    lines = lines_of(run)
    again = rewritten(run, tmp_path, [*lines[:4], lines[3], *lines[4:]])
    assert len(list(every(steps_of(again)))) == len(list(every(steps_of(run))))


def test_what_an_older_trace_does_not_hold_is_left_out_and_said(run: LenientRun, tmp_path: Path) -> None:
    def older(line: str) -> str:
        event = json.loads(line)
        kept = {name: event[name] for name in ("step", "type", "parent", "data", "input", "output")}
        return json.dumps({**kept, "v": 0, "mood": "gone since"}) + "\n"

    old = rewritten(run, tmp_path, list(map(older, lines_of(run))))
    (problem,) = old.problems
    assert f"has schema 0, not {SCHEMA}" in problem
    assert (old.status, old.asked.question, old.answer) == ("answered", COST, run.answer)
    assert [step.type for step in steps_of(old)] == [step.type for step in steps_of(run)]
    assert old.usage.seconds == 0.0


def test_a_missing_blob_is_said_and_the_rest_is_shown(run: LenientRun, tmp_path: Path) -> None:
    digest = run.calls[1].output or ""
    copy = rewritten(run, tmp_path, lines_of(run))
    (copy.trace.root / "blobs" / digest[:2] / f"{digest}.json").unlink()
    call = [step for step in every(steps_of(copy)) if step.type == "tool"][1]
    assert (call.tool, call.evidence) == ("transcribe_speech", ())
    assert call.arguments == {"timestamp": [3, 7]}
    (problem,) = copy.problems
    assert f"{digest}.json" in problem
    assert "is missing" in problem


def test_an_interrupted_a_failed_and_a_killed_run_are_told_apart(run: LenientRun, tmp_path: Path) -> None:
    event = json.loads(lines_of(run)[-1])
    for number, (error, status) in enumerate((("interrupted", "interrupted"), ("The endpoint is gone.", "failed"))):
        ended = json.dumps({**event, "type": "error", "data": {"error": error}, "output": None}) + "\n"
        read = rewritten(run, tmp_path / str(number), [*lines_of(run)[:-1], ended])
        assert (read.status, read.answer) == (status, None)
    assert rewritten(run, tmp_path / "2", lines_of(run)[:-1]).status == "unfinished"


def test_a_reply_to_a_tool_stands_under_its_call(small_workspace: Workspace) -> None:
    summary = ("summarize_segment", {"timestamp": [0, 8], "text": "", "length": "short"})
    read = recorded(small_workspace, says(None, summary, LISTEN), says("A kettle for 249 dollars."), says(PRICE))
    (first, *_) = [step for step in steps_of(read) if step.type == "model"]
    reported = {call.tool: [below.text for below in call.steps] for call in first.steps}
    assert reported["transcribe_speech"] == []
    assert reported["summarize_segment"] == ["A kettle for 249 dollars."]
    assert read.usage.rounds == len(read.rounds) == 2
