"""Feeds of events, and server-sent events made of them: told from any thread, followed by any number of browsers.

A feed keeps what was told, so that whoever comes late, or comes again after a broken connection, misses nothing. Nobody
who waits holds a thread: the event loop is woken from the thread that tells (asyncio, `call_soon_threadsafe`).
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

BEAT = 15.0  # seconds after which a silent stream sends a comment, so that no proxy takes it for dead


class EventStream(StreamingResponse):
    """Server-sent events, as they come."""

    media_type = "text/event-stream"

    def __init__(self, lines: AsyncIterator[str]) -> None:
        # Nothing between us and the page may keep or collect events (nginx collects unless it is told).
        super().__init__(lines, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


class Event(NamedTuple):
    """Something that happened, numbered from 0 within its feed."""

    number: int
    kind: str
    data: Mapping[str, Any]


class Feed:
    """What happened, in order, until its end."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._ended = False
        self._lock = threading.Lock()
        self._wakers: set[Callable[[], None]] = set()

    @property
    def ended(self) -> bool:
        """Whether nothing more will be told."""
        return self._ended

    def notify(self, kind: str, data: Mapping[str, Any], *, last: bool = False) -> None:
        """Add an event; after the last one nothing is added any more."""
        with self._lock:
            if self._ended:
                return
            self._events.append(Event(len(self._events), kind, data))
            self._ended = last
            for wake in self._wakers:
                wake()

    def after(self, number: int) -> list[Event]:
        """The events so far whose numbers are larger."""
        with self._lock:
            return self._events[max(0, number + 1) :]

    async def follow(self, after: int = -1, beat: float = BEAT) -> AsyncGenerator[Event | None]:
        """The events after a number, as they come, until the last; None whenever nothing came for `beat` seconds."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: the server went down before the run did
                loop.call_soon_threadsafe(woken.set)

        with self._lock:
            self._wakers.add(wake)
        try:
            while True:
                woken.clear()
                ended = self._ended  # read first: what is told in between is then still to come
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
    """A feed as server-sent events, from the one after `Last-Event-ID` on (WHATWG HTML, 9.2).

    A browser that comes again after the last event is told by 204 to stay away.
    """
    after = int(last_event_id) if last_event_id and last_event_id.isdecimal() and len(last_event_id) < 10 else -1
    if feed.ended and not feed.after(after):
        return Response(status_code=204)

    async def lines() -> AsyncIterator[str]:
        async for event in feed.follow(after):
            yield sent_event(event) if event else ": still here\n\n"

    return EventStream(lines())


def sent_event(event: Event) -> str:
    """One event as it is sent; JSON holds no line break, so that one line of data is enough."""
    return f"id: {event.number}\nevent: {event.kind}\ndata: {canonical_json(event.data)}\n\n"
