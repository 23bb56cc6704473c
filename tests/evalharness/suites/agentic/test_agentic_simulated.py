"""The simulated mode: what a model is told, how its calls are read, and that it always answers from gold results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers.data.agentic import load, sample, turn
from helpers.servers.openai_server import Endpoint, Reply, openai_server, refuses, says

from longtake.config import load as load_settings
from longtake.errors import EngineError
from longtake.evalharness.items import Item, ToolCall, Variant
from longtake.evalharness.subjects.endpoint_model import EndpointModel, Simulated, read_calls
from longtake.evalharness.subjects.model_spec import given_by
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.preprocess.pipeline.workspace import Workspace

LISTED = '{"tool_calls": [{"tool": "compute", "parameters": {"expression": "2+2", "k": null}}], "reasoning": "why"}'
KINDS = ("model", "question-only")
COMPUTE = ToolCall(tool="compute", arguments={"expression": "2+2"})
FIND = ToolCall(tool="find", arguments={"query": "a (b)", "k": 3})


@pytest.fixture
def item(tmp_path: Path) -> Item:
    said = [
        *turn("How many cups?", "Three, so said.", ("count_things", {"thing": "cup"}, "3 cups")),
        *turn("And two more?", "Five.", ("compute", {"expression": "3+2"}, "it is 5")),
    ]
    return load(tmp_path, sample("s", said))[0][0]


@contextmanager
def simulated(folder: Path, *script: Reply) -> Iterator[tuple[Simulated, Endpoint]]:
    workspace = Workspace(folder / "library", load_settings())
    with openai_server(script) as server:
        model = EndpointModel("m", given_by(f"question-only:m@{server.url}"), workspace)
        yield Simulated("simulated:m", model, model), server


def texts(request: dict[str, Any]) -> list[str]:
    return [message["content"] for message in request["messages"]]


def test_a_turn_is_asked_for_its_calls_and_then_for_its_answer(tmp_path: Path, item: Item) -> None:
    history = (("How many cups?", "Three, so said."),)
    with simulated(tmp_path, says(f"```json\n{LISTED}\n```"), says("Five cups.")) as (subject, server):
        reply = subject.reply(AskedTurn(item, 1, Variant(), 0, history))
    assert (reply.text, reply.status, reply.parse) == ("Five cups.", "ok", "ok")
    assert reply.calls == (COMPUTE,)
    assert "reasoning" in reply.planned
    assert reply.usage is not None
    assert (reply.usage.rounds, reply.usage.input_tokens, reply.usage.output_tokens) == (2, 200, 40)
    plan = texts(server.requests[0])
    assert len(plan) == 3
    assert "How many cups?" in plan[0]
    assert plan[1] == "Three, so said."
    assert "find: Finds." in plan[2]
    assert "query, modalities (optional), k (optional)" in plan[2]
    assert plan[2].endswith("The question: And two more?")
    assert "it is 5" not in plan[2]


def test_the_gold_results_are_given_whatever_was_asked_for(tmp_path: Path, item: Item) -> None:
    history = (("How many cups?", "Three, so said."),)
    with simulated(tmp_path, says("I need nothing."), says("Five.")) as (subject, server):
        reply = subject.reply(AskedTurn(item, 1, Variant(), 0, history))
    assert (reply.text, reply.calls, reply.parse) == ("Five.", (), "failed")
    (answer,) = texts(server.requests[1])
    assert "And two more?" in answer
    assert 'compute {"expression": "3+2"}' in answer
    assert 'result: "it is 5"' in answer
    for hidden in ("How many cups?", "Three, so said.", "3 cups", "Five.", "neither see nor hear"):
        assert hidden not in answer


def test_an_endpoint_that_refuses_is_an_error(tmp_path: Path, item: Item) -> None:
    with simulated(tmp_path, refuses(400, "no such model")) as (subject, _), pytest.raises(EngineError):
        subject.reply(AskedTurn(item, 0, Variant(), 0, ()))


def test_a_model_that_is_shown_a_video_is_asked_nothing_where_that_is_missing(tmp_path: Path, item: Item) -> None:
    workspace = Workspace(tmp_path / "library", load_settings())
    with openai_server([says("")]) as server:
        seeing, blind = (EndpointModel("m", given_by(f"{kind}:m@{server.url}"), workspace) for kind in KINDS)
        reply = Simulated("s", seeing, blind).reply(AskedTurn(item, 0, Variant(), 0, ()))
    assert (reply.status, reply.calls, server.requests) == ("no_media", (), [])


def test_the_cost_is_estimated_beforehand(tmp_path: Path, item: Item) -> None:
    with simulated(tmp_path, says("")) as (subject, server):
        expected = subject.expected(AskedTurn(item, 0, Variant(), 0, ()))
    assert (server.requests, expected.rounds) == ([], 2)
    assert expected.input_tokens > 200  # the tools and the gold results


@pytest.mark.parametrize(
    ("text", "calls", "parse"),
    [
        (f"I would:\n```json\n{LISTED}\n```\nThat is all.", (COMPUTE,), "ok"),
        (f"```\n{LISTED}\n```", (COMPUTE,), "ok"),
        ('```json\n{"other": 1}\n```\n```json\n' + LISTED + "\n```", (COMPUTE,), "ok"),
        ('```json\n{"tool_calls": [], "reasoning": "none"}\n```', (), "ok"),
        (
            '```json\n{"tool_calls": ["compute", {"tool": "compute", "parameters": []}, {"parameters": {}}]}\n```',
            (ToolCall(tool="compute", arguments={}),),
            "ok",
        ),
        (LISTED, (COMPUTE,), "fallback"),
        (f"Well {{so}}: {LISTED} and no more", (COMPUTE,), "fallback"),
        ("TOOL_CALL: compute(expression='2+2')", (COMPUTE,), "fallback"),
        (
            'First\nTOOL_CALL: find(query="a (b)", k=3)\nthen\n  TOOL_CALL: compute(expression="2+2")\n',
            (FIND, COMPUTE),
            "fallback",
        ),
        ("TOOL_CALL: unheard_of()", (ToolCall(tool="unheard_of", arguments={}),), "fallback"),
        ("I would use compute.", (), "failed"),
        ('```json\n{"tool_calls": \n```', (), "failed"),
        ("", (), "failed"),
    ],
)
def test_calls_are_read_from_a_fence_from_json_or_from_lines(
    text: str, calls: tuple[ToolCall, ...], parse: str
) -> None:
    assert read_calls(text) == (calls, parse)
