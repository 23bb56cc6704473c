"""`bench load`: clients are answered right while files are uploaded, and the server's use of the system is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.benchmarks.parts.load import measure_load, show_load
from longtake.console import Session


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc")
def test_clients_are_answered_while_files_are_uploaded() -> None:
    found = measure_load(Session(overrides=("engines.scene_text=[]",)), 3, 2, 0.2, lambda _: None)
    assert (found.wrong, found.uploads) == ((), 2)
    minute, *_ = found.minutes
    assert sum(each.questions for each in found.minutes) > 3
    assert 0 < minute.median <= minute.p95
    assert minute.resident > 50_000_000
    assert min(minute.files, minute.threads) > 10
    assert len(show_load(found)) == 2 + len(found.minutes)
