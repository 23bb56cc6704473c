"""Works on many rows with bounded concurrency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

REQUESTS = 4  # under way at one endpoint at the same time, if nobody says otherwise

Row = TypeVar("Row")
Made = TypeVar("Made")


def at_once(work: Callable[[Row], Made], rows: Iterable[Row], most: int) -> Iterator[Made]:
    """The results of the work on rows as they are ready, with no more than `most` under way and none begun early."""
    if most == 1:
        yield from map(work, rows)
        return
    waiting = iter(rows)
    with ThreadPoolExecutor(max_workers=most) as pool:
        running: set[Future[Made]] = {pool.submit(work, row) for row in islice(waiting, most)}
        while running:
            ready, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(work, row) for row in islice(waiting, len(ready))}
            yield from (future.result() for future in ready)
