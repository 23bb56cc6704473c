"""Indexing that takes minutes, followed in words."""

from __future__ import annotations

from collections.abc import Callable

from longtake.console import raise_if_interrupted
from longtake.preprocess.pipeline.progress import Progress, Watcher


def telling(notify: Callable[[str], None]) -> Watcher:
    """A watcher that tells of each tenth of each step."""
    told: set[tuple[str, int]] = set()

    def progress(at: Progress) -> None:
        tenth = int(10 * at.share)
        if (at.step, tenth) not in told:
            told.add((at.step, tenth))
            notify(f"indexing: {at.step} {10 * tenth} %")

    return Watcher(check_cancelled=raise_if_interrupted, progress=progress, say=notify)
