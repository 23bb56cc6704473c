"""Shows progress on standard error: bars on a terminal, a line every so often elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from longtake.console import note
from longtake.memory.timespan import clock

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

EVERY = 30.0  # seconds between two lines, where there is no terminal

Advance = Callable[[int, int], None]  # how much is done, of how much


@contextmanager
def bars() -> Iterator[Bars]:
    """Bars that disappear at the end; each has the field `left`."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (
        TextColumn("{task.description:<14}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        yield drawn


@contextmanager
def counting(what: str, *, quiet: bool) -> Iterator[Advance]:
    """Show how much of a countable work is done, and how long the rest takes at the mean pace so far.

    Args:
        what: the work, such as "asking".
        quiet: show nothing.
    """
    started = time.monotonic()
    if quiet:
        yield lambda done, of: None
    elif sys.stderr.isatty():
        with bars() as drawn:
            task = drawn.add_task(what, left="")

            def draw(done: int, of: int) -> None:
                drawn.update(task, completed=done, total=of, left=f"{done} of {of}{_left(done, of, started)}")

            yield draw
    else:
        last = started

        def tell(done: int, of: int) -> None:
            nonlocal last
            if done < of and time.monotonic() - last >= EVERY:
                last = time.monotonic()
                note(f"{what}: {done} of {of}{_left(done, of, started)}")

        yield tell


def _left(done: int, of: int, started: float) -> str:
    if not 0 < done < of:
        return ""
    return f", about {clock((time.monotonic() - started) / done * (of - done))} left"
