"""Shows progress on standard error: bars on a terminal, a line every so often elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from longtake.console import harmless, note, raise_if_interrupted
from longtake.memory.timespan import clock
from longtake.preprocess.pipeline.progress import Watcher

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress as Bars

LONGEST_SILENCE = 2.0  # seconds between two lines with news about one video, where there is no terminal
_MOST_SILENT = 15  # times as long, between two lines without any
EVERY = 30.0  # seconds between two lines about an evaluation
KEPT_LINES = 8  # of a terminal, for bars and the prompt above what is written

Advance = Callable[[int, int], None]  # how much is done, of how much


class Display(Protocol):
    """Where progress is shown."""

    def show(self, what: str, share: float | None = None, left: str = "") -> None:
        """Show how far something is: its share done (0 to 1, None if unknown), and a remark."""
        ...

    def say(self, sentence: str) -> None:
        """Print a remark that stays."""
        ...

    def write(self, text: str) -> None:
        """Show a text that is being written, in place of the one before, until the display ends."""
        ...


@contextmanager
def display(*, quiet: bool) -> Iterator[Display]:
    """Bars that disappear at the end, lines where there is no terminal, or nothing."""
    if quiet:
        yield _Quiet()
    elif sys.stderr.isatty():
        written: list[str] = []
        with _bars(written) as drawn:
            yield _OnTerminal(drawn, written)
    else:
        lines = _AsLines()
        try:
            yield lines
        finally:
            lines.close()


def can_write() -> bool:
    """Whether a text can be shown as it is written: where results and progress both go to a terminal."""
    return sys.stdout.isatty() and sys.stderr.isatty()


@contextmanager
def progress_watcher(*, quiet: bool) -> Iterator[Watcher]:
    """A watcher that shows every step of indexing with the time left, and stops it on Ctrl-C."""
    with display(quiet=quiet) as shown:
        yield watcher_on(shown)


def watcher_on(shown: Display, before: str = "") -> Watcher:
    """A watcher that shows the steps of indexing on a display, each after some words, and stops it on Ctrl-C."""

    def left(seconds: float | None) -> str:
        return "" if seconds is None else f"{clock(seconds)} left"

    return Watcher(
        check_cancelled=raise_if_interrupted,
        progress=lambda now: shown.show(f"{before}{now.step}", now.share, left(now.seconds_left)),
        say=shown.say,
    )


@contextmanager
def counting(what: str, *, quiet: bool) -> Iterator[Advance]:
    """Show how much of a countable work is done, and how long the rest takes at the mean pace so far.

    Args:
        what: the work, such as "asking".
        quiet: show nothing.
    """
    started = last = time.monotonic()
    if quiet or sys.stderr.isatty():
        with display(quiet=quiet) as shown:
            yield lambda done, of: shown.show(
                what, done / of if of else 1.0, f"{done} of {of}{_left(done, of, started)}"
            )
        return

    def tell(done: int, of: int) -> None:
        nonlocal last
        if done < of and time.monotonic() - last >= EVERY:
            last = time.monotonic()
            note(f"{what}: {done} of {of}{_left(done, of, started)}")

    yield tell


class _Quiet:
    """Shows nothing but remarks."""

    def show(self, what: str, share: float | None = None, left: str = "") -> None:
        pass

    def say(self, sentence: str) -> None:
        note(sentence)

    def write(self, text: str) -> None:
        pass


class _OnTerminal:
    """A bar for each thing, below the text that is being written."""

    def __init__(self, drawn: Bars, written: list[str]) -> None:
        self._drawn, self._written = drawn, written
        self._tasks: dict[str, Any] = {}

    def show(self, what: str, share: float | None = None, left: str = "") -> None:
        if what not in self._tasks:
            self._tasks[what] = self._drawn.add_task(what, total=None, left="")
        total = None if share is None else 1.0
        self._drawn.update(self._tasks[what], completed=share or 0.0, total=total, left=left)

    def say(self, sentence: str) -> None:
        self._drawn.console.print(sentence, markup=False, highlight=False)

    def write(self, text: str) -> None:
        self._written[:] = [harmless(text)]


class _AsLines:
    """The latest news every two seconds; less and less often, that a step goes on."""

    def __init__(self) -> None:
        self._latest = ""
        self._at = "", False  # the step, and whether it is done
        self._since = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep_telling, daemon=True)

    def show(self, what: str, share: float | None = None, left: str = "") -> None:
        done = share is not None and share >= 1
        if (what, done) != self._at:
            self._at, self._since = (what, done), time.monotonic()
        percent = " done" if done else "" if share is None else f" {share:.0%}"
        self._latest = f"{what}{percent}" if done or not left else f"{what}{percent}, {left}"
        if not self._thread.is_alive() and not self._over.is_set():
            self._thread.start()

    def say(self, sentence: str) -> None:
        note(sentence)

    def write(self, text: str) -> None:
        pass

    def close(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _keep_telling(self) -> None:
        told, silent, due = "", 0, 1
        while not self._over.wait(LONGEST_SILENCE):
            news, silent = self._latest, silent + 1
            if news == told and silent < due:
                continue
            silent, due = 0, min(2 * due, _MOST_SILENT) if news == told else 1
            step, done = self._at
            named = "" if done else f"{step}: "  # the next step says nothing yet, for example while it loads a model
            going_on = f"{named}still working, {clock(time.monotonic() - self._since)} so far"
            note(going_on if news == told else news)
            told = news


@contextmanager
def _bars(written: Sequence[str]) -> Iterator[Bars]:
    """Bars that disappear at the end, below the end of what is written; each has the field `left`."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.text import Text

    class Drawn(Progress):
        def get_renderables(self) -> Iterable[RenderableType]:
            for text in filter(None, written):
                lines = Text(text).wrap(self.console, self.console.width)
                yield Text("\n").join(lines[-max(1, self.console.height - KEPT_LINES) :])
            yield from super().get_renderables()

    columns = (
        TextColumn("{task.description:<14}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
    )
    # Results that go to a file must not be drawn among the bars instead.
    together = sys.stdout.isatty()
    with Drawn(*columns, console=Console(stderr=True), transient=True, redirect_stdout=together) as drawn:
        yield drawn


def _left(done: int, of: int, started: float) -> str:
    if not 0 < done < of:
        return ""
    return f", about {clock((time.monotonic() - started) / done * (of - done))} left"
