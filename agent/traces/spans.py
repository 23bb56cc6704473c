"""Converts a run to OpenTelemetry spans with the GenAI semantic conventions: the agent's invocation, the chats with its
model and the tools it executed, each with its content and recorded time.

The conventions are in development and not in any stable package; the names are those of
github.com/open-telemetry/semantic-conventions-genai, as of late 2026. Viewers such as Phoenix derive messages, tools
and token counts from them, but neither the input and output of the agent and its tools, nor anything of the other
steps: these are the attributes of github.com/Arize-ai/openinference. Everything else is `longtake.*`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event as SpanEvent
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from longtake import __version__
from longtake.agent.traces.lenient_run import tokens_in
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.whole_run import conversation, reply_in
from longtake.errors import LibraryError
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS

Kind = Literal["AGENT", "LLM", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR"]
_MAX_DOCUMENTS = 20


def shown(kind: Kind, given: Any = None, made: Any = None) -> dict[str, Any]:
    """The attributes of a span.

    Args:
        kind: how viewers draw it.
        given: its input, text or JSON; None if it has none.
        made: its output, likewise.
    """
    return {"openinference.span.kind": kind, **_value("input", given), **_value("output", made)}


def documents(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The first of the documents that a search found, each with its place in the video."""
    attributes: dict[str, Any] = {}
    for number, each in enumerate(found[:_MAX_DOCUMENTS]):
        evidence, name = each["evidence"], f"retrieval.documents.{number}.document"
        place = {"video": evidence["video"], "modality": evidence["modality"], **evidence["span"]}
        attributes |= {f"{name}.content": evidence["text"], f"{name}.metadata": json.dumps(place)}
        if each["cosine"] is not None:
            attributes[f"{name}.score"] = each["cosine"]
    return attributes


def _value(side: Literal["input", "output"], value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    plain = isinstance(value, str)
    return {
        f"{side}.value": value if plain else json.dumps(value, ensure_ascii=False),
        f"{side}.mime_type": "text/plain" if plain else "application/json",
    }


AGENT = "Longtake"
_PROVIDERS = {
    "extractive": "longtake",
    "transformers": "transformers",
    "gguf": "llama.cpp",
}  # of controllers in process
_RESOURCE = Resource({"service.name": "longtake", "service.version": __version__})
_SCOPE = InstrumentationScope("longtake.agent", __version__)
_DESCRIPTIONS = {SPECS[function].name: SPECS[function].description for function in ALL_TOOLS}

Attributes = dict[str, Any]


@dataclass(frozen=True)
class _Run:
    """A trace, and the attributes common to its spans."""

    trace: RecordedTrace
    events: Sequence[Mapping[str, Any]]
    conversation: str
    provider: Attributes
    model: str

    def span(
        self, event: Mapping[str, Any], name: str, attributes: Attributes, *, parent: int | None = 0, **more: Any
    ) -> ReadableSpan:
        """A span for an event, inside that of another step; unknown attributes are left out."""
        known = {key: value for key, value in attributes.items() if value not in (None, "", [], ())}
        return ReadableSpan(
            name,
            context=self._context(event["step"]),
            parent=None if parent is None else self._context(parent),
            resource=_RESOURCE,
            instrumentation_scope=_SCOPE,
            attributes={"gen_ai.conversation.id": self.conversation, "longtake.step": event["step"], **known},
            start_time=_nanoseconds(event["started"]),
            **{"end_time": _nanoseconds(event["started"] + event["seconds"]), **more},
        )

    def _context(self, step: int) -> SpanContext:
        """Ids that are the same on every export of the run."""
        trace = int.from_bytes(blake2b(self.trace.run.encode(), digest_size=16).digest())
        span = int.from_bytes(blake2b(f"{self.trace.run} {step}".encode(), digest_size=8).digest())
        return SpanContext(trace, span, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def spans_of(trace: RecordedTrace) -> list[ReadableSpan]:
    """The spans of a run, the agent's first.

    Raises:
        LibraryError: when a blob of the trace is missing or changed, or it contains no run.
    """
    events = list(trace.events())
    if not events or events[0]["type"] != "run":
        raise LibraryError(f"Trace {trace.run!r} doesn't start with a run, so it can't be exported.")
    controller = trace.blob(events[0]["output"])["controller"]
    run = _Run(
        trace, events, events[0]["data"]["thread"], _provider(controller), controller["model"] or controller["engine"]
    )
    calls = {event["data"]["call"]: event["step"] for event in events if event["type"] == "tool"}
    spans = [_agent(run)]
    for event in events[1:]:
        if event["type"] == "model":
            spans.append(_chat(run, event, calls.get(event["data"].get("call"), 0)))
        elif event["type"] == "tool":
            spans.append(_tool(run, event))
        elif event["type"] in ("orient", "brief", "judge"):
            facts = {f"longtake.{name}": value for name, value in event["data"].items()}
            spans.append(run.span(event, event["type"], facts | _step(run, event)))
    return spans


def _agent(run: _Run) -> ReadableSpan:
    first, last = run.events[0], run.events[-1]
    asked = run.trace.blob(first["input"])
    answer = run.trace.blob(last["output"]) if last["type"] == "answer" else None
    guards = [event for event in run.events if event["type"] == "guard"]
    rounds = [event for event in run.events if event["type"] == "model"]
    tools = run.trace.blob(rounds[0]["input"])["tools"] if rounds else []
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.agent.version": __version__,
        "gen_ai.request.model": run.model,
        **run.provider,
        **_usage(rounds),
        "gen_ai.input.messages": _json([{"role": "user", "parts": [_text(asked["question"])]}]),
        "gen_ai.output.messages": _json([_output([_text(answer["answer"])], "stop")]) if answer else None,
        "gen_ai.tool.definitions": _json([{"type": "function", **tool["function"]} for tool in tools]),
        **shown("AGENT", asked["question"], answer["answer"] if answer else None),
        "longtake.run": run.trace.run,
        "longtake.videos": asked["videos"],
        "longtake.status": answer["status"] if answer else None,
        # Answers in older traces lack these two.
        "longtake.confidence": answer.get("confidence") if answer else None,
        "longtake.closest": _json(answer["closest"]) if answer and answer.get("closest") else None,
        "longtake.forked_from": _json(first["data"]["forked_from"]) if "forked_from" in first["data"] else None,
    }
    error = next((event["data"]["error"] for event in run.events if event["type"] == "error"), None)
    ends = max(event["started"] + event["seconds"] for event in run.events)
    return run.span(
        first,
        f"invoke_agent {AGENT}",
        attributes | ({"error.type": "_OTHER"} if error else {}),
        parent=None,
        end_time=_nanoseconds(ends),
        events=[SpanEvent("longtake.guard", guard["data"], _nanoseconds(guard["started"])) for guard in guards],
        status=_status(error),
    )


def _chat(run: _Run, event: Mapping[str, Any], parent: int) -> ReadableSpan:
    sent, reply = conversation(run.trace, event), reply_in(run.trace, event)
    reason = reply.response_metadata.get("finish_reason")
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": run.model,
        "gen_ai.response.model": reply.response_metadata.get("model_name"),
        "gen_ai.response.id": reply.response_metadata.get("id"),
        "gen_ai.response.finish_reasons": [reason] if reason else None,
        **run.provider,
        **_usage([event]),
        "gen_ai.system_instructions": _json([_text(each.text) for each in sent if isinstance(each, SystemMessage)]),
        "gen_ai.input.messages": _json([_message(each) for each in sent if not isinstance(each, SystemMessage)]),
        "gen_ai.output.messages": _json([_output(_message(reply)["parts"], reason or "stop")]),
        "gen_ai.conversation.compacted": True if event["data"].get("shortened") else None,
        **shown("LLM", sent[-1].text if sent else None, reply.text or reply.tool_calls or None),
        "longtake.repairs": event["data"].get("repairs"),
    }
    kind = SpanKind.CLIENT if "server.address" in run.provider else SpanKind.INTERNAL
    return run.span(event, f"chat {run.model}", attributes, parent=parent, kind=kind)


def _tool(run: _Run, event: Mapping[str, Any]) -> ReadableSpan:
    data, result = event["data"], run.trace.blob(event["output"])
    failure = result["failure"]
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.agent.name": AGENT,
        "gen_ai.tool.name": data["tool"],
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": _DESCRIPTIONS.get(data["tool"]),
        "gen_ai.tool.call.id": data["call"],
        "gen_ai.tool.call.arguments": _json(data["arguments"]),
        "gen_ai.tool.call.result": None if failure else _json(result["output"]),
        "error.type": failure["kind"] if failure else None,
        **shown("TOOL", data["arguments"], None if failure else result["output"]),
        "longtake.looked_at": [f"{video}#t={start:g},{end:g}" for video, start, end in event["spans"]],
        "longtake.evidence": event["evidence"],
        "longtake.cached": data["cached"],
    }
    status = _status(failure["message"] if failure else None)
    return run.span(event, f"execute_tool {data['tool']}", attributes, status=status)


def _step(run: _Run, event: Mapping[str, Any]) -> Attributes:
    """What a step of the graph received and made; nothing where it was recorded without them."""
    if event["output"] is None:
        return {}
    made = run.trace.blob(event["output"])
    if event["type"] == "brief":
        question = run.trace.blob(run.events[0]["input"])["question"]
        return {**shown("RETRIEVER", question), **documents(made["found"])}
    given = run.trace.blob(event["input"]) if event["input"] else {}
    if event["type"] == "judge":
        return shown("EVALUATOR", given.get("draft"), made.get("claims"))
    return shown("CHAIN", given.get("question"), made)


def _provider(controller: Mapping[str, Any]) -> Attributes:
    """The model's provider and server."""
    server = urlsplit(controller["base_url"] or "")
    port = server.port or {"https": 443, "http": 80}.get(server.scheme)
    where = {"server.address": server.hostname, "server.port": port} if server.hostname else {}
    return {"gen_ai.provider.name": _PROVIDERS.get(controller["engine"], "openai"), **where}


def _usage(events: Iterable[Mapping[str, Any]]) -> Attributes:
    """The tokens of some replies, if they report them."""
    usages = [event["usage"] for event in events if event["usage"]]
    return {f"gen_ai.usage.{kind}": count for kind, count in tokens_in(usages).items()} if usages else {}


def _message(message: BaseMessage) -> dict[str, Any]:
    """A message in the format of the conventions."""
    if isinstance(message, ToolMessage):
        answered = {"type": "tool_call_response", "id": message.tool_call_id, "response": message.text}
        return {"role": "tool", "parts": [answered]}
    parts: list[dict[str, Any]] = [_text(message.text)] if message.text else []
    if not isinstance(message, AIMessage):
        return {"role": "user", "parts": parts}
    for call in message.tool_calls:
        parts.append({"type": "tool_call", "id": call["id"], "name": call["name"], "arguments": call["args"]})
    return {"role": "assistant", "parts": parts}


def _output(parts: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    return {"role": "assistant", "parts": parts, "finish_reason": reason}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


def _status(error: str | None) -> Status:
    return Status(StatusCode.ERROR, error) if error else Status(StatusCode.UNSET)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
