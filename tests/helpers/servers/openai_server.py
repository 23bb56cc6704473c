"""An OpenAI-compatible server on loopback whose replies are scripted; it keeps the requests it was sent."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from helpers.servers.loopback import Handler, listening


@dataclass(frozen=True)
class Reply:
    """One HTTP reply, sent as it is."""

    body: str
    status: int = 200
    kind: str = "application/json"
    delay: float = 0.0
    together: int = 0  # once so many requests have been under way at once, nothing waits out its delay
    ask_again: bool = False  # tells the client to ask again, at once, and otherwise not to
    headers: Mapping[str, str] | None = None  # sent in place of that advice
    pause: float = 0.0  # seconds between two events of a stream
    breaks: Literal["", "reset", "short", "trickle"] = ""  # how the connection ends before the body does


def says(text: str | None, *calls: tuple[str, Any], usage: tuple[int, int] | None = (100, 20)) -> Reply:
    """A chat completion: text and tool calls, each a name and its arguments (a string is sent as it is)."""
    called = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, (name, given) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": called} if called else {})}
    body: dict[str, Any] = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if called else "stop"}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Reply(json.dumps(body))


def judges(
    *verdicts: str,
    reasons: Sequence[str] = (),
    abstains: bool = False,
    answers: bool = True,
    option: str | None = None,
) -> Reply:
    """A judgement: the verdict on each statement, in order."""
    claims = {
        str(n): {"reason": reasons[n - 1] if n <= len(reasons) else "", "verdict": verdict, "answers": answers}
        for n, verdict in enumerate(verdicts, 1)
    }
    return says(json.dumps({"claims": claims, "option": option, "abstains": abstains}))


def agrees(request: Mapping[str, Any]) -> Reply:
    """A judge that finds every statement supported."""
    return judges(*["supported"] * len(statements_in(request)))


def doubts(
    *words: str, verdict: str = "not_shown", reason: str = "", otherwise: str = "supported"
) -> Callable[[Mapping[str, Any]], Reply]:
    """A judge that gives this verdict on statements with one of the words, and another one on all others."""

    def judge(request: Mapping[str, Any]) -> Reply:
        told = statements_in(request)
        doubted = [any(word in text for word in words) for text in told]
        reasons = [reason if doubt else "" for doubt in doubted]
        return judges(*(verdict if doubt else otherwise for doubt in doubted), reasons=reasons)

    return judge


def statements_in(request: Mapping[str, Any]) -> list[str]:
    """The statements that a judge is asked about."""
    content = request["messages"][-1]["content"]
    prompt = content if isinstance(content, str) else content[0]["text"]  # pictures follow
    asked = prompt.partition("Statements of the answer")[2]
    return [json.loads(text) for text in re.findall(r'^\d+\. ("(?:[^"\\\n]|\\.)*")', asked, re.MULTILINE)]


def streamed(reply: Reply, pause: float = 0.0, size: int = 4) -> Reply:
    """A chat completion as server-sent events, `size` characters of text or arguments in each, with pauses between."""
    message = json.loads(reply.body)["choices"][0]["message"]
    deltas: list[dict[str, Any]] = [{"content": piece} for piece in _pieces(message["content"] or "", size)]
    for index, call in enumerate(message.get("tool_calls", ())):
        named = {"index": index, "id": call["id"], "type": "function"}
        deltas.append({"tool_calls": [named | {"function": {"name": call["function"]["name"], "arguments": ""}}]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in _pieces(call["function"]["arguments"], size)
        ]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    whole = json.loads(reply.body)
    finish = whole["choices"][0]["finish_reason"]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": whole.get("usage")})
    facts = {"id": "chat-1", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    lines = [f"data: {json.dumps(facts | chunk)}\n\n" for chunk in chunks]
    return replace(reply, body="".join([*lines, "data: [DONE]\n\n"]), kind="text/event-stream", pause=pause)


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def refuses(status: int, message: str) -> Reply:
    """An error as OpenAI words it."""
    return Reply(json.dumps({"error": {"message": message, "type": "server_error"}}), status)


Said = Reply | Callable[[dict[str, Any]], Reply]  # as it is, or by what is asked


@dataclass
class Endpoint:
    """The running server: where it listens, what it still has to say (the last again and again), what it was asked."""

    url: str
    script: list[Said]
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    models: tuple[str, ...] = ("scripted",)
    facts: dict[str, Any] = field(default_factory=dict)  # that it lists of each
    listed: int = 0  # how often it was asked for them
    most_at_once: int = 0
    judge: Callable[[dict[str, Any]], Reply] = agrees
    judged: list[dict[str, Any]] = field(default_factory=list)  # the requests that asked it to judge an answer
    _under_way: int = 0
    _counted: threading.Condition = field(default_factory=threading.Condition)

    def wait(self, reply: Reply) -> None:
        """Wait out the delay of a reply; its request is under way for as long."""
        with self._counted:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            self._counted.notify_all()
            self._counted.wait_for(lambda: 0 < reply.together <= self.most_at_once, reply.delay)
            self._under_way -= 1

    def next(self, request: dict[str, Any], key: str) -> Reply:
        form = request.get("response_format", {}).get("json_schema", {})
        if form.get("name") == "judgement":
            self.judged.append(request)
            return self.judge(request)
        self.requests.append(request)
        self.keys.append(key)
        said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return said if isinstance(said, Reply) else said(request)


@contextmanager
def openai_server(script: Sequence[Said], judge: Callable[[dict[str, Any]], Reply] = agrees) -> Iterator[Endpoint]:
    """Listen on a free port of loopback until the block ends. What asks for a judgement goes to `judge`."""

    class Scripted(Handler):
        def do_GET(self) -> None:
            endpoint.listed += 1
            listed = {
                "object": "list",
                "data": [{"id": name, "object": "model", **endpoint.facts} for name in endpoint.models],
            }
            body = json.dumps(listed).encode()
            self.send(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
            self.wfile.write(body)

        def do_POST(self) -> None:
            request = json.loads(self.body())
            reply = endpoint.next(request, self.headers.get("Authorization", ""))
            body = reply.body.encode()
            endpoint.wait(reply)
            # Left alone, the client would ask again after some errors, and wait before it does.
            advice = {"x-should-retry": "true" if reply.ask_again else "false", "retry-after-ms": "1"}
            more = advice if reply.headers is None else reply.headers
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send(reply.status, {"Content-Type": reply.kind, "Content-Length": str(len(body)), **more})
                self._send(body, reply.breaks, reply.pause)

        def _send(self, body: bytes, breaks: str, pause: float) -> None:
            if pause:
                for line in body.splitlines(keepends=True):
                    self.wfile.write(line)
                    time.sleep(pause if line.strip() else 0)
                self.close_connection = True
            elif breaks == "trickle":
                for letter in body:
                    self.wfile.write(bytes([letter]))
                    time.sleep(0.05)
            elif breaks == "reset":
                # No lingering: what is not sent yet is thrown away, and the other side is told so.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.wfile.write(body[: len(body) // 2])
                self.connection.close()
            else:
                self.wfile.write(body[: len(body) // 2] if breaks == "short" else body)
                self.close_connection = True

    with listening(Scripted) as url:
        endpoint = Endpoint(f"{url}/v1", list(script), judge=judge)
        yield endpoint
