"""A bad network between Longtake and its model server: connections dropped, delayed and garbled."""

from __future__ import annotations

import json
import random
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from socket import SHUT_RDWR, create_connection, socket
from typing import Literal

from longtake.benchmarks.faults.ground import Ground, Trial, finish, misanswer
from longtake.benchmarks.loop.endpoint import listening, served

Weather = Literal["refuse", "drop", "delay", "garble"]
WEATHERS: tuple[Weather, ...] = ("refuse", "drop", "delay", "garble")
_TIMEOUT = 2.0  # seconds that Longtake waits for a reply
_REPLY = {"content": "The wind reached 130 kilometres an hour."}
_LENGTH = 450  # bytes of the reply with its headers, about


def network(ground: Ground, library: Path, chance: random.Random, number: int) -> Trial:
    """Ask a model behind a bad network: it is answered right, or said that the model failed."""
    weather, place = WEATHERS[number % len(WEATHERS)], chance.randrange(_LENGTH)
    with listening(lambda role, request: _REPLY) as port, _proxy(port, weather, place) as address:
        settings = (
            "controller.engine=openai",
            "controller.model=scripted",
            f"controller.base_url=http://127.0.0.1:{address}/controller/v1",
            f"controller.timeout={_TIMEOUT:g}",
        )
        session = replace(ground.session, overrides=(*ground.session.overrides, *settings))
        ended = finish(replace(ground, session=session).ask(library))
    answer = json.loads(ended.output or "{}")
    refused = answer.get("status") == "failed" and "controller" in answer["error"]
    how = "refused" if refused else "done"
    return Trial(f"{weather} at byte {place} of a reply ({how})", "" if refused else misanswer(ended))


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

    with served(Proxy(("127.0.0.1", 0), Passing)) as listening_at:
        yield listening_at


def _disturbed(received: bytes, weather: Weather, place: int) -> bytes:
    if weather == "drop":
        return received[:place]
    if weather == "delay":
        time.sleep(2 * _TIMEOUT)
        return received
    return received[:place] + bytes(byte ^ 0x55 for byte in received[place : place + 20]) + received[place + 20 :]


def _pass(source: socket, target: socket) -> None:
    with suppress(OSError):  # one of the two has gone
        while received := source.recv(65_536):
            target.sendall(received)
        target.shutdown(SHUT_RDWR)
