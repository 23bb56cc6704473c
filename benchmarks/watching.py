"""Reports the progress of long indexing."""

from __future__ import annotations

from collections.abc import Callable

from longtake.console import raise_if_interrupted
from longtake.preprocess.pipeline.progress import StepProgress, Watcher


def tenths_watcher(notify: Callable[[str], None]) -> Watcher:
    """A watcher that reports each tenth of each step."""
    reported: set[tuple[str, int]] = set()

    def progress(at: StepProgress) -> None:
        tenth = int(10 * at.share)
        if (at.step, tenth) not in reported:
            reported.add((at.step, tenth))
            notify(f"indexing: {at.step} {10 * tenth} %")

    return Watcher(check_cancelled=raise_if_interrupted, progress=progress, say=notify)
