"""Turns a chat completion as small servers send it into OpenAI's form."""

from __future__ import annotations

import json
from typing import Any

from longtake.agent.controllers.call_parsing.arguments import NOT_READ, unreadable
from longtake.agent.drafts.draft import NOT_FOUND

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
