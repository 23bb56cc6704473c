"""Replies that are streamed: what is passed on as they come, and what becomes of those that break off."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from threading import Timer
from typing import Any

import pytest
from helpers.asking import plans_by
from helpers.servers.openai_server import Reply, openai_server, refuses, says
from langchain_core.messages import AIMessage, HumanMessage

from longtake.agent.controllers.asking import ContextFull, reply
from longtake.config import load
from longtake.errors import Cancelled, EngineError
from longtake.tools.core.tool_context import Budget

PRICE = "The kettle costs 249 dollars [00:00:04]."
TOOL = {"type": "function", "function": {"name": "search", "description": "", "parameters": {"type": "object"}}}


def streams(*deltas: dict[str, Any], end: str | None = "stop", done: bool = True) -> Reply:
    """A streamed completion with these pieces."""
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices += [{"index": 0, "delta": {}, "finish_reason": end}] if end else []
    events = [f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices]
    return Reply("".join(events) + ("data: [DONE]\n\n" if done else ""), kind="text/event-stream")


def spoken(*pieces: str) -> list[dict[str, Any]]:
    return [{"content": piece} for piece in pieces]


def called(**fields: Any) -> dict[str, Any]:
    """A piece of a call."""
    place = {name: fields.pop(name) for name in ("index", "id") if name in fields}
    return {"tool_calls": [{**place, "function": fields}]}


def heard(script: Sequence[Reply], *settings: str, seconds: float = 20) -> tuple[AIMessage, list[str]]:
    """The reply of a scripted endpoint, and the pieces of it that came."""
    pieces: list[str] = []
    with openai_server(script) as server:
        place = ("controller.engine=openai", f"controller.base_url={server.url}", "controller.model=scripted")
        model = plans_by(load(overrides=(*place, *settings)))
        message = reply(model, [HumanMessage("What?")], [TOOL], budget=Budget(seconds), on_text=pieces.append)
    return message, pieces


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (("The kettle ", "costs 249", " dollars."), ["The kettle ", "costs 249", " dollars."]),
        (("<thi", "nk>300?</thi", "nk>\n\nIt is ", "249."), ["It is ", "249."]),
        (("Let me look. ", "<tool_", 'call>{"name": "search"}</tool_call>'), ["Let me look. "]),
        (("[00:00", ":04] It is 249."), ["[00:00", ":04] It is 249."]),
        (("I look.\nCA", "LL search {}"), ["I look.\n"]),
        (('{"na', 'me": "search", "arguments": {}}'), []),
        (("Thoughts that", " never end"), ["Thoughts that", " never end"]),
    ],
)
def test_what_a_person_reads_is_passed_on_and_no_thought_or_call(written: tuple[str, ...], told: list[str]) -> None:
    message, pieces = heard([streams(*spoken(*written))])
    assert (message.text, pieces) == ("".join(written), told)


def test_thoughts_that_the_template_opened_are_not_passed_on() -> None:
    message, pieces = heard([streams(*spoken("Perhaps 300.", "</think>\n", PRICE))], "controller.thinking=true")
    assert (message.text, pieces) == (f"Perhaps 300.</think>\n{PRICE}", [PRICE])


@pytest.mark.parametrize(
    "pieces",
    [
        [
            called(index=0, id="a", name="search", arguments="{}"),
            called(index=0, id="b", name="search", arguments="{}"),
        ],
        [called(name="search", arguments="{}"), called(name="search", arguments="{}")],
        [
            called(index=0, id="a", name="search", arguments="{"),
            called(index=1, id="b", name="search", arguments=""),
            called(index=0, id="", arguments="}"),
            called(index=1, arguments="{}"),
        ],
        [called(index=0, id="a", name="search", arguments={}), called(index=1, id="b", name="search", arguments={})],
    ],
    ids=["Ollama", "Gemini", "vLLM", "objects"],
)
def test_two_calls_stay_two_calls(pieces: list[dict[str, Any]]) -> None:
    message, _ = heard([streams(*pieces, end="tool_calls")])
    made = [*message.tool_calls, *message.invalid_tool_calls]
    assert [(call["name"], call["args"] or {}) for call in made] == [("search", {})] * 2


def test_a_call_in_the_field_of_old_is_put_together() -> None:
    pieces = [{"function_call": {"name": "search", "arguments": ""}}, {"function_call": {"arguments": '{"query": 1}'}}]
    message, _ = heard([streams(*pieces, end="function_call")])
    assert [(call["name"], call["args"]) for call in message.tool_calls] == [("search", {"query": 1})]


@pytest.mark.parametrize(
    "broken",
    [
        streams(*spoken("The kettle costs 30"), end=None, done=False),
        replace(streams(*spoken(PRICE)), breaks="short"),
        Reply('data: {"error": {"message": "overloaded", "code": 503}}\n\n', kind="text/event-stream"),
    ],
    ids=["no end", "cut short", "an error"],
)
def test_a_stream_that_breaks_off_is_asked_over_and_alone_it_fails(broken: Reply) -> None:
    message, pieces = heard([broken, streams(*spoken(PRICE))])
    assert message.text == PRICE
    assert "".join(pieces) in (PRICE, "The kettle costs 30")  # nothing is told twice
    with pytest.raises(EngineError, match=r"^The controller at "):
        heard([broken])


def test_an_error_in_a_stream_is_told_in_its_words() -> None:
    with pytest.raises(EngineError, match="no credit"):
        heard([Reply('data: {"error": {"message": "no credit", "code": 402}}\n\n', kind="text/event-stream")])


def test_a_server_that_does_not_stream_is_understood() -> None:
    message, pieces = heard([says(PRICE)])
    assert (message.text, pieces) == (PRICE, [])


def test_a_stream_ends_when_the_question_is_stopped() -> None:
    slow = replace(streams(*spoken(*PRICE)), breaks="trickle")
    budget, pieces = Budget(60), []  # type: ignore[var-annotated]
    with openai_server([slow]) as server:
        place = ("controller.engine=openai", f"controller.base_url={server.url}", "controller.model=scripted")
        Timer(0.5, budget.stop).start()
        begun = time.monotonic()
        with pytest.raises(Cancelled):
            reply(plans_by(load(overrides=place)), [HumanMessage("What?")], [], budget=budget, on_text=pieces.append)
        assert time.monotonic() - begun < 5


FULL = "This model's maximum context length is 4096 tokens. However, you requested "


@pytest.mark.parametrize(
    ("refusal", "limits"),
    [
        # vLLM counts the limit of the reply as if it were used: a request without one may fit, and is not remembered.
        (FULL + "4096 output tokens and your prompt contains at least 1000 input tokens.", [4096, None, 4096]),
        ("max_tokens is too large: 4096. This model supports at most 2048.", [4096, 4096, 4096]),
    ],
)
def test_a_limit_that_is_too_large_is_left_out(refusal: str, limits: list[int | None]) -> None:
    with openai_server([refuses(400, refusal), says("One."), says("Two.")]) as server:
        place = ("controller.engine=openai", f"controller.base_url={server.url}", "controller.model=scripted")
        model = plans_by(load(overrides=place))
        assert [reply(model, [HumanMessage("Go.")], []).text for _ in range(2)] == ["One.", "Two."]
    sent = [asked.get("max_tokens", asked.get("max_completion_tokens")) for asked in server.requests]
    assert sent == limits


def test_a_conversation_that_is_too_long_without_a_limit_is_full() -> None:
    with pytest.raises(ContextFull):
        heard([refuses(400, FULL + "5000 tokens (1000 in the completion).")])
