"""Limits: how often a client may ask, how much it may send, and how long it may take to send it.

Uvicorn waits for ever for a request that trickles in; here headers have a time and bodies a least rate (the attack is
known as Slowloris, and against bodies as R-U-Dead-Yet).
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

_MAX_CLIENTS = 10_000  # whose rate is remembered
HEAD_SECONDS = 15.0  # seconds for the head of a request
MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """What one client may ask of the server."""

    burst: int = 1_000  # requests at once
    per_second: float = 100.0  # requests, in the long run
    body: int = MIB  # bytes, where a route takes no files
    chat_body: int = 32 * MIB  # bytes, with a video among the parts
    body_grace: float = 15.0  # seconds before a body's rate counts
    body_rate: float = 16 * 1024  # bytes a second, at least

    def largest_body(self, path: str) -> int:
        """Bytes that the body of a request for this path may have."""
        if path.startswith("/api/uploads/"):
            return CHUNK
        return self.chat_body if path == "/v1/chat/completions" else self.body


class Bucket:
    """The rate of each client: a bucket of requests that fills again with time (token bucket)."""

    def __init__(self, burst: int, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # by client: requests left, and when that was

    def take(self, client: str) -> float:
        """Take one request; return 0, or the seconds after which there is one again."""
        now = self._clock()
        left, before = self._left.pop(client, (float(self._burst), now))
        left = min(float(self._burst), left + (now - before) * self._per_second)
        wait = max(0.0, 1 - left) / self._per_second
        self._left[client] = (left if wait else left - 1, now)
        if len(self._left) > _MAX_CLIENTS:
            del self._left[next(iter(self._left))]  # the one not heard of for the longest time
        return wait


class Limiter:
    """ASGI middleware that holds requests to the limits."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._bucket = Bucket(limits.burst, limits.per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 to too many requests, 413 to too large a body and 408 to one that trickles."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wait = self._bucket.take(scope["client"][0] if scope.get("client") else "")
        if wait:
            headers = {"Retry-After": str(int(wait) + 1)}
            await refused(Refusal(429, "Those were too many requests: wait a little.", headers=headers), scope["path"])(
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
        if body.problem:  # whatever the route made of it
            await refused(body.problem, scope["path"])(scope, receive, send)


class _Body:
    """A body on its way in, as far as it is within the limits."""

    def __init__(self, receive: Receive, most: int, limits: Limits) -> None:
        self._receive = receive
        self._most = most
        self._limits = limits
        self._seen = 0
        self._whole = False
        self._began: float | None = None
        self.problem: Refusal | None = None

    def check_length(self, header: bytes) -> None:
        """Refuse by the length that the request says, before a byte of it is read."""
        if header.isdigit() and int(header) > self._most:
            self._refuse(413, f"The body is larger than {self._most:,} bytes.")

    async def receive(self) -> Message:
        """The next part; once the body is whole, whatever comes may take its time."""
        if self._whole:
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._began = self._began or loop.time()
        deadline = self._began + self._limits.body_grace + self._seen / self._limits.body_rate
        try:
            async with asyncio.timeout_at(deadline):
                message = await self._receive()
        except TimeoutError:
            self._refuse(408, "The request came too slowly and was cut off: send it again.")
        self._seen += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._seen > self._most:
            self._refuse(413, f"The body is larger than {self._most:,} bytes.")
        return message

    def _refuse(self, status: int, sentence: str) -> NoReturn:
        # The connection is closed: what is still to come would be taken for the next request.
        self.problem = Refusal(status, sentence, headers={"Connection": "close"})
        raise self.problem


class TimedProtocol(H11Protocol):
    """Uvicorn's protocol, which cuts off who takes long over the head of a request, or goes on after its answer."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for the head of the first request."""
        super().connection_made(transport)
        self._time_head()

    def data_received(self, data: bytes) -> None:
        """Take bytes; the first of a head start its time, the last of it end it."""
        super().data_received(data)
        self._time_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
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
