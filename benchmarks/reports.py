"""What the commands of `longtake bench` report: numbers with their uncertainty, the machine, and all of it as text."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import NormalDist, median
from typing import Annotated, Any

import typer
from pydantic import BaseModel, Field

from longtake.memory.records import Record

Notify = Callable[[str], None]  # a progress callback
Media = Annotated[Path, typer.Option(help="Folder of clips; with questions.jsonl if questions are asked.")]
Rounds = Annotated[int, typer.Option(min=1, help="How often each is timed.")]
_Z = NormalDist().inv_cdf(0.975)  # of intervals of 95 %


class Report(Record):
    """What one command measured; a field with `repr=False` is in the JSON alone."""

    @property
    def exit_code(self) -> int:
        """That of the command."""
        return 0

    def lines(self) -> list[str]:
        """The report as lines to print; records of one kind are a table."""
        return [line for name, value in _told(self) for line in _named(name, value)]


class Spread(Record):
    """The median of repeated measurements, with the lowest and highest value."""

    median: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise at least one value; rounded to 4 decimals."""
        return cls(
            median=round(median(values), 4), low=round(min(values), 4), high=round(max(values), 4), n=len(values)
        )

    def __str__(self) -> str:
        return f"{_text(self.median)} [{_text(self.low)}, {_text(self.high)}]"


class Share(Record):
    """A count out of n as a proportion with its Wilson score interval; without observations, anything from 0 to 1."""

    count: int
    n: int
    share: float | None
    low: float
    high: float

    @classmethod
    def of(cls, count: int, n: int) -> Share:
        """The 95 % interval of Wilson (1927), which stays within 0 to 1 and is honest about small counts."""
        if n == 0:
            return cls(count=0, n=0, share=None, low=0.0, high=1.0)
        share, scale = count / n, 1 + _Z * _Z / n
        centre = (share + _Z * _Z / (2 * n)) / scale
        half = _Z / scale * sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n))
        low, high = max(0.0, centre - half), min(1.0, centre + half)
        return cls(count=count, n=n, share=round(share, 4), low=round(low, 4), high=round(high, 4))

    def __str__(self) -> str:
        if self.share is None:
            return "none asked"
        return f"{self.count} of {self.n} = {self.share:.0%} [{self.low:.0%}, {self.high:.0%}]"


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
        told = Path("/proc/cpuinfo")
        lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        return cls(
            system=", ".join(filter(None, (platform.system(), next(names, platform.processor())))),
            python=platform.python_version(),
            cores=os.cpu_count() or 1,
            load_before=load_before,
            load_after=load(),
        )

    def __str__(self) -> str:
        what = f"{self.system}, Python {self.python}, {self.cores} cores"
        return f"{what}; load {self.load_before} before, {self.load_after} after"


def load() -> float:
    """Average number of processes ready to run during the last minute."""
    return round(os.getloadavg()[0], 2)


def timed(work: Callable[[], object]) -> float:
    """Seconds that a piece of work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _told(record: BaseModel) -> Iterator[tuple[str, Any]]:
    """The fields of a record that people read."""
    for name, field in type(record).model_fields.items():
        if field.repr:
            yield name.replace("_", " "), getattr(record, name)


def _named(name: str, value: Any) -> list[str]:
    if isinstance(value, Mapping) and value and isinstance(next(iter(value.values())), Record):
        return ["", f"{name}:", *_table([{"": key, **dict(_told(each))} for key, each in value.items()])]
    if isinstance(value, tuple) and value and isinstance(value[0], Record):
        return ["", f"{name}:", *_table([dict(_told(each)) for each in value])]
    if isinstance(value, tuple):
        return [f"{name}: {len(value) or 'none'}", *(f"  {_text(each)}" for each in value)]
    return [f"{name}: {_text(value)}"]


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    cells = [list(rows[0]), *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(each)}" for key, each in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str | BaseModel):
        return ", ".join(map(_text, value))
    return "-" if value is None else str(value)
