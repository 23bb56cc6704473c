"""`bench load`: clients are answered right while files are uploaded, and the server's use of the system is seen."""

from __future__ import annotations

from longtake.benchmarks.parts.load import measure_load
from longtake.console import Session


def test_clients_are_answered_while_files_are_uploaded() -> None:
    found = measure_load(Session(overrides=("engines.scene_text=[]",)), lambda _: None, 3, 2, 0.2)
    assert (found.wrong, found.uploads) == ((), 2)
    minute, *_ = found.minutes
    assert sum(each.answers for each in found.minutes) > 3
    assert 0 < minute.median <= minute.p95
    assert minute.megabytes > 50
    assert min(minute.files, minute.threads) > 10
