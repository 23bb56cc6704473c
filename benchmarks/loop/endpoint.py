"""Servers in this process: an OpenAI-compatible endpoint whose replies a function gives."""

from __future__ import annotations

import json
import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Role = Literal["controller", "judge", "vision"]
Body = dict[str, Any]
ROLES: tuple[Role, ...] = ("controller", "judge", "vision")
_PICTURE = 800  # tokens


@contextmanager
def served(server: socketserver.TCPServer) -> Iterator[int]:
    """The port of a server that answers until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def listening(answer: Callable[[Role, Body], Body]) -> Iterator[int]:
    """The port of an OpenAI-compatible server whose paths begin with a role; `answer` gives messages for requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": "recorded", "object": "model"}]})

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            role: Role = next(role for role in ROLES if self.path.startswith(f"/{role}/"))
            message = answer(role, request)
            finish = "tool_calls" if message.get("tool_calls") else "stop"
            sizes = _tokens(request), _tokens(message)
            usage = {"prompt_tokens": sizes[0], "completion_tokens": sizes[1], "total_tokens": sum(sizes)}
            choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
            self._send(
                {"id": "c", "object": "chat.completion", "created": 0, "model": "recorded", "usage": usage}
                | {"choices": [choice]}
            )

        def _send(self, body: Body) -> None:
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

    with served(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        yield port


def _tokens(body: Body) -> int:
    """About four letters each; a picture as many as models count for one."""
    text, pictures = re.subn(r"data:image/[^\"]+", "", json.dumps(body))
    return len(text) // 4 + _PICTURE * pictures
