"""OpenAI-compatible servers: whether they answer, which models they have, and what a model can do."""

from __future__ import annotations

import base64
import io
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx
from PIL import Image

from longtake.errors import first_line
from longtake.language.text import parse_json
from longtake.models.profiles import profile_named
from longtake.models.refusals import as_accepted
from longtake.offline import is_loopback
from longtake.prompts import without_thinking
from longtake.redaction import without_secrets

LIST_SECONDS = 3.0
TRY_SECONDS = 120.0  # the first reply may wait for a model to load
_NOT_FOR_CHAT = ("embed", "rerank", "whisper")
_MAX_TOKENS = 512  # of a reply
_MAX_SAID = 200  # characters of a server's own words
# A reply with an error, or that isn't what was asked for.
_UNUSABLE = (httpx.HTTPStatusError, ValueError, LookupError, TypeError)


@dataclass(frozen=True)
class Listing:
    """The models of a server, or why it doesn't answer; `refused` if the reason is the key."""

    url: str
    models: tuple[str, ...]
    seconds: float
    problem: str | None = None
    refused: bool = False

    def has(self, model: str) -> bool:
        """Whether the server offers a model, as far as it says; Ollama completes a name without a tag."""
        return not self.models or model in self.models or f"{model}:latest" in self.models


@dataclass(frozen=True)
class ModelTrial:
    """What a model did when it was tried, or why it didn't answer; `refused` if the reason is the key.

    `context` is what its server says that it reads, in tokens.
    """

    tools: bool
    pictures: bool
    seconds: float
    schema: bool = False
    context: int | None = None
    problem: str | None = None
    refused: bool = False


def ask_models(url: str, key: str | None = None) -> Listing:
    """Ask a server for the models that can chat.

    Args:
        url: base URL, ending in `/v1`.
        key: API key, if it needs one.
    """
    begun = time.monotonic()
    try:
        with _client(url, key, LIST_SECONDS) as client:
            reply = client.get("models").raise_for_status().json()
        names = [str(each["id"]) for each in reply["data"]]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError) as error:
        return Listing(url, (), time.monotonic() - begun, _reason(error, key), _refuses(error))
    chat = tuple(name for name in names if not any(part in name.casefold() for part in _NOT_FOR_CHAT))
    return Listing(url, chat, time.monotonic() - begun)


def try_model(url: str, model: str, key: str | None = None) -> ModelTrial:
    """Ask a model for one tool call, the colour of one picture, and one reply under a JSON schema."""
    begun = time.monotonic()
    tools = pictures = schema = False
    with _client(url, key, TRY_SECONDS) as client:
        try:
            try:
                tools = _calls_tool(_reply(client, model, _TOOL_QUESTION, tools=[_TOOL]))
            except _UNUSABLE:  # it may answer if it is given no tools
                _reply(client, model, _PLAIN_QUESTION)
        except (httpx.HTTPError, *_UNUSABLE) as error:
            seconds = time.monotonic() - begun
            return ModelTrial(False, False, seconds, problem=_reason(error, key), refused=_refuses(error))
        with suppress(httpx.HTTPError, *_UNUSABLE):  # models without eyes refuse pictures in many ways
            pictures = "red" in str(_reply(client, model, _picture_question())["content"]).casefold()
        with suppress(httpx.HTTPError, *_UNUSABLE):
            said = _reply(client, model, _SCHEMA_QUESTION, response_format=_FORM)["content"]
            schema = parse_json(without_thinking(said)).keys() == {"colour"}
        seconds = time.monotonic() - begun
        return ModelTrial(tools, pictures, seconds, schema, _context(client, model))


# Where servers say how many tokens a model reads: the path, the list there, and the fields of the name and the tokens.
_CONTEXTS = (
    ("models", "data", "id", ("max_model_len", "context_length")),  # vLLM and SGLang, OpenRouter
    ("/api/v0/models", "data", "id", ("loaded_context_length",)),  # LM Studio
    ("/api/ps", "models", "name", ("context_length",)),  # Ollama
)
_SCHEMA_QUESTION = "Which colour is grass? Reply in JSON, with the field `colour`."
_FORM = {
    "type": "json_schema",
    "json_schema": {
        "name": "grass",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"colour": {"type": "string"}},
            "required": ["colour"],
            "additionalProperties": False,
        },
    },
}
_PLAIN_QUESTION = "Answer with one word: which colour is the sky?"
_TOOL_QUESTION = "Call the tool `jump_to` with minute 7."
_TOOL = {
    "type": "function",
    "function": {
        "name": "jump_to",
        "description": "Go to a minute of the video.",
        "parameters": {
            "type": "object",
            "properties": {"minute": {"type": "integer"}},
            "required": ["minute"],
        },
    },
}


def _client(url: str, key: str | None, seconds: float) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    # A proxy can't reach servers on this machine.
    return httpx.Client(base_url=url, headers=headers, timeout=seconds, trust_env=not is_loopback(url))


def _reply(client: httpx.Client, model: str, content: Any, **more: Any) -> Any:
    """The message of a reply."""
    fields = profile_named(model).fields(_MAX_TOKENS)
    asked = {"model": model, "messages": [{"role": "user", "content": content}], **fields, **more}
    reply = as_accepted(
        str(client.base_url), model, asked, lambda body: client.post("chat/completions", json=body).raise_for_status()
    )
    return reply.json()["choices"][0]["message"]


def _context(client: httpx.Client, model: str) -> int | None:
    """The tokens that a server says it reads with a model, if it does."""
    for path, held, named, fields in _CONTEXTS:
        with suppress(httpx.HTTPError, *_UNUSABLE, AttributeError, StopIteration):
            listed = client.get(client.base_url.join(path), timeout=LIST_SECONDS).raise_for_status().json()[held]
            mine = next(each for each in listed if each[named] in (model, f"{model}:latest"))
            return int(next(mine[field] for field in fields if mine.get(field)))
    return None


def _calls_tool(message: Any) -> bool:
    with suppress(ValueError, LookupError, TypeError):
        call = message["tool_calls"][0]["function"]
        given = call["arguments"]  # an object, at some servers
        read = parse_json(given) if isinstance(given, str) else given
        return bool(call["name"] == "jump_to" and read["minute"] in (7, "7"))
    return False


def _picture_question() -> list[dict[str, Any]]:
    stream = io.BytesIO()
    Image.new("RGB", (224, 224), (255, 0, 0)).save(stream, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
    return [
        {"type": "text", "text": "Which colour is this picture? Answer with one word."},
        {"type": "image_url", "image_url": {"url": url}},
    ]


def _refuses(error: Exception) -> bool:
    """Whether a server refuses the key, or that there is none."""
    return isinstance(error, httpx.HTTPStatusError) and error.response.status_code in (401, 403)


def _reason(error: Exception, key: str | None) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return f"it replies with status {error.response.status_code}{_said(error.response, key)}"
    if isinstance(error, httpx.TimeoutException):
        return "it takes too long"
    if isinstance(error, (httpx.HTTPError, httpx.InvalidURL)):
        return first_line(error)
    return "its reply isn't that of an OpenAI-compatible server"


def _said(response: httpx.Response, key: str | None) -> str:
    """What an error says in words, if it does. Some servers repeat the rejected key."""
    with suppress(ValueError, LookupError, TypeError):
        error = response.json()["error"]
        words = error if isinstance(error, str) else error["message"]
        shown: str = without_secrets(" ".join(str(words).split()), (key,) if key else ())
        return f": {shown[:_MAX_SAID].rstrip('.')}"
    return ""
