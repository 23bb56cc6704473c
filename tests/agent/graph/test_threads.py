"""Threads: what one question leaves for the next, in the library's SQLite file."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest
from helpers.asking import VIDEO, endpoint_asker
from helpers.full_disk import full_disk
from helpers.servers.openai_server import openai_server, says
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from longtake.agent.graph.agent import MAX_THREAD_LENGTH, Agent
from longtake.agent.graph.state import REMEMBERED, Turn
from longtake.agent.graph.threads import close_threads, open_threads
from longtake.agent.traces.trace import RecordedTrace, Watch
from longtake.config import load
from longtake.errors import LibraryError, LibraryUnavailable, LongtakeError, ThreadBusy
from longtake.memory.conversations import Conversations
from longtake.memory.records import Answer, Moment
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
COST = "What does the blue kettle cost?"


def _asked_again(workspace: Workspace, thread: str) -> str:
    """The words a second question of a thread is put in."""
    with openai_server([says("NOT FOUND: nothing.")]) as endpoint:
        endpoint_asker(workspace, endpoint.url).ask([VIDEO], "And the red one?", thread=thread)
        return str(endpoint.requests[0]["messages"][1]["content"])


@pytest.mark.parametrize("thread", [None, "kettles"])
def test_a_question_on_a_full_disk_is_one_sentence(own_workspace: Workspace, thread: str | None) -> None:
    agent = Agent(own_workspace)
    with full_disk(50), pytest.raises(LibraryUnavailable, match="disk space"):
        agent.ask([VIDEO], COST, thread=thread)
    assert agent.ask([VIDEO], COST, thread=thread).status == "answered"


def test_a_long_thread_costs_no_more_than_a_short_one(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    agent.ask([VIDEO], COST, thread="longer")
    turns = [Turn(question=f"Question {number}?", answer="Yes.") for number in range(2 * REMEMBERED)]
    answer = agent.ask([VIDEO], COST, thread="longer", earlier=turns)
    trace = RecordedTrace(small_workspace.library.trace_root, answer.trace or "")
    [orient] = [event for event in trace.events() if event["type"] == "orient"]
    known = trace.blob(orient["input"])["turns"]
    assert [turn["question"] for turn in known] == [turn.question for turn in turns[-REMEMBERED:]]


def test_a_second_question_knows_the_first_also_after_a_restart(small_workspace: Workspace) -> None:
    with openai_server([says(None, LISTEN), says(PRICE)]) as endpoint:
        endpoint_asker(small_workspace, endpoint.url).ask([VIDEO], COST, thread="kettles")
    reported = _asked_again(small_workspace, "kettles")
    assert f"Q: {COST}" in reported
    assert "A: The blue kettle costs 249 dollars [00:00:04]." in reported
    assert "And the red one?" in reported


def test_a_follow_up_is_read_with_what_the_question_before_it_is_about(demo_workspace: Workspace) -> None:
    with openai_server([says("It was fast [00:00:18]."), says("NOT FOUND: nothing.")]) as endpoint:
        agent = endpoint_asker(demo_workspace, endpoint.url, "controller.context=1000")  # no room for the transcript
        for question in ("How fast was the wind?", "Who mentioned it, and did Edith agree?"):
            agent.ask(["demo.mp4"], question, thread="wind")
        opening = str(endpoint.requests[-1]["messages"][1]["content"])
    assert "The wind reached 130 kilometres an hour" in opening.partition("Found for the question")[2]


def test_a_follow_up_is_judged_as_it_was_asked_with_the_answer_before_it(small_workspace: Workspace) -> None:
    with openai_server([says(PRICE)] * 2) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        for question in (COST, "And why?"):
            agent.ask([VIDEO], question, thread="judged")
        checks = [request["messages"][-1]["content"] for request in endpoint.judged]
    assert 'Question: "And why?"' in checks[-1]
    [earlier] = [line for line in checks[-1].splitlines() if COST in line]
    assert "249" in json.loads(earlier)
    assert COST not in checks[0].replace(f'Question: "{COST}"', "")


def test_threads_do_not_hear_of_each_other(small_workspace: Workspace) -> None:
    Agent(small_workspace).ask([VIDEO], COST, thread="one")
    assert "Earlier in this conversation" not in _asked_again(small_workspace, "another")


def test_a_thread_lies_in_the_librarys_file(small_workspace: Workspace) -> None:
    Agent(small_workspace).ask([VIDEO], COST, thread="stored")
    with sqlite3.connect(small_workspace.library.memory_file) as connection:
        (count,) = connection.execute("SELECT count(*) FROM checkpoints WHERE thread_id = 'stored'").fetchone()
    connection.close()
    assert count > 0


def _rows(workspace: Workspace, thread: str | None = None) -> tuple[int, int]:
    """How many checkpoints, and how many writes that led to them, the library holds: of one thread, or of all."""
    with closing(sqlite3.connect(workspace.library.memory_file)) as connection:
        checkpoints, writes = (
            connection.execute(f"SELECT count(*) FROM {table} WHERE thread_id = ifnull(?, thread_id)", (thread,))
            for table in ("checkpoints", "writes")
        )
        return checkpoints.fetchone()[0], writes.fetchone()[0]


def test_a_thread_keeps_one_checkpoint_however_many_questions_it_has(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    for _ in range(3):
        agent.ask([VIDEO], COST, thread="long")
        assert _rows(small_workspace, "long") == (1, 0)
    assert _asked_again(small_workspace, "long").count(f"Q: {COST}") == 3
    assert _rows(small_workspace, "long") == (1, 0)


def test_a_question_outside_every_thread_leaves_no_checkpoint(own_workspace: Workspace) -> None:
    agent = Agent(own_workspace)
    agent.ask([VIDEO], COST, thread="kept")
    before = _rows(own_workspace)
    agent.ask([VIDEO], COST)
    with pytest.raises(KeyboardInterrupt):
        agent.ask([VIDEO], COST, watch=_ctrl_c_at("model"))
    assert _rows(own_workspace) == before


def _ctrl_c_at(last: str) -> Watch:
    def watch(event: Mapping[str, Any]) -> None:
        if event["type"] == last:
            raise KeyboardInterrupt

    return watch


@pytest.mark.parametrize("event", ["orient", "model", "tool", "judge"])
def test_an_interrupted_question_leaves_the_thread_as_it_was(event: str, small_workspace: Workspace) -> None:
    thread = f"interrupted in {event}"
    Agent(small_workspace).ask([VIDEO], COST, thread=thread)
    with pytest.raises(KeyboardInterrupt):
        Agent(small_workspace).ask([VIDEO], "Which room is it?", thread=thread, watch=_ctrl_c_at(event))
    assert _rows(small_workspace, thread)[0] == 1
    reported = _asked_again(small_workspace, thread)
    assert f"Q: {COST}" in reported
    assert "Which room" not in reported
    assert _rows(small_workspace, thread) == (1, 0)


def test_a_question_that_fails_at_once_has_spent_nothing_of_the_one_before(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    first = agent.ask([VIDEO], "What does the kettle cost at 0:04?", thread="too late")
    failed = agent.ask([VIDEO], "What is said at 1:59:00?", thread="too late")
    assert first.usage.tool_calls > 0
    assert first.coverage
    assert (failed.status, failed.usage.rounds, failed.usage.tool_calls, failed.coverage) == ("failed", 0, 0, {})
    assert _rows(small_workspace, "too late")[0] == 1
    assert f"Q: {first.question}" in _asked_again(small_workspace, "too late")


def test_threads_that_are_lost_in_the_middle_are_one_sentence(own_workspace: Workspace) -> None:
    agent = Agent(own_workspace)
    agent.ask([VIDEO], COST, thread="lost")
    with closing(sqlite3.connect(own_workspace.library.memory_file)) as connection, connection:
        connection.execute("DROP TABLE writes")
    with pytest.raises(LibraryError, match="no such table"):
        agent.ask([VIDEO], COST, thread="lost")


@pytest.mark.slow
def test_another_process_goes_on_with_a_thread(small_workspace: Workspace) -> None:
    Agent(small_workspace).ask([VIDEO], COST, thread="handed over")
    program = (
        "import sys; from pathlib import Path\n"
        "from longtake.agent.graph.agent import Agent; from longtake.config import load\n"
        "from longtake.preprocess.pipeline.workspace import Workspace\n"
        "agent = Agent(Workspace(Path(sys.argv[1]), load()))\n"
        "state = agent._threaded.get_state({'configurable': {'thread_id': 'handed over'}})\n"
        "print(state.values['turns'][0].question)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(small_workspace.library.root)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == COST


def _noted(workspace: Workspace, thread: str | None) -> str:
    """What a run finds that searches the notes of its conversation."""
    with openai_server([says(None, ("memory_tool", {"func": "search", "data": "kettle"})), says(PRICE)]) as endpoint:
        endpoint_asker(workspace, endpoint.url).ask([VIDEO], COST, thread=thread)
        return str(endpoint.requests[1]["messages"][-1]["content"])


def test_a_note_is_found_again_in_its_thread_only(small_workspace: Workspace) -> None:
    note = ("memory_tool", {"func": "add", "data": "the kettle is on page 7"})
    for thread in ("noting", None):
        with openai_server([says(None, note), says(PRICE)]) as endpoint:
            endpoint_asker(small_workspace, endpoint.url).ask([VIDEO], COST, thread=thread)
    assert "page 7" in _noted(small_workspace, "noting")
    assert "page 7" not in _noted(small_workspace, "another one")
    assert "page 7" not in _noted(small_workspace, None)
    with sqlite3.connect(small_workspace.library.memory_file) as connection:
        assert connection.execute("SELECT DISTINCT thread FROM notes").fetchall() == [("noting",)]
    connection.close()


def test_askers_that_open_a_new_library_at_once_do_not_lock_each_other_out(own_workspace: Workspace) -> None:
    answers: list[Answer] = []
    together = threading.Barrier(4)

    def ask(name: str) -> None:
        workspace = Workspace(own_workspace.library.root, load())
        together.wait()
        agent = Agent(workspace)
        answers.extend(agent.ask([VIDEO], COST, thread=name) for _ in range(3))

    agents = [threading.Thread(target=ask, args=(f"at once {number}",)) for number in range(4)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    assert [answer.status for answer in answers] == ["answered"] * 12


def test_a_second_question_is_answered_from_no_tools_result_of_the_first(small_workspace: Workspace) -> None:
    with openai_server([says(None, LISTEN), says(PRICE)] * 2) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        answers = [agent.ask([VIDEO], COST) for _ in range(2)]
    for answer in answers:
        trace = RecordedTrace(small_workspace.library.trace_root, answer.trace or "")
        assert [event["data"]["cached"] for event in trace.events() if event["type"] == "tool"] == [False]


def test_a_threads_answers_are_kept_whole_until_it_is_forgotten(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    conversations = Conversations(small_workspace.library.memory_file)
    before = {each.thread for each in conversations.all()}
    answers = [agent.ask([VIDEO], question, thread="kept") for question in (COST, "Which room is it?")]
    agent.ask([VIDEO], COST)
    assert [exchange.answer for exchange in conversations.exchanges("kept")] == answers
    assert {each.thread for each in conversations.all()} - before == {"kept"}
    agent.forget("kept")
    assert conversations.get("kept") is None
    assert _rows(small_workspace, "kept") == (0, 0)


def test_a_thread_is_not_forgotten_while_it_is_answered(small_workspace: Workspace) -> None:
    agent, other = Agent(small_workspace), Agent(small_workspace)
    conversations = Conversations(small_workspace.library.memory_file)
    locks = small_workspace.library.root / "locks"
    before = set(locks.glob("thread-*"))

    def forget(event: Mapping[str, Any]) -> None:
        with pytest.raises(ThreadBusy, match="'busy' is being answered elsewhere"):
            other.forget("busy")

    agent.ask([VIDEO], COST, thread="busy", watch=forget)
    assert len(conversations.exchanges("busy")) == 1
    other.forget("busy")
    assert conversations.get("busy") is None
    assert set(locks.glob("thread-*")) == before


@pytest.mark.parametrize("name", ["", "x" * (MAX_THREAD_LENGTH + 1), "\udcff"])
def test_what_cannot_be_the_name_of_a_thread_is_refused(small_workspace: Workspace, name: str) -> None:
    with pytest.raises(LongtakeError, match="name of the thread"):
        Agent(small_workspace).ask([VIDEO], COST, thread=name)


@pytest.mark.parametrize("asked", [("\udcff", ()), (COST, ("\udcff", "two"))])
def test_bytes_of_another_encoding_are_refused(small_workspace: Workspace, asked: tuple[str, tuple[str, ...]]) -> None:
    question, options = asked
    with pytest.raises(LongtakeError, match="UTF-8"):
        Agent(small_workspace).ask([VIDEO], question, options=options)


def test_two_who_ask_in_one_thread_at_once_lose_no_turn(small_workspace: Workspace) -> None:
    with openai_server([says(None, LISTEN), says(PRICE)]) as endpoint:
        agent, other = (endpoint_asker(small_workspace, endpoint.url) for _ in range(2))
        refused: list[str] = []

        def ask_too(event: Mapping[str, Any]) -> None:
            with pytest.raises(LongtakeError, match=r"'both' is being answered elsewhere") as problem:
                other.ask([VIDEO], "And the red one?", thread="both")
            refused.append(str(problem.value))

        agent.ask([VIDEO], COST, thread="both", watch=ask_too)
        assert refused
        other.ask([VIDEO], "And the green one?", thread="both")
    kept = Conversations(small_workspace.library.memory_file).exchanges("both")
    assert [each.answer.question for each in kept] == [COST, "And the green one?"]
    assert f"Q: {COST}" in str(endpoint.requests[-1]["messages"][1]["content"])


def test_a_thread_of_an_earlier_version_is_read(own_workspace: Workspace) -> None:
    fields = {"video": "v", "span": {"start": 1, "end": 2}, "modality": "speech", "content": "Hello", "engine": "e"}
    earlier = type("Evidence", (Moment,), {"__module__": Moment.__module__})(**fields)
    written = JsonPlusSerializer().dumps_typed([earlier])
    threads = open_threads(own_workspace.library)
    assert threads.serde.loads_typed(written) == [Moment.model_validate(fields)]
    close_threads(threads)
