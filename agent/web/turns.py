"""Turns: of work that takes a thread others need for long, only so much is done at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from longtake.agent.web.refusals import Refusal

_PATIENCE = 2.0  # seconds that a request waits for its turn: it holds a thread that others need


class Turns:
    """So many turns at once; who waits too long for one is told to ask again."""

    def __init__(self, at_once: int, sentence: str, again: int) -> None:
        """Begin with all turns free.

        Args:
            at_once: turns.
            sentence: what is told who gets none.
            again: seconds after which to ask again.
        """
        self._free = threading.BoundedSemaphore(at_once)
        self._refusal = (sentence, {"Retry-After": str(again)})

    @contextmanager
    def one(self) -> Iterator[None]:
        """Take a turn for the time of the block.

        Raises:
            Refusal: 503 when none got free in time.
        """
        if not self._free.acquire(timeout=_PATIENCE):
            sentence, headers = self._refusal
            raise Refusal(503, sentence, headers=headers)
        try:
            yield
        finally:
            self._free.release()
