"""The stage `calls`: the tool calls that find the answers of an item, over our tools, for the agentic track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from longtake.agent.controllers.call_parsing.arguments import fitted, read_json
from longtake.evalharness.building.built_item import BuiltItem
from longtake.evalharness.building.checks import wrong_length
from longtake.evalharness.building.material import PROMPTS
from longtake.evalharness.building.replies import Call, Calls
from longtake.evalharness.building.stages import Stages
from longtake.evalharness.items import ToolCall, ToolDefinition
from longtake.evalharness.suites.agentic.agentic_suite import own_tools
from longtake.memory.timespan import SpanError, clock, parse_span
from longtake.prompts import render
from longtake.tools.catalogue import BUILT_IN
from longtake.tools.compute.calculator import evaluate
from longtake.tools.core.result import ToolError
from longtake.tools.core.toolbox import Toolbox

_TOOLBOX = Toolbox(BUILT_IN)
_SPECS = {spec.name: spec for spec in _TOOLBOX}


def with_calls(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items with gold calls; those for which no reply is usable stay without."""
    tools = {tool.name: tool for tool in own_tools()}
    asked = {item.id: item for item in items}

    def check(of: str, said: Calls) -> str:
        item = asked[of]
        faults = (wrong_call(call, tools, item.duration) for turn in said.turns for call in turn.calls)
        return wrong_length(said.turns, len(item.turns)) or next(filter(None, faults), "")

    told = [_told(tool) for tool in tools.values()]
    prompts = {
        item.id: render(PROMPTS, "calls", turns=item.turns, tools=told, length=clock(item.duration)) for item in items
    }
    found = stages.ask("calls", prompts, Calls, check)
    return [
        item.with_turns(
            [
                turn.model_copy(update={"calls": tuple(gold_call(call, tools[call.tool]) for call in said.calls)})
                for turn, said in zip(item.turns, found[item.id].turns, strict=True)
            ]
        )
        if item.id in found
        else item
        for item in items
    ]


def wrong_call(call: Call, tools: Mapping[str, ToolDefinition], duration: float) -> str:
    """What is wrong with a call; nothing if our tool takes it and its time is in the video.

    Args:
        call: as the model wrote it.
        tools: by name, with the inputs that a gold call may have.
        duration: of the video, in seconds.
    """
    if call.tool not in tools:
        return f"there is no tool {call.tool}"
    if unknown := {argument.name for argument in call.arguments} - tools[call.tool].parameters.keys():
        return f"{call.tool} has no input {min(unknown)}"
    try:
        arguments = gold_call(call, tools[call.tool]).arguments
        _TOOLBOX.check(call.tool, arguments, {})
        if "timestamp" in arguments:
            parse_span(arguments["timestamp"], window=0.0, duration=duration)
    except (ToolError, SpanError) as error:
        return str(error)
    return ""


def gold_call(call: Call, tool: ToolDefinition) -> ToolCall:
    """The call, with its values as the tool takes them. What a calculator returns is computed.

    Raises:
        ToolError: if that can't be.
    """
    written: dict[str, Any] = {argument.name: argument.value for argument in call.arguments}
    for name, text in written.items():
        if f"{name}[]" in tool.inputs and read_json(text) is None:
            written[name] = [part.strip() for part in text.split(",")]
    arguments, _ = fitted(written, _SPECS[call.tool].schema())
    expression = arguments.get("expression")
    result = str(evaluate(str(expression))) if call.tool == "calculator" and expression else call.returns
    return ToolCall(tool=call.tool, arguments=arguments, result=result)


def _told(tool: ToolDefinition) -> dict[str, Any]:
    """A tool as a model is told of it: what it is for, and the types of its inputs."""
    spec = _SPECS[tool.name]
    properties = spec.schema()["properties"]
    inputs = {name: properties[name] for name in tool.parameters}
    return {"tool": tool.name, "does": " ".join(spec.description.split("\n\n")[0].split()), "inputs": inputs}
