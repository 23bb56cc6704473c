"""Reports on indexing, during and after the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from longtake.memory.library import VideoRecord


@dataclass(frozen=True, slots=True)
class LayerReport:
    """The result for one layer: built, reused, or missing and why.

    `problem` says why the build failed, `unavailable` why there is no engine for it, and `left_out` which parts of the
    file aren't in it.
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
    """The result of indexing one file; `complete` is False if it was stopped before the last layer.

    `told` names the layers that were in use when an earlier run had finished: it told what they leave out. `beside` are
    sentences on subtitles in the file's folder that no file there takes, `notes` those on the file.
    """

    video: VideoRecord
    layers: tuple[LayerReport, ...]
    seconds: float
    complete: bool
    told: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepProgress:
    """The progress of a step: its share done, 0 to 1, and the estimated seconds left, None while unknown."""

    step: str
    share: float
    seconds_left: float | None


class Stopwatch:
    """Estimates time left from the shares that a step reports, ignoring the work of an earlier process."""

    def __init__(self, step: str) -> None:
        self._step = step
        self._first: tuple[float, float] | None = None

    def at(self, share: float) -> StepProgress:
        """The estimate, assuming this process continues at its speed so far."""
        now = time.monotonic()
        if self._first is None:
            self._first = now, share
        started, before = self._first
        done = share - before
        left = (now - started) * (1 - share) / done if done > 0 else None
        return StepProgress(self._step, share, left)


@dataclass
class Watcher:
    """Callbacks that follow and stop indexing."""

    check_cancelled: Callable[[], None] = lambda: None
    progress: Callable[[StepProgress], None] = lambda progress: None
    say: Callable[[str], None] = lambda sentence: None
    wait: bool = True  # for another process that indexes the same file; otherwise use what it has finished so far
    hurried: bool = False  # somebody waits for an answer
    reports: list[LayerReport] = field(default_factory=list)
