"""Limits the rate of a client's requests, their size, and how slowly they may arrive.

Uvicorn waits forever for a slow request; here headers have a time limit and bodies a minimum rate (the attack is known
as Slowloris and, with bodies, as R-U-Dead-Yet).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from longtake.web.http.refusals import Refusal, refused
from longtake.web.uploads import CHUNK

_MAX_CLIENTS = 10_000  # whose rates are tracked
HEAD_SECONDS = 15.0  # for the head of a request
MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """The limits of one client."""

    burst: int = 1_000  # requests at once
    per_second: float = 100.0  # requests, sustained
    body: int = MIB  # bytes, on routes without files
    chat_body: int = 32 * MIB  # bytes, including a video
    body_grace: float = 15.0  # seconds before a body's rate counts
    body_rate: float = 16 * 1024  # minimum bytes a second

    def largest_body(self, path: str) -> int:
        """Maximum bytes of a request body for this path."""
        if path.startswith("/api/uploads/"):
            return CHUNK
        return self.chat_body if path == "/v1/chat/completions" else self.body


class Bucket:
    """The rate of each client: a bucket of requests that refills over time (token bucket)."""

    def __init__(self, burst: int, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # by client: requests left, and when that was counted

    def take(self, client: str) -> float:
        """Take one request; return 0, or the seconds until one is available."""
        now = self._clock()
        left, before = self._left.pop(client, (float(self._burst), now))
        left = min(float(self._burst), left + (now - before) * self._per_second)
        wait = max(0.0, 1 - left) / self._per_second
        self._left[client] = (left if wait else left - 1, now)
        if len(self._left) > _MAX_CLIENTS:
            del self._left[next(iter(self._left))]  # the least recently seen one
        return wait


class Limiter:
    """ASGI middleware that enforces the limits."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._bucket = Bucket(limits.burst, limits.per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 to too many requests, 413 to a body that is too large and 408 to one that is too slow."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wait = self._bucket.take(scope["client"][0] if scope.get("client") else "")
        if wait:
            headers = {"Retry-After": str(int(wait) + 1)}
            await refused(Refusal(429, "Too many requests: wait a little.", headers=headers), scope["path"])(
                scope, receive, send
            )
            return
        body = _Body(receive, self._limits.largest_body(scope["path"]), self._limits)

        async def answer(message: Message) -> None:
            if body.problem is None:
                await send(message)

        try:
            body.check_length(dict(scope["headers"]).get(b"content-length", b""))
            await self._app(scope, body.receive, answer)
        except Refusal:
            if body.problem is None:
                raise
        if body.problem:  # whatever the route did with it
            await refused(body.problem, scope["path"])(scope, receive, send)


class _Body:
    """A body being received, checked against the limits."""

    def __init__(self, receive: Receive, max_bytes: int, limits: Limits) -> None:
        self._receive = receive
        self._max_bytes = max_bytes
        self._limits = limits
        self._seen = 0
        self._whole = False
        self._began: float | None = None
        self.problem: Refusal | None = None

    def check_length(self, header: bytes) -> None:
        """Refuse by the declared length, before any byte is read."""
        if header.isdigit() and int(header) > self._max_bytes:
            self._refuse(413, f"The body is larger than {self._max_bytes:,} bytes.")

    async def receive(self) -> Message:
        """The next part; after the whole body there is no time limit."""
        if self._whole:
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._began = self._began or loop.time()
        deadline = self._began + self._limits.body_grace + self._seen / self._limits.body_rate
        try:
            async with asyncio.timeout_at(deadline):
                message = await self._receive()
        except TimeoutError:
            self._refuse(408, "The request arrived too slowly and was cut off: send it again.")
        self._seen += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._seen > self._max_bytes:
            self._refuse(413, f"The body is larger than {self._max_bytes:,} bytes.")
        return message

    def _refuse(self, status: int, sentence: str) -> NoReturn:
        # Close the connection: the rest of the body would be read as the next request.
        self.problem = Refusal(status, sentence, headers={"Connection": "close"})
        raise self.problem


class TimedProtocol(H11Protocol):
    """Uvicorn's protocol, which also cuts off clients that send a head slowly, or keep sending after the response."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Start the timer for the head of the first request."""
        super().connection_made(transport)
        self._time_head()

    def data_received(self, data: bytes) -> None:
        """Take bytes; the first bytes of a head start its timer, the last ones stop it."""
        super().data_received(data)
        self._time_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        super().connection_lost(exc)
        self._stop_timer()

    def _time_head(self) -> None:
        answered = self.cycle is not None and self.cycle.response_complete
        if self.conn.their_state is h11.IDLE or (answered and self.conn.their_state is h11.SEND_BODY):
            self._timer = self._timer or self.loop.call_later(HEAD_SECONDS, self.transport.close)
        else:
            self._stop_timer()

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
