"""Reads completions: brings those of small servers into OpenAI's form, and passes on streamed text as it grows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError
from pydantic_core import from_json

from longtake.agent.controllers.call_parsing.arguments import NOT_READ, unreadable
from longtake.agent.drafts.draft import ANSWER, NOT_FOUND

EXTRA = "extra_content"  # of a call: Gemini signs its thoughts there, and wants the signature back


def mended(body: dict[str, Any], name: str = "The controller") -> dict[str, Any]:
    """The completion with text as its content, and calls in OpenAI's field and form.

    A refusal, which has a field of its own, becomes an abstention; `name` is the role of the model in error messages.

    Raises:
        LookupError, TypeError, AttributeError: if it isn't a chat completion.
    """
    for choice in body.get("choices") or []:
        message = choice["message"]
        message["role"] = "assistant"
        refusal = f"{NOT_FOUND} {name} refused: {message['refusal']}" if message.get("refusal") else ""
        message["content"] = text_of(message.get("content")) or refusal
        calls = message.get("tool_calls") or message.pop("function_call", None) or []
        message["tool_calls"] = [_call(call) for call in (calls if isinstance(calls, list) else [calls])]
    return body


def text_of(content: Any) -> str:
    """The text of content that is null, a string, a part or a list of parts. Only text parts count."""
    match content:
        case None:
            return ""
        case list():
            return "".join(text_of(part) for part in content)
        case dict():
            return text_of(content.get("text")) if content.get("type", "text") in ("text", "output_text") else ""
    return str(content)


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """A call in OpenAI's form; some servers omit the field `function`."""
    function = call.get("function") or {"name": call["name"], "arguments": call.get("arguments")}
    arguments = _arguments(function.get("arguments"))
    more = {EXTRA: call[EXTRA]} if call.get(EXTRA) else {}
    return {"id": call.get("id"), "type": "function", "function": {**function, "arguments": arguments}, **more}


def _arguments(value: Any) -> str:
    """Arguments as JSON text; some servers send the object itself or encode it twice."""
    if not isinstance(value, str):
        return json.dumps(value or {})
    try:
        inner = json.loads(value)
    except NOT_READ:
        return value
    if isinstance(inner, str):
        return _arguments(inner)
    return value if isinstance(inner, dict) else json.dumps(unreadable(value))


ANSWER_TEXT = "text"  # the argument of the tool `answer` that a person reads
_GROWING = ("content", "reasoning_content", "reasoning", "refusal")
# Where a call begins that is written as text.
_CALL = re.compile(r"<\|?(?:tool|function|python_tag)|\[TOOL_CALLS|^CALL\s|\A\s*(?:\{|\[\s*\{|```json)", re.MULTILINE)
# The end of a text that may be the beginning of such a mark.
_MAY_BE_CALL = re.compile(r"(?:<[^\s>]{0,11}|\[[A-Z_]*|^CALL?|^CA?|\A\s*(?:\[\s*|`{1,3}j?s?o?))\Z", re.MULTILINE)

Message = dict[str, Any]


def assembled(lines: Iterable[str], request: httpx2.Request, told: Callable[[Message], None]) -> dict[str, Any]:
    """The completion in a stream of server-sent events, as if it had come whole.

    Args:
        lines: of the reply's body.
        request: for errors.
        told: is given the message after each piece.

    Raises:
        APIStatusError: if the server reports an error in the stream.
        APIConnectionError: if the stream ends before the reply does.
        LookupError, TypeError, ValueError, AttributeError: if the events aren't pieces of a chat completion.
    """
    body: dict[str, Any] = {}
    message: Message = {"role": "assistant", "tool_calls": []}
    finish, begun, ended = None, False, False
    for line in lines:
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or not data:  # a comment, the name of an event, or the line after one
            continue
        if data == "[DONE]":
            ended = True
            break
        chunk = json.loads(data)
        if chunk.get("error"):
            raise _stream_error(chunk["error"], request)
        body |= {name: value for name, value in chunk.items() if value is not None}
        for choice in chunk.get("choices") or []:
            begun = True
            finish = choice.get("finish_reason") or finish
            _add(message, choice.get("delta") or choice.get("message") or {})
        told(message)
    if not ended and not finish:
        raise APIConnectionError(message="The stream broke off.", request=request)
    return {**body, "choices": [{"index": 0, "message": message, "finish_reason": finish}] if begun else []}


class Heard:
    """Passes on what is new in the text that a growing message says to a person."""

    def __init__(self, on_text: Callable[[str], None], *, thinks: bool, field: str | None = None) -> None:
        """Nothing is passed on yet.

        Args:
            on_text: takes each new piece.
            thinks: whether a text may begin with thoughts that nothing opens.
            field: of an object in JSON, if all the model writes is one, and this field is what it says.
        """
        self._on_text, self._thinks, self._field = on_text, thinks, field
        self._told: dict[Hashable, str] = {}
        self._source: Hashable = None

    def __call__(self, message: Mapping[str, Any]) -> None:
        """Pass on what the message says beyond what it said before; an empty piece if it begins anew elsewhere."""
        for source, text in self._new_text(message):
            before = self._told.get(source, "")
            if len(text) > len(before) and text.startswith(before):
                if self._told and source != self._source:
                    self._on_text("")
                self._told[source], self._source = text, source
                self._on_text(text[len(before) :])

    def _new_text(self, message: Mapping[str, Any]) -> Iterator[tuple[Hashable, str]]:
        content = message.get("content", "")
        if self._field:
            yield self._field, _growing(content, self._field)
        else:
            thought = message.get("reasoning_content") or message.get("reasoning")
            yield "content", _prose(content, thinks=self._thinks and not thought)
        for place, call in enumerate(message["tool_calls"]):
            if call["function"]["name"] == ANSWER:
                yield place, _growing(call["function"]["arguments"], ANSWER_TEXT)


def _add(message: Message, delta: Mapping[str, Any]) -> None:
    for name in _GROWING:
        if delta.get(name) is not None:
            message[name] = message.get(name, "") + text_of(delta[name])
    calls = delta.get("tool_calls") or delta.get("function_call") or []
    for piece in calls if isinstance(calls, list) else [calls]:
        _add_call(message["tool_calls"], piece)


def _add_call(calls: list[dict[str, Any]], piece: Mapping[str, Any]) -> None:
    """Add a piece of a call to its call. Gemini gives no index, and Ollama gives each whole call the same."""
    function = piece.get("function") or piece
    index, name, arguments = piece.get("index"), function.get("name"), function.get("arguments")
    call = next((each for each in reversed(calls) if index in (None, each["index"])), None)
    another = index is None or piece.get("id") not in (None, "", call and call["id"])
    if call is None or (name and call["function"]["name"] and another):
        call = {"index": index, "id": piece.get("id"), "function": {"name": "", "arguments": ""}}
        calls.append(call)
    call["function"]["name"] = call["function"]["name"] or name or ""
    if arguments:
        call["function"]["arguments"] += arguments if isinstance(arguments, str) else json.dumps(arguments)
    if piece.get(EXTRA):
        call[EXTRA] = piece[EXTRA]


def _growing(text: str, field: str) -> str:
    """The value of a field of an object in JSON, as far as it is there."""
    try:
        read = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return ""
    value = read.get(field) if isinstance(read, dict) else None
    return value if isinstance(value, str) else ""


def _prose(text: str, *, thinks: bool) -> str:
    """What a text says before a call, without thinking, as far as that is clear."""
    _, end, after = text.rpartition("</think>")
    if not end and (thinks or "<think>".startswith(text.lstrip()[:7])):
        return ""
    said = (after if end else text).lstrip()
    call = _CALL.search(said)
    return said[: call.start()] if call else _MAY_BE_CALL.sub("", said)


def _stream_error(error: Any, request: httpx2.Request) -> APIStatusError:
    """An error in the stream, as if it had come with its status."""
    facts = error if isinstance(error, dict) else {"message": str(error)}
    code = facts.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    response = httpx2.Response(status, json={"error": facts}, request=request)
    return APIStatusError(str(facts.get("message") or facts), response=response, body=facts)
