"""Works on many rows with bounded concurrency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import chain, islice
from typing import TypeVar

REQUESTS = 4  # under way at one endpoint at the same time, if nobody says otherwise

Row = TypeVar("Row")
Made = TypeVar("Made")


def at_once(work: Callable[[Row], Made], rows: Iterable[Row], most: int) -> Iterator[Made]:
    """The results of the work on rows as they are ready, with no more than `most` under way and none begun early."""
    return in_lanes(work, ([row] for row in rows), most)


def in_lanes(work: Callable[[Row], Made], lanes: Iterable[Iterable[Row]], most: int) -> Iterator[Made]:
    """The same for rows in lanes: those of one lane are worked on one after the other."""
    if most == 1:
        yield from map(work, chain.from_iterable(lanes))
        return
    waiting = map(iter, lanes)
    with ThreadPoolExecutor(max_workers=most) as pool:
        running: dict[Future[Made], Iterator[Row]] = {}

        def begin(lane: Iterator[Row]) -> None:
            """The next row of a lane; when it is over, the first of the next lane."""
            for each in chain([lane], waiting):
                for row in each:
                    running[pool.submit(work, row)] = each
                    return

        for lane in islice(waiting, most):
            begin(lane)
        while running:
            ready, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                begin(running.pop(future))
            yield from (future.result() for future in ready)
