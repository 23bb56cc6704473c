"""The guards: whatever ends a model's rounds, it is asked once more, without tools, and that reply is the answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from helpers.asking import VIDEO, ask_endpoint, endpoint_asker
from helpers.servers.openai_server import Reply, openai_server, says

from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
SEARCH = ("cross_modal_search", {"query": "which room", "modalities": []})
PRICE = "You pay 249 dollars for the blue one [00:00:04]."
COST = "What does the blue kettle cost?"
CIRCLES = "the same calls kept giving the same results"


@pytest.mark.parametrize(
    ("calls", "settings", "guard"),
    [
        ([LISTEN] * 3, (), CIRCLES),
        ([LISTEN, SEARCH] * 2 + [LISTEN], (), CIRCLES),
        ([SEARCH, LISTEN], ("budget.rounds=2",), "the limit of 2 rounds was reached"),
        ([SEARCH, LISTEN], ("budget.tokens=200",), "the limit of 200 tokens was reached"),
        ([SEARCH], ("budget.cost=0.01", "controller.price.input=100"), "the price reached its limit of 0.01"),
    ],
    ids=["one call for ever", "in circles", "rounds", "tokens", "price"],
)
def test_at_a_limit_the_model_is_asked_once_more_without_tools(
    small_workspace: Workspace, calls: Sequence[tuple[str, dict[str, object]]], settings: tuple[str, ...], guard: str
) -> None:
    asked = ask_endpoint(small_workspace, [*(says(None, call) for call in calls), says(PRICE)], *settings)
    *rounds, last = asked.endpoint.requests
    assert ["tools" in request for request in (*rounds, last)] == [True] * len(calls) + [False]
    assert guard in last["messages"][-1]["content"]
    assert (asked.answer.status, asked.stood_in) == ("answered", False)
    assert asked.answer.answer == f"{PRICE} (This rests on what was found before {guard}.)"
    assert asked.answer.usage.tool_calls == len(calls)
    assert [event["data"]["guard"] for event in asked.of("guard")] == [guard]
    assert asked.answer.controller_error is None


def test_what_is_left_of_the_time_is_kept_for_the_last_turn(small_workspace: Workspace) -> None:
    with openai_server([says(PRICE)]) as endpoint:
        answer = endpoint_asker(small_workspace, endpoint.url).ask([VIDEO], COST, budget=Budget(25))
    assert ["tools" in request for request in endpoint.requests] == [False]
    assert (answer.status, answer.answer) == (
        "answered",
        f"{PRICE} (This rests on what was found before time ran out.)",
    )


@pytest.mark.parametrize("last", [says(None, SEARCH), says("")], ids=["a call", "nothing"])
def test_a_last_turn_that_says_nothing_ends_in_what_was_found(small_workspace: Workspace, last: Reply) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), last], "budget.rounds=1")
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert "249 dollars" in asked.answer.answer
    assert len(asked.endpoint.requests) == 2


def test_a_draft_is_kept_where_no_round_is_left_to_mend_it(small_workspace: Workspace) -> None:
    draft = f"{PRICE} Napoleon bought it in Paris."
    with openai_server([says(draft)]) as endpoint:
        endpoint.judge = lambda request: says('{"claims": {"1": "supported", "2": "not shown"}}')
        answer = endpoint_asker(small_workspace, endpoint.url, "budget.rounds=1").ask([VIDEO], COST)
    assert [("tools" in request) for request in endpoint.requests] == [True, False]
    assert answer.answer.startswith(f"{draft} [not shown]")


def test_an_endpoint_slower_than_the_questions_time_ends_in_a_partial_answer(small_workspace: Workspace) -> None:
    slow = says(PRICE)
    asked = ask_endpoint(small_workspace, [Reply(slow.body, delay=1.0)], "budget.seconds=0.3")
    assert (asked.answer.status, asked.stood_in) == ("partial", False)
    assert "time ran out" in asked.answer.answer
