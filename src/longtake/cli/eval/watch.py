"""`longtake eval watch`: shows how far a run is that another process works on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import Run
from longtake.console import harmless, raise_if_interrupted, say
from longtake.evalharness.runs.run_folder import RunFolder

EVERY = 2.0  # seconds between two looks on a terminal
SELDOM = 30.0  # the same elsewhere, where each look is another line


def watch(
    run: Run, once: Annotated[bool, typer.Option("--once", help="Print the state once, and don't wait.")] = False
) -> None:
    """Show how far a run is, until it ends: done, left, errors, refusals, cost, pace and time left."""
    from longtake.evalharness.scoring.progress import Watch, headlines

    folder = RunFolder(run)
    watching = Watch(folder)
    with _drawn() as show:
        while True:
            busy = folder.busy  # before the look, so that the last one sees all
            found = watching.look(busy=busy)
            show([str(one) for one in found])
            if once or not busy:
                break
            _wait(EVERY if sys.stdout.isatty() else SELDOM)
    left = sum(one.left for one in found)
    if left and not busy:
        say(f"Nobody is working on {run}: {left} left; the same `longtake eval run` goes on.")
    if not left:
        for line in headlines(folder):
            say(line)


@contextmanager
def _drawn() -> Iterator[Callable[[list[str]], None]]:
    """What shows lines: in place of the ones before on a terminal, elsewhere after them."""
    if not sys.stdout.isatty():
        yield lambda lines: say("\n".join(lines))
        return
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False) as live:
        yield lambda lines: live.update(Text(harmless("\n".join(lines))), refresh=True)


def _wait(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        raise_if_interrupted()
        time.sleep(0.1)
