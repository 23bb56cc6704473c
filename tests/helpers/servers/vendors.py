"""One server that behaves as each vendor's chat completions do, as far as their pages and their users' reports tell.

What it says is the same for all: it searches, answers with the tool `answer`, and writes prose or JSON otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from helpers.servers.loopback import Handler, listening

SAID = 'It costs "249" dollars \N{TEAPOT}\N{SMILING FACE WITH HORNS},\n[00:00:04].'
SEARCH = {"query": "kettle", "const": 3}
JUDGED = {"verdict": "supported"}
# What it says to words of a question, and what it calls a tool with; the last two are those of a trial.
_SAID = {"Judge": json.dumps(JUDGED), "grass": '{"colour": "green"}', "picture": "Red."}
_CALLED = {"answer": {"status": "answered", "text": SAID}, "search": SEARCH, "jump_to": {"minute": 7}}
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True)
class Vendor:
    """How a vendor differs from the others.

    `refused` has the words for each field: `FIELD TYPE` for a form of replies, `#KEYWORD` for one of a schema, and
    `+FIELD` for one that earlier replies must have.
    """

    model: str
    refused: Mapping[str, str] = field(default_factory=dict)
    status: int = 400
    error: str = '{"error": {"message": $words, "type": "invalid_request_error", "param": $param}}'
    no_content: Any = None  # of a message with a call
    thought: Mapping[str, str] = field(default_factory=dict)  # fields of a message
    thinks_aloud: bool = False
    call_id: str | None = "call_1"
    index: int | None = 0
    whole_calls: bool = False
    arguments_as_object: bool = False
    signed: bool = False  # calls have a signature that must come back
    streams: bool = True
    comment: str = ""
    usage_with_choices: bool = False
    calls_end_with: str = "tool_calls"


UNKNOWN = 'Invalid JSON payload received. Unknown name "{}": Cannot find field.'
EXTRA = "[{'type': 'extra_forbidden', 'loc': ('body', 'FIELD'), 'msg': 'Extra inputs are not permitted'}]"
VENDORS = {
    "OpenAI": Vendor(
        model="gpt-5-mini",
        refused={
            "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "temperature": "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default "
            "(1) value is supported.",
            "chat_template_kwargs": "Unknown parameter: 'chat_template_kwargs'.",
        },
    ),
    "Anthropic": Vendor(
        model="claude-opus-4-8",
        refused={"temperature": "`temperature` is deprecated for this model."},
        error='{"error": {"code": null, "message": $words, "type": "invalid_request_error", "param": null}}',
        no_content="",
    ),
    "Gemini": Vendor(
        model="gemini-3-flash",
        refused={
            "chat_template_kwargs": UNKNOWN.format("chat_template_kwargs"),
            "#const": 'Invalid JSON payload received. Unknown name "const" at \'tools[0].function_declarations[0].'
            "parameters.properties[0].value': Cannot find field.",
        },
        error='[{"error": {"code": 400, "message": $words, "status": "INVALID_ARGUMENT"}}]',
        call_id="",
        index=None,
        whole_calls=True,
        signed=True,
        usage_with_choices=True,
        calls_end_with="stop",
    ),
    "Mistral": Vendor(
        model="mistral-small-latest",
        refused={
            name: EXTRA.replace("FIELD", name)
            for name in ("max_completion_tokens", "chat_template_kwargs", "stream_options")
        },
        status=422,
        error='{"object": "error", "message": $words, "type": "invalid_request_error", "param": null}',
        usage_with_choices=True,
    ),
    "DeepSeek": Vendor(
        model="deepseek-reasoner",
        refused={
            "response_format json_schema": "This response_format type is unavailable now",
            "+reasoning_content": "Missing `reasoning_content` field in the assistant message at message index 2.",
        },
        thought={"reasoning_content": "Perhaps 300."},
    ),
    "OpenRouter": Vendor(
        model="qwen/qwen3-235b-a22b",
        comment=": OPENROUTER PROCESSING\n\n",
        thought={"reasoning": "Perhaps 300."},
        usage_with_choices=True,
    ),
    "Ollama": Vendor(model="qwen3:4b", thought={"reasoning": "Perhaps 300."}, no_content="", whole_calls=True),
    "Ollama before it streamed calls": Vendor(model="llama3.1", streams=False, arguments_as_object=True, call_id=None),
    "LM Studio": Vendor(
        model="qwen3-4b",
        refused={"response_format json_object": "'response_format.type' must be 'json_schema' or 'text'"},
        error='{"error": $words}',
        thinks_aloud=True,
    ),
    "llama.cpp": Vendor(
        model="Qwen3-4B-Q8_0.gguf",
        refused={"response_format json_schema": "Cannot use custom grammar constraints with tools."},
        error='{"error": {"code": 400, "message": $words, "type": "invalid_request_error"}}',
        thought={"reasoning_content": "Perhaps 300."},
    ),
    "vLLM": Vendor(model="Qwen/Qwen3-4B", thinks_aloud=True, call_id="chatcmpl-tool-1"),
    "SGLang": Vendor(model="meta-llama/Llama-3.1-8B-Instruct", call_id="0"),
}


@dataclass
class Served:
    """Where a vendor listens, and the requests that it accepted and refused."""

    url: str
    accepted: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@contextmanager
def serving(vendor: Vendor) -> Iterator[Served]:
    """Listen on a free port of loopback until the block ends."""

    class Chat(Handler):
        def do_POST(self) -> None:
            asked = json.loads(self.body())
            name = _refusal(vendor, asked)
            if name:
                served.refused.append(name)
                words = json.dumps(vendor.refused[name])
                body = vendor.error.replace("$words", words).replace("$param", json.dumps(name.partition(" ")[0]))
                return self._answer(vendor.status, "application/json", body)
            served.accepted.append(asked)
            message = _message(vendor, asked)
            if asked.get("stream") and vendor.streams:
                return self._answer(200, "text/event-stream; charset=utf-8", _events(vendor, asked, message))
            choice = {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
            }
            return self._answer(200, "application/json", json.dumps({"id": "1", "choices": [choice], "usage": USAGE}))

        def _answer(self, status: int, kind: str, body: str) -> None:
            data = body.encode()
            self.send(status, {"Content-Type": kind, "Content-Length": str(len(data))})
            self.wfile.write(data)

    with listening(Chat) as url:
        served = Served(f"{url}/v1")
        yield served


def _refusal(vendor: Vendor, asked: Mapping[str, Any]) -> str | None:
    """What the vendor refuses first of a request."""
    form = asked.get("response_format", {}).get("type")
    schemas = json.dumps(
        [tool["function"]["parameters"]["properties"].get("query") for tool in asked.get("tools", ())[:1]]
    )
    for name in vendor.refused:
        there = name in asked or name == f"response_format {form}"
        lacks = any(name[1:] not in each for each in asked["messages"] if each["role"] == "assistant")
        there = there or (name.startswith("+") and lacks)
        if there or (name.startswith("#") and f'"{name[1:]}":' in schemas):
            return name
    return None


def _message(vendor: Vendor, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What the model says to a request."""
    message: dict[str, Any] = {"role": "assistant", **vendor.thought}
    thought = "<think>Perhaps 300.</think>\n\n" if vendor.thinks_aloud else ""
    last = asked["messages"][-1]
    if not asked.get("tools"):
        said = next((said for words, said in _SAID.items() if words in str(last["content"])), SAID)
        return {**message, "content": thought + said}
    name = "answer" if last["role"] == "tool" else asked["tools"][0]["function"]["name"]
    given = _CALLED[name]
    if vendor.signed and last["role"] == "tool":
        [call] = asked["messages"][-2]["tool_calls"]
        assert call["extra_content"] == {"google": {"thought_signature": "abc"}}
    arguments: Any = given if vendor.arguments_as_object else json.dumps(given)
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    call |= {"id": vendor.call_id} if vendor.call_id is not None else {}
    call |= {"extra_content": {"google": {"thought_signature": "abc"}}} if vendor.signed else {}
    return {**message, "content": thought or vendor.no_content, "tool_calls": [call]}


def _events(vendor: Vendor, asked: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    """The stream of a message: a few letters at a time."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": vendor.no_content}]
    for name in (*vendor.thought, "content"):
        deltas += [{name: piece} for piece in _pieces(message[name] or "")]
    for call in message.get("tool_calls", ()):
        index = {} if vendor.index is None else {"index": vendor.index}
        function = call["function"]
        pieces = [function["arguments"]] if vendor.whole_calls else ["", *_pieces(function["arguments"])]
        deltas.append({"tool_calls": [{**call, **index, "function": {**function, "arguments": pieces[0]}}]})
        later = [{**index, "function": {"arguments": piece}} for piece in pieces[1:]]
        deltas += [{"tool_calls": [piece]} for piece in later]
    end = vendor.calls_end_with if "tool_calls" in message else "stop"
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    events: list[dict[str, Any]] = [{"choices": [choice]} for choice in choices]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
    if vendor.usage_with_choices:
        events[-1]["usage"] = USAGE
    elif asked.get("stream_options", {}).get("include_usage"):
        events.append({"choices": [], "usage": USAGE})
    lines = [f"data: {json.dumps({'id': '1', 'object': 'chat.completion.chunk', **event})}\n\n" for event in events]
    return vendor.comment + "".join(lines) + "data: [DONE]\n\n"


def _pieces(text: str) -> list[str]:
    return [text[place : place + 3] for place in range(0, len(text), 3)]
