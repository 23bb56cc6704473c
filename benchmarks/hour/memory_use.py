"""Measures how much memory indexing takes, on five minutes and on an hour of the same clips.

Memory is proportional set size, which counts shared pages once. It is summed over `longtake index` and its child
processes five times a second, and the highest sum is kept; shorter peaks may be missed.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longtake.benchmarks.hour.reel import HOUR, WORK, Seconds, Work, make_loop
from longtake.benchmarks.processes import check, longtake, tree
from longtake.benchmarks.reports import Media, Notify, Report
from longtake.cli.options import ensure_folder
from longtake.console import Session
from longtake.memory.records import Record

SHORT = 300.0  # seconds
_EVERY = 0.2  # seconds


class Peak(Record):
    """The peak memory of indexing one video, in megabytes (10^6 bytes), and the number of samples."""

    video_seconds: float
    megabytes: float
    samples: int
    seconds: float


class MemoryReport(Report):
    """`growth` is the long video's peak divided by the short one's."""

    peaks: tuple[Peak, ...]
    growth: float


def measure_memory(
    session: Session, notify: Notify, media: Media, seconds: Seconds = HOUR, work: Work = WORK
) -> MemoryReport:
    """Measure the memory that indexing takes, on five minutes and on an hour made of the clips; Linux only."""
    peaks = []
    folder = ensure_folder(work)
    for length in (min(SHORT, seconds / 2), seconds):
        reel = make_loop(media, folder, notify, length)
        notify(f"indexing {reel.path.name}")
        with tempfile.TemporaryDirectory(dir=folder) as library:
            command = longtake(session, Path(library), "index", str(reel.path), "--json")
            peaks.append(peak_of(command, reel.seconds))
    return MemoryReport(peaks=tuple(peaks), growth=round(peaks[1].megabytes / peaks[0].megabytes, 4))


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


def _proportional_set_size(process: Any) -> int:
    """The size in bytes; 0 for a process that has ended."""
    import psutil

    with suppress(psutil.Error):
        return int(process.memory_full_info().pss)
    return 0
