"""Which run a person means."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from longtake.agent.trace import RecordedTrace
from longtake.errors import LibraryError


class RecordedRun(NamedTuple):
    """What a run did."""

    trace: RecordedTrace


def find_run(root: Path, reference: str) -> RecordedRun:
    """The run of an id, of the beginning of one, or the `last`.

    Raises:
        LibraryError: when it means none, or several.
    """
    ids = sorted(file.stem for file in root.glob("*.jsonl"))
    meant = ids[-1:] if reference == "last" else [run for run in ids if run.startswith(reference)]
    if not meant:
        raise LibraryError(f"No trace in {root} begins with {reference!r}.")
    if len(meant) > 1:
        raise LibraryError(f"{reference!r} means {len(meant)} traces, such as {meant[0]}: give more.")
    return RecordedRun(RecordedTrace(root, meant[0]))
