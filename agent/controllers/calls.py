"""Read the tool calls out of a reply, also where a small model wrote them wrong or as text; every repair is named."""

from __future__ import annotations

import ast
import json
import re
from difflib import get_close_matches
from typing import Any

from langchain_core.messages import AIMessage, ToolCall

from longtake.tools.toolbox import Toolbox

_THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_LINE = re.compile(r"^\s*(?:CALL|Action:)\s+(\w+)\s*(\{.*\})\s*$", re.MULTILINE)


def read_reply(message: AIMessage, toolbox: Toolbox) -> tuple[AIMessage, list[str]]:
    """The reply with well-formed tool calls, and a sentence for each repair that was needed.

    Calls that cannot be read stay out of the list; the controller is told so in a failed call.
    """
    repairs: list[str] = []
    text = message.text
    calls = list(message.tool_calls)
    for broken in message.invalid_tool_calls:
        arguments = read_arguments(broken["args"] or "")
        repairs.append(f"arguments of {broken['name']}: " + ("broken JSON read" if arguments is not None else "not readable"))
        calls.append(_call(broken["name"] or "", arguments or {}, broken["id"] or f"call-{len(calls)}"))
    if not calls:
        calls = _calls_in_text(text, repairs)
    calls = [_rename(call, toolbox, repairs) for call in calls]
    stripped = _THINK.sub("", text).strip()
    if stripped != text.strip() and not calls:
        repairs.append("thinking left out of the answer")
    repaired = AIMessage(content=stripped, tool_calls=calls, usage_metadata=message.usage_metadata)
    return repaired, repairs


def read_arguments(text: str) -> dict[str, Any] | None:
    """Arguments from JSON, from JSON with a missing brace or a trailing comma, or from a Python literal."""
    text = text.strip()
    for candidate in (text, re.sub(r",\s*([}\]])", r"\1", text), text + "}", text + '"}'):
        try:
            value = json.loads(candidate)
        except ValueError:
            continue
        value = read_arguments(value) if isinstance(value, str) else value
        return value if isinstance(value, dict) else None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, dict) else None


def _calls_in_text(text: str, repairs: list[str]) -> list[ToolCall]:
    """Calls that a model without a calls field wrote into its text: `<tool_call>{...}</tool_call>` or `CALL name {...}`."""
    text = _THINK.sub("", text)
    found: list[ToolCall] = []
    for body in _TAGGED.findall(text):
        value = read_arguments(body)
        if value and isinstance(value.get("name"), str):
            arguments = value.get("arguments") or {}
            if isinstance(arguments, str):
                arguments = read_arguments(arguments) or {}
            found.append(_call(value["name"], arguments, f"text-{len(found)}"))
    for name, body in _LINE.findall(text):
        found.append(_call(name, read_arguments(body) or {}, f"text-{len(found)}"))
    if found:
        repairs.append(f"{len(found)} call{'s' if len(found) > 1 else ''} read from the text")
    return found


def _rename(call: ToolCall, toolbox: Toolbox, repairs: list[str]) -> ToolCall:
    name = call["name"]
    if name in toolbox:
        return call
    close = get_close_matches(name, [spec.name for spec in toolbox], n=1, cutoff=0.8)
    if not close:
        return call
    repairs.append(f"tool {name!r} taken for {close[0]!r}")
    return _call(close[0], call["args"], call["id"] or "")


def _call(name: str, arguments: dict[str, Any], identity: str) -> ToolCall:
    return ToolCall(name=name, args=arguments, id=identity, type="tool_call")
