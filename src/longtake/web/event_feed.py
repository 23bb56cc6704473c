"""Event feeds, written from any thread and followed by any number of browsers as server-sent events.

A feed keeps its events, so that clients that connect late, or reconnect, miss nothing. Waiting clients hold no thread:
the thread that adds an event wakes the event loop (asyncio, `call_soon_threadsafe`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from fastapi import Response
from fastapi.responses import StreamingResponse

from longtake.memory.layers import canonical_json

BEAT = 15.0  # seconds of silence after which a stream sends a comment, so that no proxy closes it


class EventStream(StreamingResponse):
    """A response of server-sent events."""

    media_type = "text/event-stream"

    def __init__(self, lines: AsyncIterator[str]) -> None:
        # No proxy may cache or buffer events (nginx buffers by default).
        super().__init__(lines, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


class FeedEvent(NamedTuple):
    """An event, numbered from 0 within its feed."""

    number: int
    kind: str
    data: Mapping[str, Any]


class Feed:
    """A sequence of events that ends with the last one."""

    def __init__(self) -> None:
        self._events: list[FeedEvent] = []
        self._ended = False
        self._lock = threading.Lock()
        self._wakers: set[Callable[[], None]] = set()

    @property
    def ended(self) -> bool:
        """Whether the last event has been added."""
        return self._ended

    def notify(self, kind: str, data: Mapping[str, Any], *, last: bool = False) -> None:
        """Add an event; those after the last one are dropped."""
        with self._lock:
            if self._ended:
                return
            self._events.append(FeedEvent(len(self._events), kind, data))
            self._ended = last
            for wake in self._wakers:
                wake()

    def after(self, number: int) -> list[FeedEvent]:
        """The events so far with a larger number."""
        with self._lock:
            return self._events[max(0, number + 1) :]

    async def follow(self, after: int = -1, beat: float = BEAT) -> AsyncGenerator[FeedEvent | None]:
        """Yield the events after a number as they come, until the last; None after every `beat` seconds of silence."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: the server stopped before the run
                loop.call_soon_threadsafe(woken.set)

        with self._lock:
            self._wakers.add(wake)
        try:
            while True:
                woken.clear()
                ended = self._ended  # read first: events added in between come in the next turn
                for event in self.after(after):
                    after = event.number
                    yield event
                if ended:
                    return
                try:
                    await asyncio.wait_for(woken.wait(), beat)
                except TimeoutError:
                    yield None
        finally:
            with self._lock:
                self._wakers.discard(wake)


def event_stream(feed: Feed, last_event_id: str | None) -> Response:
    """A feed as server-sent events, starting after `Last-Event-ID` (WHATWG HTML, 9.2).

    A browser that reconnects after the last event gets 204, which tells it to stop.
    """
    after = int(last_event_id) if last_event_id and last_event_id.isdecimal() and len(last_event_id) < 10 else -1
    if feed.ended and not feed.after(after):
        return Response(status_code=204)

    async def lines() -> AsyncIterator[str]:
        async for event in feed.follow(after):
            yield sent_event(event) if event else ": still here\n\n"

    return EventStream(lines())


def sent_event(event: FeedEvent) -> str:
    """One event in wire format; the JSON has no line breaks, so one line of data is enough."""
    return f"id: {event.number}\nevent: {event.kind}\ndata: {canonical_json(event.data)}\n\n"
