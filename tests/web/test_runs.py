"""Runs: questions answered in a bounded pool, followed and stopped from outside."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

import pytest
from helpers.asking import endpoint_asker
from helpers.doubted import FIRST, PUBLISHED, QUESTION, REMARK, SECOND, doubted_script, doubting
from helpers.servers.openai_server import Reply, openai_server, says
from helpers.servers.server_events import ENOUGH, wait_for_end

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.memory.conversations import Conversations
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.http.refusals import Refusal
from longtake.web.runs import MAX_RUNNING, MAX_UNDER_WAY, QuestionForm, Run, Runs

COST = "What does the blue kettle cost?"
SLOW = replace(says("NOT FOUND: nothing."), delay=60)
ENDLESS = ("execute_code", {"language": "python", "code": "while True: pass"})


def _runs(workspace: Workspace, agent: Agent | None = None) -> Runs:
    conversations = Conversations(workspace.library.memory_file)
    return Runs(agent or Agent(workspace), conversations, workspace.settings.budget.seconds)


@contextmanager
def _scripted(workspace: Workspace, script: Sequence[Reply], *settings: str) -> Iterator[Runs]:
    with openai_server(script, doubting) as endpoint:
        runs = _runs(workspace, endpoint_asker(workspace, endpoint.url, *settings))
        yield runs
        runs.close()


def _last(run: Run) -> tuple[str, dict[str, object]]:
    wait_for_end(run)
    event = run.feed.after(-1)[-1]
    return event.kind, dict(event.data)


def _wait_for_step(run: Run, kind: str) -> None:
    deadline = time.monotonic() + ENOUGH
    while not any(event.data.get("type") == kind for event in run.feed.after(-1)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_run_tells_every_event_of_its_trace_and_then_the_answer(small_workspace: Workspace, video: str) -> None:
    thread = uuid4().hex
    run = _runs(small_workspace).start(
        QuestionForm((video,), "What does the speaker say from 0:04 to 0:06?", thread=thread)
    )
    kind, reported = _last(run)
    kept = Conversations(small_workspace.library.memory_file).exchange(thread, 0).answer
    assert (kind, reported) == ("answer", {"number": 0, "answer": kept.model_dump(mode="json")})
    assert "249 dollars" in kept.answer
    steps = [event.data for event in run.feed.after(-1)[:-1]]
    recorded = list(RecordedTrace(small_workspace.library.trace_root, kept.trace or "").events())
    assert [(step["step"], step["type"], step["spans"]) for step in steps] == [
        (event["step"], event["type"], event["spans"]) for event in recorded
    ]
    assert next(step for step in steps if step["type"] == "brief")["evidence"] > 0
    heard = next(step for step in steps if step["type"] == "tool")
    assert heard["tool"] == "transcribe_speech"
    assert heard["evidence"] > 0
    assert heard["spans"][0][0] == video


def test_a_run_tells_what_is_written_and_its_trace_keeps_none_of_it(small_workspace: Workspace, video: str) -> None:
    with _scripted(small_workspace, doubted_script(pause=0.02)) as runs:
        run = runs.start(QuestionForm((video,), QUESTION))
        _, reported = _last(run)
        events = run.feed.after(-1)
    drafts: dict[int, str] = {}
    for event in events:
        if event.kind == "text":
            drafts[event.data["draft"]] = drafts.get(event.data["draft"], "") + event.data["text"]
    assert list(drafts.values()) == [REMARK, FIRST, SECOND]
    assert len([event for event in events if event.kind == "text"]) > len(drafts)
    judged = next(number for number, event in enumerate(events) if event.data.get("type") == "judge")
    assert [event.data["text"] for event in events[:judged] if event.kind == "text"][-1] in FIRST
    answer = Answer.model_validate(reported["answer"])
    assert answer.answer == PUBLISHED
    trace = RecordedTrace(small_workspace.library.trace_root, answer.trace or "")
    assert {event["type"] for event in trace.events()} <= {"run", "orient", "brief", "model", "tool", "judge", "answer"}


def test_a_second_question_of_a_thread_is_the_next_of_its_answers(small_workspace: Workspace, video: str) -> None:
    runs, thread = _runs(small_workspace), uuid4().hex
    numbers = [_last(runs.start(QuestionForm((video,), COST, thread=thread)))[1]["number"] for _ in range(2)]
    assert numbers == [0, 1]


def test_a_run_is_stopped_while_a_tool_is_at_work(small_workspace: Workspace, video: str) -> None:
    script = [says(None, ENDLESS), says("NOT FOUND: nothing.")]
    with _scripted(small_workspace, script, "sandbox.seconds=55") as runs:
        run = runs.start(QuestionForm((video,), COST))
        _wait_for_step(run, "model")
        time.sleep(0.5)
        run.stop()
        kind, reported = _last(run)
    assert kind == "answer"
    assert reported["answer"]["status"] == "partial"  # type: ignore[index] # JSON
    assert reported["answer"]["answer"].startswith("Stopped.")  # type: ignore[index] # JSON
    steps = [event.data for event in run.feed.after(-1)[:-1]]
    assert [step["failure"] for step in steps if step["type"] == "tool"] == ["timeout"]


def test_a_run_is_stopped_while_the_controller_thinks_or_its_turn_has_not_come(
    small_workspace: Workspace, video: str
) -> None:
    with _scripted(small_workspace, [SLOW]) as runs:
        begun = [runs.start(QuestionForm((video,), COST)) for _ in range(MAX_RUNNING)]
        waiting = runs.start(QuestionForm((video,), COST, thread=uuid4().hex))
        for run in begun:
            _wait_for_step(run, "orient")
        assert not waiting.feed.after(-1)
        waiting.stop()
        never_begun = "The question was stopped before it started."
        assert _last(waiting) == ("failed", {"message": never_begun, "status": 500})
        conversations = Conversations(small_workspace.library.memory_file)
        (kept,) = conversations.exchanges(waiting.asked.thread or "")
        assert (kept.answer.question, kept.answer.status, kept.answer.error) == (COST, "failed", never_begun)
        for run in begun:
            run.stop()
        ends = [_last(run) for run in begun]
        assert {kind for kind, _ in ends} == {"answer"}
        assert {reported["answer"]["status"] for _, reported in ends} == {"partial"}  # type: ignore[index] # JSON
        assert runs.under_way() == []


def test_a_thread_is_asked_one_question_at_a_time(small_workspace: Workspace, video: str) -> None:
    with _scripted(small_workspace, [SLOW]) as runs:
        asked = QuestionForm((video,), COST, thread=uuid4().hex)
        first = runs.start(asked)
        assert runs.of_thread(asked.thread or "") is first
        assert runs.asked_about(video)
        with pytest.raises(Refusal, match="still being answered"):
            runs.start(asked)
        other = runs.start(replace(asked, thread=uuid4().hex))
        first.stop()
        _last(first)
        again = runs.start(asked)
        assert len({first.id, other.id, again.id}) == 3
    assert not runs.asked_about(video)


def test_no_more_questions_wait_than_may(small_workspace: Workspace, video: str) -> None:
    with _scripted(small_workspace, [SLOW]) as runs:
        for _ in range(MAX_UNDER_WAY):
            runs.start(QuestionForm((video,), COST))
        with pytest.raises(Refusal, match="Try again in a while"):
            runs.start(QuestionForm((video,), COST))


def test_a_question_that_cannot_be_asked_fails_with_the_sentence(small_workspace: Workspace) -> None:
    thread = uuid4().hex
    kind, reported = _last(_runs(small_workspace).start(QuestionForm(("nothing.mp4",), COST, thread=thread)))
    assert kind == "failed"
    assert "'nothing.mp4' is neither a file nor a video in the library." in str(reported["message"])
    conversations = Conversations(small_workspace.library.memory_file)
    assert [each.answer.error for each in conversations.exchanges(thread)] == [reported["message"]]
    listed = conversations.get(thread)
    assert listed is not None
    assert listed.title == COST, "a thread without a title is not listed"


def test_a_fault_of_ours_ends_the_run_and_is_logged(
    small_workspace: Workspace, video: str, caplog: pytest.LogCaptureFixture
) -> None:
    thread = uuid4().hex
    Agent(small_workspace).ask([video], COST, thread=thread)
    with sqlite3.connect(small_workspace.library.memory_file) as connection:
        connection.execute("UPDATE exchanges SET answer = '{}' WHERE thread = ?", (thread,))
    connection.close()
    kind, reported = _last(_runs(small_workspace).start(QuestionForm((video,), COST, thread=thread)))
    assert (kind, "ValidationError" in str(reported["message"])) == ("failed", True)
    assert "failed" in caplog.text
    caplog.clear()
