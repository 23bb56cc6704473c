"""A tool that asks the controller's model: its replies are in the trace, in the usage, and within the time."""

from __future__ import annotations

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import Reply, refuses, says

from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.trace import RecordedTrace
from longtake.preprocess.pipeline.workspace import Workspace

SHORT = ("summarize_segment", {"timestamp": [0, 8], "text": "", "length": "short"})
GIVEN = ("summarize_segment", {"timestamp": [0, 8], "text": "Kettles boil. Herons wade.", "length": "short"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."


def test_a_summary_is_a_model_event_and_its_tokens_count(small_workspace: Workspace) -> None:
    asked = ask_endpoint(
        small_workspace,
        [says(None, SHORT), says("A kettle for 249 dollars.", usage=(700, 30)), says(PRICE)],
        "controller.price.input=10",
    )
    first, summary, *_ = asked.of("model")
    (tool,) = asked.of("tool")
    assert summary["usage"] == {"input_tokens": 700, "output_tokens": 30}
    assert (summary["parent"], summary["data"]["call"]) == (first["step"], tool["data"]["call"])
    trace = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    assert "249 dollars" in trace.blob(summary["input"])["messages"][0]["data"]["content"]
    assert trace.blob(tool["output"])["output"] == {"summary": "A kettle for 249 dollars."}
    usage = asked.answer.usage
    assert (usage.rounds, usage.input_tokens, usage.output_tokens) == (2, 1_000, 90)
    assert usage.cost == pytest.approx(0.01)


def test_the_tokens_of_a_judge_cost_what_its_own_model_does(small_workspace: Workspace) -> None:
    settings = ("controller.price.input=10", "verification.model=gpt-5-mini")  # 0.25 and 2 dollars for a million
    asked = ask_endpoint(small_workspace, [says(PRICE, usage=(100, 20))], *settings)
    assert asked.answer.usage.cost == pytest.approx((100 * 10 + 100 * 0.25 + 20 * 2) / 1e6)
    run = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    assert LenientRun(run).usage.cost == asked.answer.usage.cost


def test_two_summaries_of_a_round_both_count(small_workspace: Workspace) -> None:
    asked = ask_endpoint(
        small_workspace, [says(None, SHORT, GIVEN), says("One."), says("Two."), says("NOT FOUND: none.")]
    )
    assert len(asked.endpoint.requests) == 4
    assert asked.answer.usage.input_tokens == 400


def test_the_tokens_of_a_summary_reach_the_guard(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, SHORT), says("Kettle."), says(PRICE)], "budget.tokens=200")
    assert "the limit of 200 tokens was reached" in asked.answer.answer
    assert ["tools" in request for request in asked.endpoint.requests] == [True, False, False]


@pytest.mark.parametrize("reply", [refuses(500, "the model crashed"), Reply(says("Late.").body, delay=1.5)])
def test_a_summary_that_fails_or_is_late_is_passed_to_the_controller(small_workspace: Workspace, reply: Reply) -> None:
    asked = ask_endpoint(small_workspace, [says(None, SHORT), reply, says(PRICE)], "tools.timeout=0.5")
    (tool,) = asked.of("tool")
    assert tool["data"]["failure"] in ("engine_failed", "timeout")
    assert len(asked.of("model")) == len(asked.endpoint.requests) - 1 + len(asked.endpoint.judged)
