"""Which runs a folder of traces holds, and which of them a person means."""

from __future__ import annotations

import re
from pathlib import Path

from longtake.agent.traces.recorded import LenientRun
from longtake.agent.traces.trace import RecordedTrace
from longtake.errors import LibraryError

RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
LAST = "last"
_SECOND = 15  # characters of an id that say the second in which the run began
_NAMED = 3  # of the runs that a reference may mean


def run_ids(root: Path) -> list[str]:
    """The runs whose traces a folder holds, newest first; of one second, the one last written."""
    files = [file for file in root.glob("*.jsonl") if RUN.fullmatch(file.stem)]
    newest = sorted(files, key=lambda file: (file.stem[:_SECOND], file.stat().st_mtime_ns), reverse=True)
    return [file.stem for file in newest]


def no_traces(root: Path) -> str:
    """What to say of a folder without traces."""
    return f"There are no traces in {root} yet: `longtake ask` writes one."


def find_run(root: Path, reference: str) -> LenientRun:
    """The run of an id, of the beginning of one, or the `last`.

    Raises:
        LibraryError: when it means none, or several.
    """
    ids = run_ids(root)
    meant = ids[:1] if reference == LAST else [run for run in ids if run.startswith(reference)]
    if not ids:
        raise LibraryError(no_traces(root))
    if not meant:
        raise LibraryError(f"No trace in {root} begins with {reference!r}: `longtake trace list` names them.")
    if len(meant) > 1:
        raise LibraryError(f"{reference!r} means {len(meant)} traces, such as {', '.join(meant[:_NAMED])}: give more.")
    return LenientRun(RecordedTrace(root, meant[0]))
