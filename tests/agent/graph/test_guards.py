"""The guards: whatever ends a model's rounds, the lines that were found answer; without time, in part."""

from __future__ import annotations

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import Reply, says

from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
SEARCH = ("cross_modal_search", {"query": "which room", "modalities": []})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."


def test_the_same_call_for_ever_ends_in_what_was_found(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN)])
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert "same calls" in asked.answer.answer
    assert "249 dollars" in asked.answer.answer
    assert asked.answer.usage.tool_calls == 3
    assert [event["data"]["guard"] for event in asked.of("guard")] == ["the same calls kept giving the same results"]


def test_going_in_circles_is_no_progress(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, call) for call in [LISTEN, SEARCH] * 4])
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert asked.answer.usage.tool_calls == 5


@pytest.mark.parametrize(
    ("setting", "guard"),
    [
        ("budget.rounds=2", "the limit of 2 rounds was reached"),
        ("budget.tokens=200", "the limit of 200 tokens was reached"),
    ],
)
def test_a_guard_ends_in_what_was_found(small_workspace: Workspace, setting: str, guard: str) -> None:
    asked = ask_endpoint(small_workspace, [says(None, SEARCH), says(None, LISTEN), says(PRICE)], setting)
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert guard in asked.answer.answer
    assert len(asked.endpoint.requests) == 2


def test_the_money_guard_ends_in_what_was_found(small_workspace: Workspace) -> None:
    asked = ask_endpoint(
        small_workspace, [says(None, LISTEN), says(PRICE)], "budget.cost=0.01", "controller.price.input=100"
    )
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert "the price reached its limit of 0.01" in asked.answer.answer


def test_what_was_proven_is_answered_where_a_guard_ends_the_rounds(small_workspace: Workspace) -> None:
    draft = f"{PRICE} Napoleon bought it in Paris."
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(draft)], "budget.rounds=2")
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert "249 dollars" in asked.answer.answer
    assert "Napoleon" not in asked.answer.answer


def test_an_endpoint_slower_than_the_questions_time_ends_in_a_partial_answer(small_workspace: Workspace) -> None:
    slow = says(PRICE)
    asked = ask_endpoint(small_workspace, [Reply(slow.body, delay=1.0)], "budget.seconds=0.3")
    assert (asked.answer.status, asked.stood_in) == ("partial", False)
    assert "time ran out" in asked.answer.answer
