"""Measures how much memory indexing takes, on five minutes and on an hour of the same clips.

Memory is proportional set size, which counts shared pages once. It is summed over `longtake index` and its child
processes five times a second, and the highest sum is kept; shorter peaks may be missed.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from longtake.benchmarks.hour.reel import HOUR, Notify, make_loop
from longtake.benchmarks.processes import check, longtake
from longtake.benchmarks.timing import Machine, load
from longtake.console import Session
from longtake.errors import EngineError
from longtake.memory.records import Record

SHORT = 300.0  # seconds
AIM_GROWTH, AIM_MEGABYTES = 1.15, 1500
_EVERY = 0.2  # seconds
_PROC = Path("/proc")


class Peak(Record):
    """The peak memory of indexing one video, in megabytes (10^6 bytes), and the number of samples."""

    video_seconds: float
    megabytes: float
    samples: int
    seconds: float


class MemoryReport(Record):
    """The public shape of `bench memory --json`; `growth` is the long video's peak divided by the short one's."""

    machine: Machine
    short: Peak
    long: Peak
    growth: float


def measure_memory(
    session: Session, media: Path, folder: Path, notify: Notify, seconds: float = HOUR, short: float = SHORT
) -> MemoryReport:
    """Index a short and a long video of the same clips, each into a new library in a process of its own.

    Raises:
        EngineError: if the system doesn't report proportional set sizes, or indexing fails.
    """
    if not (_PROC / "self" / "smaps_rollup").exists():
        raise EngineError("Measuring memory needs /proc/PID/smaps_rollup, which this system lacks; use Linux.")
    before = load()
    peaks = []
    for length in (short, seconds):
        reel = make_loop(media, folder, notify, length)
        notify(f"indexing {reel.path.name}")
        with tempfile.TemporaryDirectory(dir=folder) as library:
            command = longtake(session, Path(library), "index", str(reel.path), "--json")
            peaks.append(peak_of(command, reel.seconds))
    few, many = peaks
    growth = round(many.megabytes / few.megabytes, 4)
    return MemoryReport(machine=Machine.since(before), short=few, long=many, growth=growth)


def show_memory(report: MemoryReport) -> list[str]:
    """The report as lines to print."""
    peaks = [
        f"{peak.video_seconds:>6g} s of video  {peak.megabytes:.0f} MB at most, {peak.samples} samples in"
        f" {peak.seconds:.0f} s"
        for peak in (report.short, report.long)
    ]
    targets = f"targets at most {AIM_GROWTH:g}, and {AIM_MEGABYTES} MB"
    return [str(report.machine), *peaks, f"ratio {report.growth:.3f} n=1, {targets}"]


def peak_of(command: Sequence[str], video_seconds: float) -> Peak:
    """Run a command and sample the memory of it and its child processes."""
    started = time.monotonic()
    peak, samples = 0, 0
    with tempfile.TemporaryFile("w+") as stderr:
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr) as process:
            while process.poll() is None:
                peak, samples = max(peak, sum(map(_proportional_set_size, tree(process.pid)))), samples + 1
                time.sleep(_EVERY)
        stderr.seek(0)
        check(command, process.returncode, stderr.read())
    seconds = round(time.monotonic() - started, 3)
    return Peak(video_seconds=video_seconds, megabytes=round(peak / 1e6, 1), samples=samples, seconds=seconds)


def tree(process: int) -> Iterator[int]:
    """A process and all its descendants, which Linux lists by the thread that started them."""
    yield process
    for children in (_PROC / str(process)).glob("task/*/children"):
        with suppress(OSError):  # it ended meanwhile
            for child in children.read_text().split():
                yield from tree(int(child))


def _proportional_set_size(process: int) -> int:
    """The size in bytes; 0 for a process that has ended."""
    with suppress(OSError):
        for line in (_PROC / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024 * int(line.split()[1])
    return 0
