"""The JSON schema of a reply that is one call or the answer, for servers that decode under a grammar.

Under it a model can't write a broken call: only names of tools that are offered, only arguments that they take, and no
text without an end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from longtake.agent.controllers.call_parsing.arguments import read_arguments
from longtake.prompts import without_thinking

TOOL, ARGUMENTS, ANSWER = "tool", "arguments", "answer"
MAX_ANSWER = 1_200  # characters
_MAX_TEXT = 300  # characters of an argument
_MAX_ITEMS = 8  # of a list
_TIMES = ("timestamp", "within")
_MAX_SECONDS = 100 * 3_600 - 1  # that two digits of hours can say


def reply_schema(tools: Sequence[dict[str, Any]], seconds: float | None = None) -> dict[str, Any]:
    """The schema for tools in the format of chat models: `{"tool", "arguments"}`, or `{"answer"}`.

    Args:
        tools: those that may be called.
        seconds: length of the longest video; no later time can be written.
    """
    clock = clock_pattern(int(seconds or _MAX_SECONDS))
    timestamp = {"type": "string", "pattern": f"^({clock})(-({clock}))?$"}
    answer = _object({ANSWER: {"type": "string", "minLength": 1, "maxLength": MAX_ANSWER}})
    functions = [tool["function"] for tool in tools]
    calls = [
        _object({TOOL: {"const": function["name"]}, ARGUMENTS: _bounded(function["parameters"], timestamp)})
        for function in functions
    ]
    return {"anyOf": [*calls, answer]}


def clock_pattern(last: int) -> str:
    """A regular expression for the times HH:MM:SS from 0 to `last` seconds, without groups around it."""
    hours, rest = divmod(min(last, _MAX_SECONDS), 3_600)
    minutes, seconds = divmod(rest, 60)
    forms = [f"{hours:02}:{minutes:02}:{_up_to(seconds)}"]
    if minutes:
        forms.append(f"{hours:02}:{_up_to(minutes - 1)}:[0-5][0-9]")
    if hours:
        forms.append(f"{_up_to(hours - 1)}:[0-5][0-9]:[0-5][0-9]")
    return "|".join(forms)


def _up_to(number: int) -> str:
    """A regular expression for the two-digit numbers from 00 to `number`."""
    tens, ones = divmod(number, 10)
    last = f"{tens}[0-{ones}]"
    return f"([0-{tens - 1}][0-9]|{last})" if tens else last


def spoken_json(message: BaseMessage) -> BaseMessage:
    """An earlier reply as it was written under the schema."""
    if not isinstance(message, AIMessage):
        return message
    calls = [{TOOL: call["name"], ARGUMENTS: call["args"]} for call in message.tool_calls]
    lines = [json.dumps(said, ensure_ascii=False) for said in calls or [{ANSWER: message.text}]]
    return AIMessage("\n".join(lines))


def read_json_reply(message: AIMessage) -> AIMessage:
    """A reply under the schema with its call or its answer; unchanged if it breaks off inside a call."""
    read = read_arguments(without_thinking(message.text)) or {}
    if isinstance(read.get(ANSWER), str):
        return message.model_copy(update={"content": read[ANSWER]})
    if message.response_metadata.get("finish_reason") == "length" or not isinstance(read.get(ARGUMENTS), dict):
        return message
    call = {"name": str(read.get(TOOL)), "args": read[ARGUMENTS], "id": "written-0", "type": "tool_call"}
    return message.model_copy(update={"content": "", "tool_calls": [call]})


def _bounded(schema: dict[str, Any], timestamp: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool's arguments with limits, which end what a model writes."""
    properties = schema.get("properties", {})
    fields = {name: timestamp if name in _TIMES else _field(field) for name, field in properties.items()}
    return _object(fields, schema.get("required", []))


def _field(field: dict[str, Any]) -> dict[str, Any]:
    match field:
        case {"type": "string", **rest} if "enum" not in rest:
            return {"type": "string", "minLength": 1, "maxLength": _MAX_TEXT}  # no tool does anything with no text
        case {"type": "array", "items": items}:
            return {"type": "array", "items": _field(items), "minItems": 1, "maxItems": _MAX_ITEMS}
    return field


def _object(fields: dict[str, Any], required: Sequence[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields) if required is None else list(required),
        "additionalProperties": False,
    }
