"""Describes the machine, and times work in turns with a baseline."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import Field

from longtake.benchmarks.intervals import Spread
from longtake.memory.records import Record


class Machine(Record):
    """What the numbers were measured on; a load well above 0 at the start means that other work was running."""

    system: str = Field(description="With the model of its processor.")
    python: str
    cores: int
    load_before: float
    load_after: float

    @classmethod
    def since(cls, load_before: float) -> Machine:
        """The machine after a measurement; `load_before` is the value of `load` at its start."""
        return cls(
            system=", ".join(filter(None, (platform.system(), _processor()))),
            python=platform.python_version(),
            cores=os.cpu_count() or 1,
            load_before=load_before,
            load_after=load(),
        )

    def __str__(self) -> str:
        what = f"{self.system}, Python {self.python}, {self.cores} cores"
        return f"{what}; load {self.load_before} before, {self.load_after} after"


class Comparison(Record):
    """Seconds of our work and of a baseline (floor), taken in turns, and their ratio pair by pair."""

    seconds: Spread
    floor: Spread
    ratio: Spread

    @classmethod
    def measure(cls, ours: Callable[[], object], floor: Callable[[], object], runs: int) -> Comparison:
        """Time both, the floor first, `runs` times."""
        pairs = [(timed(floor), timed(ours)) for _ in range(runs)]
        return cls.of([ours for _, ours in pairs], [floor for floor, _ in pairs])

    @classmethod
    def of(cls, ours: list[float], floor: list[float]) -> Comparison:
        """Compare seconds that were measured in turns."""
        ratios = [our_time / floor_time for our_time, floor_time in zip(ours, floor, strict=True)]
        return cls(seconds=Spread.of(ours), floor=Spread.of(floor), ratio=Spread.of(ratios))

    def against(self, floor: str) -> str:
        """The comparison in words, with the floor's name."""
        return f"{self.seconds}; x {floor} ({self.floor.median:.3g} s): {self.ratio}"


def _processor() -> str:
    """The model of the processor; empty if the system doesn't say."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def load() -> float:
    """Average number of processes ready to run during the last minute."""
    return round(os.getloadavg()[0], 2)


def timed(work: Callable[[], object]) -> float:
    """Seconds that a piece of work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
