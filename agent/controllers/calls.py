"""Read the tool calls out of a reply, also where a small model wrote them wrong or as text; every repair is named."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from langchain_core.messages import AIMessage, ToolCall
from langchain_core.utils.json import parse_partial_json

from longtake.tools.toolbox import Toolbox

# Stands for arguments that nothing could read: the tool refuses it by this name, and the controller sees why.
UNREADABLE = "unreadable_json"
# Some chat templates open the thinking in the prompt, so that only its end is in the reply.
_THINK = re.compile(r"<think>.*?(?:</think>|\Z)|\A.*?</think>", re.DOTALL)
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_LINE = re.compile(r"^[ \t]*(?:CALL|Action:)[ \t]+(\w+)\s*(?:Action Input:\s*)?(\{.*\}?)[ \t]*$", re.MULTILINE)


def read_reply(message: AIMessage, toolbox: Toolbox, round_number: int) -> tuple[AIMessage, list[str]]:
    """The reply with well-formed tool calls, and a sentence for each repair that was needed.

    Every call gets an identity of its own in the run: small servers leave it out, or begin at 0 in every round.
    """
    repairs: list[str] = []
    stripped = _THINK.sub("", message.text).strip()
    if stripped != message.text.strip():
        repairs.append("thinking left out")
    calls = [(call["name"], call["args"]) for call in message.tool_calls]
    calls += [
        (broken["name"] or "", _repaired(broken["name"], broken["args"], repairs))
        for broken in message.invalid_tool_calls
    ]
    if not calls:
        calls = list(_calls_in_text(stripped, toolbox))
        if calls:
            repairs.append(f"{len(calls)} call{'s' if len(calls) > 1 else ''} read from the text")
            stripped = ""
    made = [
        ToolCall(
            name=_known_name(name, toolbox, repairs),
            args=arguments,
            id=f"call-{round_number}-{place}",
            type="tool_call",
        )
        for place, (name, arguments) in enumerate(calls)
    ]
    return AIMessage(content=stripped, tool_calls=made, usage_metadata=message.usage_metadata), repairs


def read_arguments(text: str) -> dict[str, Any] | None:
    """Arguments from JSON, JSON that breaks off or has a comma too many, or a Python literal; None when it is none."""
    text = text.strip().removeprefix("```json").strip("`").strip()
    for read in (json.loads, ast.literal_eval, _without_spare_commas, _python_with_end, _broken_off):
        try:
            value = read(text)
        except (ValueError, SyntaxError):
            continue
        if isinstance(value, str) and value != text:
            return read_arguments(value)
        if isinstance(value, dict):
            return value
    return None


def _without_spare_commas(text: str) -> Any:
    return json.loads(re.sub(r",\s*([}\]])", r"\1", text))


def _python_with_end(text: str) -> Any:
    return ast.literal_eval(text + "}")


def _broken_off(text: str) -> Any:
    # It cuts letters off the end until the rest can be read: nothing but an empty object is not what was meant.
    return parse_partial_json(text) or None


def _repaired(name: str | None, text: str | None, repairs: list[str]) -> dict[str, Any]:
    arguments = read_arguments(text or "{}")
    repairs.append(f"arguments of {name}: " + ("broken JSON read" if arguments is not None else "not readable"))
    return {UNREADABLE: text} if arguments is None else arguments


def _calls_in_text(text: str, toolbox: Toolbox) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls in words: `<tool_call>{...}</tool_call>`, lines `CALL name {...}`, or a reply that is one JSON object."""
    bodies = _TAGGED.findall(text)
    whole = read_arguments(text) if text.startswith(("{", "```")) else None
    if not bodies and whole and whole.get("name") in toolbox:
        bodies = [text]
    for body in bodies:
        value = read_arguments(body)
        if value and isinstance(value.get("name"), str):
            arguments = value.get("arguments", value.get("parameters")) or {}
            if isinstance(arguments, str):
                arguments = read_arguments(arguments) or {UNREADABLE: arguments}
            yield value["name"], arguments
        else:
            yield "tool_call", {UNREADABLE: body}
    for name, body in _LINE.findall(text) if not bodies else ():
        arguments = read_arguments(body)
        yield name, {UNREADABLE: body} if arguments is None else arguments


def _known_name(name: str, toolbox: Toolbox, repairs: list[str]) -> str:
    if name in toolbox:
        return name
    bare = name.rpartition(".")[2]
    close = [bare] if bare in toolbox else get_close_matches(bare, [spec.name for spec in toolbox], n=1, cutoff=0.7)
    if not close:
        return name
    repairs.append(f"tool {name!r} taken for {close[0]!r}")
    return close[0]
