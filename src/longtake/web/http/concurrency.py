"""Slots: only so much of the work that holds a thread for long is done at once, and only so many wait for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from longtake.web.http.refusals import Refusal

MAX_WAITING = 6  # requests, as many as a browser sends at once: each holds one of the threads that others need
PATIENCE = 2.0  # seconds


class Slots:
    """A number of slots; who waits too long for one, or finds too many waiting, is told to ask again."""

    def __init__(self, number: int, sentence: str, again: int) -> None:
        """Begin with all slots free.

        Args:
            number: of slots.
            sentence: what is told who gets none.
            again: seconds after which to ask again.
        """
        self._places = threading.BoundedSemaphore(number + MAX_WAITING)
        self._free = threading.BoundedSemaphore(number)
        self._refusal = (sentence, {"Retry-After": str(again)})

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Take a slot for the time of the block.

        Raises:
            Refusal: 503 when none got free in time, or too many wait.
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
