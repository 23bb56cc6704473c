"""A weak model is never worse than none: the extractive controller takes over, and the answer says so."""

from __future__ import annotations

import pytest
from helpers.asking import VIDEO, Asked, ask_endpoint
from helpers.servers.openai_server import Reply, refuses, says

from longtake.agent.graph.agent import Agent
from longtake.agent.graph.nodes.answer import STOOD_IN
from longtake.agent.traces.replay import replay
from longtake.agent.traces.trace import RecordedTrace
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
COST = "What does the blue kettle cost?"
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
WEAK = {
    "nonsense": [says("The moon is made of green cheese, says Napoleon [00:00:03].")],
    "no calls, no answer": [says("NOT FOUND: I cannot see the video.")],
    "loops": [says(None, LISTEN)],
    "silent": [says("")],
    "breaks off": [says(None, LISTEN), refuses(400, "no more")],
    "a wrong number": [says("The blue kettle costs 999 dollars [00:00:04].")],
}


def own(answer: Answer) -> str:
    """An answer's text without the remark that another controller stood in."""
    return answer.answer.partition(STOOD_IN.partition("{why}")[0])[0].strip()


@pytest.mark.parametrize("script", WEAK.values(), ids=WEAK.keys())
@pytest.mark.parametrize("question", [COST, "What is said at 0:01?", "Who won the cup?"])
def test_it_answers_as_the_extractive_controller_does_and_says_so(
    small_workspace: Workspace, script: list[Reply], question: str
) -> None:
    alone = Agent(small_workspace).ask([VIDEO], question)
    asked = ask_endpoint(small_workspace, script, question=question)
    reported = asked.answer
    assert asked.stood_in
    assert (reported.status, own(reported), reported.citations) == (alone.status, own(alone), alone.citations)
    assert [each.text for each in reported.closest] == [each.text for each in alone.closest]
    assert reported.status != "answered" or all(claim.verdict == "supported" for claim in reported.claims)
    assert replay(_trace(small_workspace, asked)).same


@pytest.mark.parametrize(("script", "failed"), [("breaks off", True), ("nonsense", False), ("loops", False)])
def test_an_answer_says_whether_its_controller_failed(small_workspace: Workspace, script: str, failed: bool) -> None:
    answer = ask_endpoint(small_workspace, WEAK[script], question=COST).answer
    assert (answer.status != "failed", bool(answer.controller_error)) == (True, failed)


def test_a_model_that_answers_is_left_alone(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    assert (asked.answer.status, asked.stood_in) == ("answered", False)


def test_a_model_that_is_half_right_is_left_alone(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(f"{PRICE} Napoleon bought it in Paris.")])
    assert (asked.answer.status, asked.stood_in) == ("answered", False)
    assert "Napoleon" not in asked.answer.answer


def test_nobody_stands_in_when_the_time_is_over(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [Reply(says(PRICE).body, delay=1.0)], "budget.seconds=0.5")
    assert (asked.answer.status, asked.stood_in) == ("partial", False)


def test_it_stands_in_once_and_its_rounds_are_its_own(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN)], "budget.rounds=3", question="What is said at 0:04?")
    assert (asked.answer.status != "partial", asked.stood_in) == (True, True)
    assert asked.answer.usage.rounds > 3


def test_a_choice_is_always_named(small_workspace: Workspace) -> None:
    options = ("17 dollars", "249 dollars", "12 euros")
    asked = ask_endpoint(small_workspace, [says("Napoleon bought it.")], options=options)
    assert asked.answer.option is not None
    assert asked.answer.option.text == "249 dollars"


def _trace(workspace: Workspace, asked: Asked) -> RecordedTrace:
    return RecordedTrace(workspace.library.trace_root, asked.answer.trace or "")
