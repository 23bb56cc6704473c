"""Read the tool calls out of a reply, also where a small model wrote them wrong or as text; every repair is named."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, ToolCall
from langchain_core.utils.json import parse_partial_json

from longtake.tools.toolbox import Toolbox

# Stands for arguments that nothing could read: the tool refuses it by this name, and the controller sees why.
UNREADABLE = "unreadable_json"
# Where a reply keeps its calls as they were sent, by the identity of the call.
SENT = "calls_as_sent"
# Some chat templates open the thinking in the prompt, so that only its end is in the reply.
_THINK = re.compile(r"<think>.*?(?:</think>|\Z)|\A.*?</think>", re.DOTALL)
_CALL = re.compile(
    r"<tool_call>\s*(?P<tagged>(?s:.*?))\s*(?:</tool_call>|\Z)"
    r"|^[ \t]*(?:CALL|Action:)[ \t]+(?P<name>\w+)\s*(?:Action Input:\s*)?(?P<body>\{.*\}?)[ \t]*$",
    re.MULTILINE,
)


class _Written(NamedTuple):
    """A call: the name and arguments that were read, and the arguments as they were sent."""

    name: str
    arguments: dict[str, Any]
    sent: Any


def read_reply(message: AIMessage, toolbox: Toolbox, round_number: int) -> tuple[AIMessage, list[str]]:
    """The reply with well-formed tool calls, and a sentence for each repair that was needed.

    Every call gets an identity of its own in the run: small servers leave it out, or begin at 0 in every round.
    """
    repairs: list[str] = []
    stripped = _THINK.sub("", message.text).strip()
    if stripped != message.text.strip():
        repairs.append("thinking left out")
    calls = [_Written(call["name"], call["args"], call["args"]) for call in message.tool_calls]
    calls += [
        _Written(broken["name"] or "", _repaired(broken["name"], broken["args"], repairs), broken["args"])
        for broken in message.invalid_tool_calls
    ]
    if not calls:
        stripped, calls = _calls_in_text(stripped, toolbox)
        if calls:
            repairs.append(f"{len(calls)} call{'s' if len(calls) > 1 else ''} read from the text")
    numbered = {f"call-{round_number}-{place}": call for place, call in enumerate(calls)}
    made = [
        ToolCall(name=_known_name(call.name, toolbox, repairs), args=call.arguments, id=identity, type="tool_call")
        for identity, call in numbered.items()
    ]
    sent = {identity: {"tool": call.name, "arguments": call.sent} for identity, call in numbered.items()}
    kept = {SENT: sent} if sent else {}
    return AIMessage(
        content=stripped, tool_calls=made, usage_metadata=message.usage_metadata, additional_kwargs=kept
    ), repairs


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


def _calls_in_text(text: str, toolbox: Toolbox) -> tuple[str, list[_Written]]:
    """The text before the calls, and calls in words: a reply that is one JSON object, or what the reply ends with.

    Only blank lines may follow a call: whoever writes on speaks of a call, or quotes one from a video.
    """
    if text.startswith(("{", "```")) and not _goes_on(text):
        whole = read_arguments(text)
        if whole and whole.get("name") in toolbox:
            return "", [_tagged(text)]
    ending = _ending(list(_CALL.finditer(text)), text)
    before = text[: ending[0].start()].rstrip() if ending else text
    return before, [_line(match) if match["name"] else _tagged(match["tagged"]) for match in ending]


def _goes_on(text: str) -> bool:
    """Whether more than the end of a fence follows the JSON object that a text begins with."""
    text = text.removeprefix("```json").strip("`").strip()
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return False
    return bool(text[end:].strip("`} \n"))


def _ending(matches: Sequence[re.Match[str]], text: str) -> list[re.Match[str]]:
    """The last matches, as far as nothing but blanks lies between them and the text's end."""
    ending: list[re.Match[str]] = []
    for match in reversed(matches):
        if text[match.end() : ending[0].start() if ending else None].strip():
            break
        ending.insert(0, match)
    return ending


def _tagged(body: str) -> _Written:
    """A call written as one JSON object with its name and arguments."""
    value = read_arguments(body)
    if not value or not isinstance(value.get("name"), str):
        return _Written("tool_call", {UNREADABLE: body}, body)
    arguments = value.get("arguments", value.get("parameters")) or {}
    if isinstance(arguments, str):
        arguments = read_arguments(arguments) or {UNREADABLE: arguments}
    return _Written(value["name"], arguments, body)


def _line(match: re.Match[str]) -> _Written:
    """A call written as a line: its name, then its arguments as JSON."""
    arguments = read_arguments(match["body"])
    return _Written(match["name"], {UNREADABLE: match["body"]} if arguments is None else arguments, match["body"])


def _known_name(name: str, toolbox: Toolbox, repairs: list[str]) -> str:
    if name in toolbox:
        return name
    bare = name.rpartition(".")[2]
    close = [bare] if bare in toolbox else get_close_matches(bare, [spec.name for spec in toolbox], n=1, cutoff=0.7)
    if not close:
        return name
    repairs.append(f"tool {name!r} taken for {close[0]!r}")
    return close[0]
