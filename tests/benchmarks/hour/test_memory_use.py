"""`bench memory`: the memory of a process and of what it starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip

from longtake.benchmarks.hour.memory_use import measure_memory, peak_of
from longtake.console import Session
from longtake.errors import EngineError

HOLD = "import time; held = bytearray(b'x') * {size}; time.sleep(1.2)"
PARENT = "import subprocess, sys; held = bytearray(b'x') * {size}; {start}"
STARTS = (
    "subprocess.run([sys.executable, '-c', sys.argv[1]])",
    "import threading; threading.Thread(target=lambda: subprocess.run([sys.executable, '-c', sys.argv[1]])).start()",
)


def test_the_memory_of_a_process_is_seen() -> None:
    peak = peak_of([sys.executable, "-c", HOLD.format(size=80_000_000)], 10)
    assert 80 <= peak.megabytes < 130
    assert peak.samples >= 1
    assert peak.video_seconds == 10


@pytest.mark.parametrize("start", STARTS, ids=("by the main thread", "by another thread"))
def test_processes_that_it_starts_count_too(start: str) -> None:
    parent, child = PARENT.format(size=60_000_000, start=start), HOLD.format(size=80_000_000)
    assert peak_of([sys.executable, "-c", parent, child], 10).megabytes >= 140


def test_a_failing_process_is_one_sentence() -> None:
    with pytest.raises(EngineError, match="failed: no room"):
        peak_of([sys.executable, "-c", "raise SystemExit('no room')"], 10)


def test_both_lengths_are_indexed_and_compared(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips" / "a.mp4", [flat((90, 60, 30))] * 25)
    work = tmp_path / "work"
    report = measure_memory(Session(), lambda text: None, tmp_path / "clips", seconds=16, work=work)
    short, long = report.peaks
    assert (short.video_seconds, long.video_seconds) == (8.0, 16.0)
    assert report.growth == pytest.approx(long.megabytes / short.megabytes, rel=0.01)
    assert min(short.megabytes, long.megabytes) > 50
    assert [path.name for path in work.iterdir() if path.is_dir()] == ["segments"]
