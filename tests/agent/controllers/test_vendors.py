"""A tool call, an answer, a JSON schema and streaming, with each vendor's server as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.asking import plans_by
from helpers.servers.vendors import JUDGED, SAID, SEARCH, VENDORS, Vendor, serving
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from longtake.agent.controllers.asking import reply, tokens
from longtake.config import load
from longtake.models.servers import try_model
from longtake.prompts import without_thinking
from longtake.tools.core.tool_context import Budget


def _tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


TEXT = {"type": "string"}
TOOLS = [
    _tool("search", query={"anyOf": [TEXT, {"type": "null", "const": None}]}, const={"type": "integer"}),
    _tool("answer", status=TEXT, text=TEXT),
]
SCHEMA = {
    "title": "judged",
    "type": "object",
    "properties": {"verdict": TEXT},
    "required": ["verdict"],
    "additionalProperties": False,
}
ASKED = [SystemMessage("Answer."), HumanMessage("What does the kettle cost?")]


def _exchange(controller: Any, vendor: Vendor) -> None:
    """A search, its answer in pieces, a verdict under a schema, and prose in pieces."""

    def ask(messages: list[Any], tools: list[Any], **form: Any) -> AIMessage:
        said = reply(controller, messages, tools, budget=Budget(20), **form)
        assert tokens(said) == {"input_tokens": 100, "output_tokens": 20}
        return said

    searched = ask(ASKED, TOOLS)
    assert [(call["name"], call["args"]) for call in searched.tool_calls] == [("search", SEARCH)]
    calls = [{**call, "id": "call-0-0"} for call in searched.tool_calls]
    found = [AIMessage("", tool_calls=calls), ToolMessage("249 dollars", tool_call_id="call-0-0", name="search")]
    pieces: list[str] = []
    answered = ask([*ASKED, *found], TOOLS, on_text=pieces.append)
    assert [(call["name"], call["args"]["text"]) for call in answered.tool_calls] == [("answer", SAID)]
    assert "".join(pieces) == (SAID if vendor.streams else "")
    assert (len(pieces) > 5) == (vendor.streams and not vendor.whole_calls)
    assert json.loads(without_thinking(ask([HumanMessage("Judge, in JSON.")], [], schema=SCHEMA).text)) == JUDGED
    told: list[str] = []
    assert without_thinking(ask(ASKED, [], on_text=told.append).text) == SAID
    assert "".join(told) == (SAID if vendor.streams else "")
    assert (len(told) > 5) == vendor.streams


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS.keys())
def test_a_trial_of_each_vendor(vendor: Vendor) -> None:
    with serving(vendor) as server:
        for model in (vendor.model, "house-model"):
            trial = try_model(server.url, model)
            assert (trial.tools, trial.pictures, trial.schema, trial.problem) == (True, True, True, None)


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS.keys())
def test_a_conversation_with_each_vendor(vendor: Vendor) -> None:
    with serving(vendor) as server:
        place = ("controller.engine=openai", f"controller.base_url={server.url}")
        _exchange(plans_by(load(overrides=(*place, f"controller.model={vendor.model}"))), vendor)
        fields = set(server.refused) - {"stream_options"}
        assert all(" " in name or name[0] in "#+" for name in fields)  # the profile knows what it takes
        assert len(server.refused) == len(set(server.refused))  # what was refused is remembered
        # Under another name, nothing is known of it, and it is told whatever its server may refuse.
        server.refused.clear()
        other = (*place, "controller.model=house-model", "controller.thinking=false", "controller.temperature=0.3")
        _exchange(plans_by(load(overrides=other)), vendor)
        assert len(server.refused) == len(set(server.refused))
        before = list(server.refused)
        _exchange(plans_by(load(overrides=other)), vendor)
        assert server.refused == before
        limits = {
            name for asked in server.accepted for name in ("max_tokens", "max_completion_tokens") if name in asked
        }
        assert len(limits) == 1
