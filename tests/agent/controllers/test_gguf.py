"""A real language model of 98 MB as the controller: its calls fit their tools, and the run ends in a proven answer."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from helpers.asking import VIDEO, plans_by
from helpers.models.smollm2 import cut_off, smollm2
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from longtake.agent.controllers.asking import ContextFull, reply
from longtake.agent.controllers.call_parsing.reply_schema import clock_pattern, read_json_reply, reply_schema
from longtake.agent.controllers.extractive.model import QUERY
from longtake.agent.controllers.gguf import MORE, TIMINGS, offered, with_more
from longtake.agent.graph.agent import Agent
from longtake.agent.query.query import SOURCES, TARGETS, Query, Reading, Source, Target
from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.errors import Cancelled, ConfigError
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS
from longtake.tools.core.tool_context import Budget
from longtake.tools.core.toolbox import Toolbox

TOOLS = [SPECS[function].as_openai() for function in ALL_TOOLS]
QUESTION = "What does the blue kettle cost?"


def query_about(source: Source, target: Target) -> Query:
    reading = Reading(
        sources={name: float(name == source) for name in SOURCES},
        targets={name: float(name == target) for name in TARGETS},
    )
    return Query(question=QUESTION, reading=reading, videos={"v": 167.0})


def controller(file: Path, *more: str) -> Any:
    return plans_by(load(overrides=("controller.engine=gguf", f"controller.model={file}", *more)))


def conversation(source: Source = "speech", target: Target = "number") -> list[Any]:
    data = {QUERY: query_about(source, target).model_dump(mode="json")}
    return [SystemMessage("Answer by calling tools."), HumanMessage(QUESTION, additional_kwargs=data)]


def names(tools: list[dict[str, Any]]) -> set[str]:
    return {tool["function"]["name"] for tool in tools}


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("speech", "quote", {"transcribe_speech"}),
        ("text", "sum", {"extract_scene_text", "calculator"}),
        ("file", "recall", {"memory_tool"}),
    ],
)
def test_the_tools_of_the_question_are_offered_first(source: Source, target: Target, expected: set[str]) -> None:
    query = query_about(source, target)
    shown = offered(TOOLS, query, [])
    assert names(shown) == {"cross_modal_search", MORE, *expected}
    others = names(TOOLS) - names(shown)
    [more] = [tool["function"] for tool in shown if tool["function"]["name"] == MORE]
    assert set(more["parameters"]["properties"]["names"]["items"]["enum"]) == others
    assert names(with_more(TOOLS, shown, ["web_search"])) == {"cross_modal_search", "web_search", *expected}
    called = AIMessage("", tool_calls=[{"name": "detect_faces", "args": {}, "id": "1", "type": "tool_call"}])
    assert "detect_faces" in names(offered(TOOLS, query, [called]))


@pytest.mark.parametrize("last", [0, 5, 47, 60, 167, 3_599, 3_600, 7_325, 36_000])
def test_no_time_after_the_end_can_be_written(last: int) -> None:
    pattern = re.compile(clock_pattern(last))
    for second in {0, 5, 59, 60, 61, last - 1, last, last + 1, last + 60, last + 3_600} - {-1}:
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        assert bool(pattern.fullmatch(clock)) == (second <= last)


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ({"timestamp": "00:00:10"}, True),
        ({"timestamp": "00:00:10-00:01:00"}, True),
        ({"timestamp": "00:02:48"}, False),
        ({"timestamp": "soon"}, False),
        ({"where": "00:00:10"}, False),
        ({}, False),
    ],
)
def test_the_schema_takes_what_the_tool_takes(arguments: dict[str, Any], *, fits: bool) -> None:
    check = jsonschema.Draft202012Validator(reply_schema(TOOLS, 167.0))
    assert check.is_valid({"tool": "transcribe_speech", "arguments": arguments}) is fits
    assert not check.is_valid({"tool": "no_such_tool", "arguments": arguments})
    assert check.is_valid({"answer": "It costs 249 dollars [00:00:05]."})


@pytest.mark.parametrize(
    ("text", "reason", "content", "called"),
    [
        ('{"answer": "Yes."}', "stop", "Yes.", []),
        ('{"answer": "It is red. It', "length", "It is red. It", []),
        ('{"tool": "calculator", "arguments": {"expression": "1+1"}}', "stop", "", ["calculator"]),
        ('{"tool": "calculator", "arguments": {"expression": "1+', "length", None, []),
    ],
)
def test_a_reply_under_the_schema_is_read(text: str, reason: str, content: str | None, called: list[str]) -> None:
    read = read_json_reply(AIMessage(text, response_metadata={"finish_reason": reason}))
    assert read.text == (text if content is None else content)
    assert [call["name"] for call in read.tool_calls] == called


@pytest.mark.nightly
def test_no_call_of_a_real_model_is_broken_and_the_run_ends(small_workspace: Workspace) -> None:
    changed = copy.copy(small_workspace)
    short = ("gathering.tokens=100", "budget.rounds=2", "controller.reply_tokens=400")
    overrides = ("controller.engine=gguf", f"controller.model={smollm2()}", *short)
    changed.settings = load(overrides=overrides, offline=True)
    answer = Agent(changed).ask([VIDEO], QUESTION)
    assert answer.status != "failed"
    events = list(RecordedTrace(small_workspace.library.trace_root, answer.trace or "").events())
    models = [event for event in events if event["type"] == "model" and event["usage"]]
    rounds = [event for event in models if "call" not in event["data"]]
    assert rounds
    # After `budget.rounds` no tool is offered, so there is no grammar. And what a model this small writes at length may
    # be cut off at `controller.reply_tokens`: then it calls nothing.
    assert not any(event["data"]["repairs"] for event in rounds[:2] if event["data"]["calls"])
    toolbox = Toolbox(ALL_TOOLS)
    for event in rounds:
        for call in event["data"]["calls"]:
            toolbox.check(call["tool"], call["arguments"], {})


@pytest.mark.nightly
@pytest.mark.parametrize("source", ["speech", "text", "picture"])
def test_every_reply_fits_whatever_is_asked(source: Source) -> None:
    model = controller(
        smollm2(), "controller.temperature=1.5", "controller.reply_tokens=700", "controller.timeout=600"
    ).bind_tools(TOOLS)
    toolbox = Toolbox(ALL_TOOLS)
    for _ in range(4):
        written = model.invoke(conversation(source))
        assert bool(written.text) != bool(written.tool_calls)
        for call in written.tool_calls:
            toolbox.check(call["name"], call["args"], {})


@pytest.mark.nightly
def test_the_conversation_so_far_is_not_read_again() -> None:
    first = conversation()
    wanted = names(offered(TOOLS, query_about("speech", "number"), []))  # no others, which it could ask for meanwhile
    model = controller(smollm2()).bind_tools([tool for tool in TOOLS if tool["function"]["name"] in wanted])
    read = model.invoke(first).response_metadata[TIMINGS]
    call = {"name": "transcribe_speech", "args": {"timestamp": "00:00:03"}, "id": "1", "type": "tool_call"}
    result = ToolMessage("Nothing.", tool_call_id="1", name="transcribe_speech")
    timings = model.invoke([*first, AIMessage("", tool_calls=[call]), result]).response_metadata[TIMINGS]
    assert timings["cache_n"] >= read["cache_n"] + read["prompt_n"]


@pytest.mark.nightly
def test_a_stopped_question_ends_at_once() -> None:
    budget = Budget(60)
    model = controller(smollm2())
    model.server.ready()
    budget.stop()
    with pytest.raises(Cancelled):
        reply(model, [HumanMessage("Write a long story.")], [], budget=budget)


@pytest.mark.nightly
def test_a_conversation_beyond_the_context_is_full() -> None:
    with pytest.raises(ContextFull, match="context size"):
        controller(smollm2(), "gguf.context=512").invoke([HumanMessage("word " * 600)])


@pytest.mark.parametrize(
    ("model", "said"),
    [(None, "controller.model=FILE"), ("none.gguf", "can't be read"), ("cut", "damaged or incomplete")],
)
def test_a_model_that_cannot_be_used_is_named(model: str | None, said: str, tmp_path: Path) -> None:
    smollm2()
    file = cut_off(tmp_path, 500) if model == "cut" else model
    settings = () if file is None else (f"controller.model={file}",)
    with pytest.raises(ConfigError, match=said):
        plans_by(load(overrides=("controller.engine=gguf", *settings)))
