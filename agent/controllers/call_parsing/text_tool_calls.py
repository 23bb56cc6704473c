"""Finds calls that a model wrote into its text, in all the forms in which models were trained to call tools.

Hermes and Qwen `<tool_call>{...}</tool_call>`, Qwen-Coder and Llama `<function=name>`, `<invoke name="...">`, Llama's
`<|python_tag|>`, Mistral's `[TOOL_CALLS]`, Qwen-Agent's `✿FUNCTION✿`, a fence, `CALL name {...}`, `Action: name`, and
a reply that is nothing but JSON or `name(argument=...)`.

For endpoints without a field for calls, tools are described, called and answered in such text, too. The special tokens
of chat templates are neutralised in text from videos.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    merge_message_runs,
)

from longtake.agent.controllers.call_parsing.arguments import NOT_READ, read_arguments, read_json, unreadable
from longtake.agent.prompts.render import render


def as_text(
    messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], prompt: str = "text_calls"
) -> list[BaseMessage]:
    """The conversation with calls and results in words, and the tools described after the system prompt.

    `prompt` is the name of the prompt that describes them.
    Consecutive results become one message, because many chat templates require alternating roles.
    """
    spoken = [_spoken(message) for message in messages]
    if not tools:
        return merge_message_runs(spoken)
    functions = [tool["function"] for tool in tools]
    instructions = render(
        prompt, tools=[function | {"schema": json.dumps(function["parameters"])} for function in functions]
    )
    place = 1 if spoken and isinstance(spoken[0], SystemMessage) else 0
    return merge_message_runs([*spoken[:place], SystemMessage(instructions), *spoken[place:]])


def _spoken(message: BaseMessage) -> BaseMessage:
    if isinstance(message, ToolMessage):
        return HumanMessage(f"RESULT of {message.name}: {message.text}")
    if isinstance(message, AIMessage):
        lines = [f"CALL {call['name']} {json.dumps(call['args'])}" for call in message.tool_calls]
        return AIMessage("\n".join([message.text, *lines]).strip())
    return type(message)(content=message.content)


def harmless(text: str, marks: Iterable[str]) -> str:
    """The text with a space inside every special token: a video can't open a message or a call."""
    for mark in marks:
        text = text.replace(mark, f"{mark[0]} {mark[1:]}")
    return text


# Meaningless text around calls.
_WRAPPERS = re.compile(r"</?(?:function_calls|tool_calls)>|<\|(?:eom_id|eot_id|im_end|end)\|>|✿RESULT✿:?")
_XML = (
    r"<(?:function=|function name=|invoke name=)\"?(?P<{0}>[\w.]+)\"?\s*>(?P<{1}>(?s:.*?))(?:</(?:function|invoke)>|\Z)"
)
_CALL = re.compile(
    r"<tool_call>(?P<tagged>(?s:.*?))(?:</tool_call>|(?=<tool_call>)|\Z)"
    rf"|{_XML.format('function', 'parameters')}"
    r"|(?:<\|python_tag\|>|\[TOOL_CALLS\])(?P<rest>(?s:.*))\Z"
    r"|✿FUNCTION✿:\s*(?P<flower>\w+)\s*✿ARGS✿:(?P<petals>[^✿]*)"
    r"|```(?:\w+(?=\s))?(?P<fenced>(?s:.*?))(?:```|\Z)"
    r"|^[ \t]*(?:CALL|Action:)[ \t]+(?P<name>\w+)\s*(?:Action Input:\s*)?(?P<body>\{.*\}?)[ \t]*$",
    re.MULTILINE,
)
_INNER = re.compile(_XML.format("name", "body"))
_PARAMETER = re.compile(r"<parameter(?:=| name=)\"?(?P<name>\w+)\"?\s*>(?P<value>(?s:.*?))(?:</parameter>|(?=<)|\Z)")
_MISTRAL = re.compile(r"\s*(?P<name>\w+)(?:\[ARGS\])?(?P<body>\{(?s:.*))")
_NAMES = ("name", "tool", "tool_name", "action", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "action_input", "tool_input", "input")


class ParsedCall(NamedTuple):
    """A call: its name and arguments as read, and the arguments as sent."""

    name: str
    arguments: dict[str, Any]
    sent: Any


def calls_in_text(text: str, known: Container[str]) -> tuple[str, list[ParsedCall]]:
    """The text before the calls, and the calls at the end of a reply.

    Only white space may follow a call: more text means that the reply mentions a call or quotes one from a video.
    """
    text = _WRAPPERS.sub("", text).strip()
    whole = _bare(text, known)
    if whole:
        return "", whole
    ending = _ending(list(_CALL.finditer(text)), text, known)
    calls = [call for match in ending for call in _matched(match)]
    return (text[: ending[0].start()].rstrip(), calls) if calls else (text, [])


def _bare(text: str, known: Container[str]) -> list[ParsedCall]:
    """The calls of a text that consists of calls of known tools without tags."""
    whole = text.startswith(("{", "[", "```")) and not _has_more(text)
    calls = (whole and _objects(read_json(text), text)) or _pythonic(text)
    return calls if all(call.name in known for call in calls) else []


def _has_more(text: str) -> bool:
    """Whether anything except the end of a fence follows the JSON at the start of a text."""
    text = text.removeprefix("```json").strip("`").strip()
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except NOT_READ:
        return False
    return bool(text[end:].strip("`}] \n"))


def _ending(matches: Sequence[re.Match[str]], text: str, known: Container[str]) -> list[re.Match[str]]:
    """The last matches, with only white space between them and up to the end of the text."""
    ending: list[re.Match[str]] = []
    for match in reversed(matches):
        if text[match.end() : ending[0].start() if ending else None].strip():
            break
        # These forms have no end marker: nothing may follow the arguments.
        if _has_more(match["rest"] or match["petals"] or ""):
            break
        # A fence may contain anything: it is a call if it names an existing tool.
        if match["fenced"] is not None and not all(call.name in known for call in _matched(match)):
            break
        ending.insert(0, match)
    return ending


def _matched(match: re.Match[str]) -> list[ParsedCall]:
    """The calls of one match of `_CALL`."""
    if match["name"]:
        return [_named_call(match["name"], match["body"])]
    if match["function"]:
        return [_named_call(match["function"], match["parameters"])]
    if match["flower"]:
        return [_named_call(match["flower"], match["petals"])]
    body = next(match[form] for form in ("tagged", "rest", "fenced") if match[form] is not None).strip()
    if inner := list(_INNER.finditer(body)):
        return [_named_call(each["name"], each["body"]) for each in inner]
    if calls := _objects(read_json(body), body) or _pythonic(body):
        return calls
    if mistral := _MISTRAL.fullmatch(body):
        return [_named_call(mistral["name"], mistral["body"])]
    return [ParsedCall("tool_call", unreadable(body), body)]


def _named_call(name: str, body: str) -> ParsedCall:
    """A call with its name outside its arguments, which are JSON or one tag each."""
    tags = {each["name"]: each["value"].strip() for each in _PARAMETER.finditer(body)}
    arguments = tags or read_arguments(body.strip() or "{}")
    return ParsedCall(name, unreadable(body) if arguments is None else arguments, body)


def _objects(value: Any, sent: str) -> list[ParsedCall]:
    """The calls of a JSON object or a list of objects; none if one of them doesn't name a tool."""
    items = value if isinstance(value, list) else [value]
    calls = [_object(item, sent) for item in items]
    return [call for call in calls if call is not None] if all(calls) else []


def _object(item: Any, sent: str) -> ParsedCall | None:
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("function"), dict):
        item = item["function"]
    name = next((item[key] for key in _NAMES if isinstance(item.get(key), str)), None)
    if name is None:
        return None
    arguments: Any = next((item[key] for key in _ARGUMENTS if item.get(key)), {})
    if isinstance(arguments, str):
        arguments = read_arguments(arguments) or unreadable(arguments)
    return ParsedCall(name, arguments if isinstance(arguments, dict) else unreadable(json.dumps(arguments)), sent)


def _pythonic(text: str) -> list[ParsedCall]:
    """The calls of `name(argument=value)`, of several such lines, or of a list of them."""
    if not re.match(r"\[?\s*[\w.]+\(", text):
        return []
    try:
        body = ast.parse(text.strip()).body
        found = [part for line in body if isinstance(line, ast.Expr) for part in _parts(line.value)]
        calls = [_evaluated(part, text) for part in found]
    except NOT_READ:
        return []
    return calls if len(found) >= len(body) else []


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.List) else [node]


def _evaluated(node: ast.expr, sent: str) -> ParsedCall:
    """One call in Python syntax; `tool.call(...)` is Llama's form of `tool(...)`."""
    if not isinstance(node, ast.Call) or node.args:
        raise ValueError("not a call with named arguments")
    name = ast.unparse(node.func).removesuffix(".call")
    return ParsedCall(name, {part.arg or "": ast.literal_eval(part.value) for part in node.keywords}, sent)
