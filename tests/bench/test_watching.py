"""Indexing that takes minutes, followed in words."""

from __future__ import annotations

from longtake.bench.watching import tenths_watcher
from longtake.preprocess.pipeline.progress import Progress


def test_each_tenth_of_each_step_is_told_once() -> None:
    told: list[str] = []
    watcher = tenths_watcher(told.append)
    for step, share in [("shots", 0.01), ("shots", 0.09), ("shots", 0.31), ("sounds", 0.02), ("sounds", 1.0)]:
        watcher.progress(Progress(step, share, None))
    assert told == ["indexing: shots 0 %", "indexing: shots 30 %", "indexing: sounds 0 %", "indexing: sounds 100 %"]
