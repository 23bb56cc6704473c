"""What is told of indexing: while it runs, and when it is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from longtake.memory.library import VideoRecord


@dataclass(frozen=True, slots=True)
class LayerReport:
    """What became of one layer: built, reused, or not there and why.

    `problem` says why building it failed, `unavailable` that there is no engine for it here, and `left_out` what of the
    file is not in it.
    """

    name: str
    engine: str | None = None
    key: str | None = None
    items: int = 0
    seconds: float = 0.0
    reused: bool = False
    problem: str | None = None
    unavailable: str | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What indexing one file did; `complete` is False when it was stopped before the last layer."""

    video: VideoRecord
    layers: tuple[LayerReport, ...]
    seconds: float
    complete: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a step is: its share done, 0 to 1, and the seconds it should still take, None while nobody knows."""

    step: str
    share: float
    seconds_left: float | None


class Stopwatch:
    """Turns the shares that a step tells into estimates; what an earlier process had done does not count as fast."""

    def __init__(self, step: str) -> None:
        self._step = step
        self._first: tuple[float, float] | None = None

    def at(self, share: float) -> Progress:
        """The estimate, as if the rest went as quickly as what this process did so far."""
        now = time.monotonic()
        if self._first is None:
            self._first = now, share
        started, before = self._first
        done = share - before
        left = (now - started) * (1 - share) / done if done > 0 else None
        return Progress(self._step, share, left)


@dataclass
class Watcher:
    """How indexing is followed and stopped from outside."""

    check_cancelled: Callable[[], None] = lambda: None
    progress: Callable[[Progress], None] = lambda progress: None
    say: Callable[[str], None] = lambda sentence: None
    wait: bool = True  # for another process that indexes the same file; else what it has finished is taken as it is
    reports: list[LayerReport] = field(default_factory=list)
