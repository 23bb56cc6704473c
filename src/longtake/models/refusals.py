"""What a server refuses of a request. Its words are read, and what they name is left out from then on.

No two servers take the same fields: OpenAI's reasoning models want `max_completion_tokens` and no temperature, others
know only `max_tokens`; LM Studio takes a schema but no `json_object`, DeepSeek the reverse; Gemini refuses every field
and every keyword of a schema that it doesn't know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

Body = dict[str, Any]
Reply = TypeVar("Reply")

TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")
# OpenAI, vLLM, SGLang, llama.cpp, LM Studio, LiteLLM and Gemini word this differently.
CONTEXT_FULL = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:model|context|input) length|prompt is too long"
    r"|maximum number of tokens|input tokens exceed",
    re.IGNORECASE,
)
_REFUSING = (400, 422)  # statuses
_NEEDED = ("model", "messages", "tools", "stream")
_FORM = "response_format"
_OF_REPLY = re.compile(r"in the completion|output tokens|max_(?:completion_)?tokens", re.IGNORECASE)
_PARAM = re.compile(r'"param"\s*:\s*"(\w+)')
_FORM_TOO = re.compile(r"response[ _](?:format|schema)|json[ _]schema|guided|grammar|structured output", re.IGNORECASE)
_KEYWORD = re.compile(r"""Unknown name \\?"([^"\\]+)\\?" at '""")  # of a schema: Gemini
_SCHEMAS = ("tools", _FORM)
# DeepSeek wants the thoughts of earlier replies back while it thinks, and takes empty ones.
_THOUGHTS = "reasoning_content"
_THOUGHTS_MISSED = re.compile(rf"missing\W+{_THOUGHTS}|{_THOUGHTS}\W.*must be passed", re.IGNORECASE)


def as_accepted(url: str, model: str, body: Body, send: Callable[[Body], Reply]) -> Reply:
    """What `send` returns for a request as this server takes it.

    A refusal of fields is remembered, and the request is sent again without them, at once. The limit of a reply moves
    to the other field for it, and a schema becomes `json_object` before it is left out. Each field is refused once.

    Args:
        url: of the server.
        model: its name there.
        body: the whole request.
        send: sends a request; its errors have a `response` if the server answered.
    """
    known = _refusals(url, model)
    refused = set(known)
    while True:
        asked = _without(body, refused)
        try:
            return send(asked)
        except Exception as error:
            response = getattr(error, "response", None)
            if getattr(response, "status_code", None) not in _REFUSING:
                raise
            said = str(getattr(response, "text", ""))
            new = _refused(said, asked) - refused
            if not new:
                raise
            refused |= new
            if not CONTEXT_FULL.search(said):  # else, a shorter conversation may have it again
                known |= new


@cache
def _refusals(url: str, model: str) -> set[str]:
    """What a model of a server has refused in this process: fields, forms of replies, and keywords of schemas."""
    return set()


def _refused(said: str, asked: Mapping[str, Any]) -> set[str]:
    """What a refusal names of a request."""
    if CONTEXT_FULL.search(said):
        return set(TOKEN_FIELDS) if _OF_REPLY.search(said) and not asked.keys().isdisjoint(TOKEN_FIELDS) else set()
    if _THOUGHTS_MISSED.search(said):
        return {_THOUGHTS}
    keywords = {f"#{name}" for name in _KEYWORD.findall(said)}
    if keywords:
        return keywords
    param = _PARAM.search(said)
    if param and param[1] in asked:
        named = {param[1]}
    else:
        named = {name for name in asked if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)}
        if _FORM in asked and _FORM_TOO.search(said):
            named.add(_FORM)
    return {asked[_FORM]["type"] if name == _FORM else name for name in named.difference(_NEEDED)}


def _without(body: Body, refused: set[str]) -> Body:
    """A request without what was refused."""
    made = {name: value for name, value in body.items() if name not in refused}
    limit = next((body[name] for name in TOKEN_FIELDS if name in body), None)
    if limit is not None and made.keys().isdisjoint(TOKEN_FIELDS):
        made |= {name: limit for name in TOKEN_FIELDS if name not in refused}
    if _THOUGHTS in refused and "messages" in body:
        said = body["messages"]
        made["messages"] = [{_THOUGHTS: "", **each} if each["role"] == "assistant" else each for each in said]
    form = made.get(_FORM, {}).get("type")
    if form in refused:
        made[_FORM] = {"type": "json_object"}
        if form == "json_object" or "json_object" in refused:
            del made[_FORM]
    keywords = {name[1:] for name in refused if name.startswith("#")}
    return made | {name: _stripped(made[name], keywords) for name in _SCHEMAS if name in made and keywords}


def _stripped(schema: Any, keywords: set[str], *, names: bool = False) -> Any:
    """A schema without some keywords; with `names`, the keys of its fields, which are none."""
    if isinstance(schema, list):
        return [_stripped(each, keywords) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _stripped(value, keywords, names=key == "properties" and not names)
        for key, value in schema.items()
        if names or key not in keywords
    }
