"""A bad network between Longtake and its model server: connections dropped, delayed and garbled."""

from __future__ import annotations

import json
import random
import socketserver
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, create_connection, socket
from typing import Literal

from longtake.benchmarks.faults.ground import Ground, Trial, finish, misanswer
from longtake.benchmarks.loopback import served

Weather = Literal["refuse", "drop", "delay", "garble"]
WEATHERS: tuple[Weather, ...] = ("refuse", "drop", "delay", "garble")
_TIMEOUT = 2.0  # seconds that Longtake waits for a reply
_REPLY = json.dumps(
    {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "The wind reached 130 kilometres an hour."},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
).encode()


def network(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Ask a model behind a bad network: it is answered right, or said that the model failed."""
    while True:
        for weather in WEATHERS:
            place = chance.randrange(len(_REPLY) + 150)  # of the reply with its headers
            with ground.copy() as library, _model_server() as port, _proxy(port, weather, place) as address:
                settings = (
                    "controller.engine=openai",
                    "controller.model=scripted",
                    f"controller.base_url=http://127.0.0.1:{address}/v1",
                    f"controller.timeout={_TIMEOUT:g}",
                )
                session = replace(ground.session, overrides=(*ground.session.overrides, *settings))
                ended = finish(replace(ground, session=session).ask(library))
                answer = json.loads(ended.output or "{}")
                refused = answer.get("status") == "failed" and "controller" in answer["error"]
                problem = ("" if refused else misanswer(ended)) or ground.unsound(library)
            how = "refused" if refused else "done"
            yield Trial(did=f"{weather} at byte {place} of a reply ({how})", problem=problem)


@contextmanager
def _model_server() -> Iterator[int]:
    """An OpenAI-compatible server that always says the same; gives its port."""

    class Scripted(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(_REPLY)))
            self.end_headers()
            self.wfile.write(_REPLY)

        def log_message(self, format: str, *args: object) -> None:
            """Stay quiet."""

    with served(ThreadingHTTPServer(("127.0.0.1", 0), Scripted)) as port:
        yield port


@contextmanager
def _proxy(port: int, weather: Weather, place: int) -> Iterator[int]:
    """Pass connections on to a port; what comes back is disturbed at a byte of it. Gives the proxy's port."""

    class Passing(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if weather == "refuse":
                return
            with create_connection(("127.0.0.1", port)) as server:
                threading.Thread(target=_pass, args=(self.request, server), daemon=True).start()
                passed = 0
                while received := server.recv(65_536):
                    disturbed = received
                    if passed <= place < passed + len(received):
                        disturbed = _disturbed(received, weather, place - passed)
                    self.request.sendall(disturbed)
                    if len(disturbed) < len(received):
                        return
                    passed += len(received)

    class Proxy(socketserver.ThreadingTCPServer):
        daemon_threads, block_on_close = True, False

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that has gone is no error here."""

    with served(Proxy(("127.0.0.1", 0), Passing)) as listening:
        yield listening


def _disturbed(received: bytes, weather: Weather, place: int) -> bytes:
    if weather == "drop":
        return received[:place]
    if weather == "delay":
        time.sleep(2 * _TIMEOUT)
        return received
    return received[:place] + bytes(byte ^ 0x55 for byte in received[place : place + 20]) + received[place + 20 :]


def _pass(source: socket, target: socket) -> None:
    try:
        while received := source.recv(65_536):
            target.sendall(received)
        target.shutdown(SHUT_RDWR)
    except OSError:  # one of the two has gone
        return
