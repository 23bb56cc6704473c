"""Sends requests to a llama.cpp server wherever it listens now, and drops them as soon as they are cancelled."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Event, Thread
from typing import Any, NamedTuple

import httpx

POLL = 0.05  # seconds between two checks for cancellation
_STOPPED: ContextVar[Callable[[], bool] | None] = ContextVar("stopped", default=None)


class Address(NamedTuple):
    """Where a server listens, and the key that it wants."""

    url: str
    key: str


@contextmanager
def dropped_when(stopped: Callable[[], bool] | None) -> Iterator[None]:
    """Drop the requests that this block sends as soon as `stopped` says so. The server then frees the model."""
    token = _STOPPED.set(stopped)
    try:
        yield
    finally:
        _STOPPED.reset(token)


class LoopbackTransport(httpx.HTTPTransport):
    """Puts the server's address and key into each request; starts the server if it isn't running.

    Every request has a connection of its own, because closing it is how llama.cpp learns of a cancellation.
    """

    def __init__(self, ready: Callable[[], Address]) -> None:
        """`ready` starts the server if necessary, and returns its address."""
        super().__init__(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
        self._ready = ready

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request.

        Raises:
            EngineError: if the server can't start.
            httpx.TransportError: if it dies, takes too long, or the request is dropped.
        """
        address = self._ready()
        url = httpx.URL(address.url)
        request.url = request.url.copy_with(scheme=url.scheme, host=url.host, port=url.port)
        request.headers["Host"] = url.netloc.decode("ascii")
        request.headers["Authorization"] = f"Bearer {address.key}"
        stopped = _STOPPED.get()
        if stopped is None:
            return super().handle_request(request)
        with _watched(request, stopped):
            return super().handle_request(request)


@contextmanager
def _watched(request: httpx.Request, stopped: Callable[[], bool]) -> Iterator[None]:
    """Shut down the request's connection when `stopped`: a thread that waits for a reply can't be told otherwise."""
    connections: list[socket.socket] = []
    answered = Event()

    def note(event: str, info: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            connections.append(info["return_value"].get_extra_info("socket"))

    def watch() -> None:
        while not answered.wait(POLL):
            if stopped() and connections:
                with suppress(OSError):  # it is closed already
                    connections[-1].shutdown(socket.SHUT_RDWR)
                return

    request.extensions = {**request.extensions, "trace": note}
    Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        answered.set()
