"""Slots: limits how much thread-blocking work runs at once, and how many requests wait for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from longtake.web.http.refusals import Refusal

MAX_WAITING = 6  # requests, as many as a browser sends at once: each occupies a thread that others need
PATIENCE = 2.0  # seconds


class Slots:
    """A number of slots; requests that wait too long, or find too many waiting, are told to retry."""

    def __init__(self, number: int, sentence: str, retry_after: int) -> None:
        """Start with all slots free.

        Args:
            number: how many slots there are.
            sentence: the error for requests that get none.
            retry_after: seconds after which to retry.
        """
        self._places = threading.BoundedSemaphore(number + MAX_WAITING)
        self._free = threading.BoundedSemaphore(number)
        self._refusal = (sentence, {"Retry-After": str(retry_after)})

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot for the duration of the block.

        Raises:
            Refusal: 503 when no slot becomes free in time, or too many are waiting.
        """
        with self._one_of(self._places, 0.0), self._one_of(self._free, PATIENCE):
            yield

    @contextmanager
    def _one_of(self, semaphore: threading.BoundedSemaphore, seconds: float) -> Iterator[None]:
        if not semaphore.acquire(timeout=seconds):
            sentence, headers = self._refusal
            raise Refusal(503, sentence, headers=headers)
        try:
            yield
        finally:
            semaphore.release()
