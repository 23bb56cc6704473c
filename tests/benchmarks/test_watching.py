"""Indexing that takes minutes, followed in words."""

from __future__ import annotations

from longtake.benchmarks.watching import tenths_watcher
from longtake.preprocess.pipeline.progress import StepProgress


def test_each_tenth_of_each_step_is_reported_once() -> None:
    reported: list[str] = []
    watcher = tenths_watcher(reported.append)
    for step, share in [("shots", 0.01), ("shots", 0.09), ("shots", 0.31), ("sounds", 0.02), ("sounds", 1.0)]:
        watcher.progress(StepProgress(step, share, None))
    assert reported == ["indexing: shots 0 %", "indexing: shots 30 %", "indexing: sounds 0 %", "indexing: sounds 100 %"]
