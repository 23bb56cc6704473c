"""Lists the runs in a trace folder, and finds the one a user means."""

from __future__ import annotations

import re
from pathlib import Path

from longtake.agent.traces.recorded import LenientRun
from longtake.agent.traces.trace import RecordedTrace
from longtake.errors import LibraryError

RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
LAST = "last"
_SECOND = 15  # characters of an id that give its starting second
_NAMED = 3  # maximum matching runs named in an error


def run_ids(root: Path) -> list[str]:
    """The runs in a trace folder, newest first; those of the same second by last write."""
    files = [file for file in root.glob("*.jsonl") if RUN.fullmatch(file.stem)]
    newest = sorted(files, key=lambda file: (file.stem[:_SECOND], file.stat().st_mtime_ns), reverse=True)
    return [file.stem for file in newest]


def no_traces(root: Path) -> str:
    """What to say of a folder without traces."""
    return f"There are no traces in {root} yet: `longtake ask` writes one."


def find_run(root: Path, reference: str) -> LenientRun:
    """The run with this id or id prefix, or the `last` one.

    Raises:
        LibraryError: when no run matches, or several do.
    """
    ids = run_ids(root)
    matches = ids[:1] if reference == LAST else [run for run in ids if run.startswith(reference)]
    if not ids:
        raise LibraryError(no_traces(root))
    if not matches:
        raise LibraryError(f"No trace in {root} begins with {reference!r}: `longtake trace list` lists them.")
    if len(matches) > 1:
        examples = ", ".join(matches[:_NAMED])
        raise LibraryError(f"{reference!r} matches {len(matches)} traces, such as {examples}: give more characters.")
    return LenientRun(RecordedTrace(root, matches[0]))
