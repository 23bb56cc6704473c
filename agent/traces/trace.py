"""Writes and reads the trace of a run: one JSONL event per step, with full inputs and outputs as blobs by content hash.

Event schema v3: every event has `v` (schema, 3), `run`, `step` (from 0), `parent` (the step that requested it, or
null), `type`, `started` (seconds since the epoch), `seconds`, and, if they apply, `data` (small facts, such as repaired
arguments), `input` and `output` (hashes of blobs: complete, and as sent), `spans` (what was looked at: [video, start,
end]), `evidence` (ids) and `usage`.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TextIO

from longtake.errors import LibraryError
from longtake.language.text import parse_json
from longtake.memory.layers import canonical_json, write_atomic
from longtake.redaction import without_secrets

SCHEMA = 3
JUDGE = "judge"  # the tool that a prompt which judges names
EventType = Literal["run", "orient", "brief", "model", "tool", "judge", "guard", "answer", "error"]
# Of every event.
_FIELDS = frozenset("v run step parent type started seconds data input output spans evidence usage".split())

Watch = Callable[[Mapping[str, Any]], None]


class Trace:
    """Writes the events of one run; thread-safe."""

    def __init__(
        self, root: Path | None, watch: Watch = lambda event: None, keys: Collection[str] = frozenset()
    ) -> None:
        """Start a run.

        Args:
            root: trace folder; None to keep nothing.
            watch: called with each event when it is written, in the writing thread.
            keys: secrets to mask wherever they appear.
        """
        self.run = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:8]}"
        self._root = root
        self._watch = watch
        self._keys = keys
        self._steps = 0
        self._lock = threading.Lock()
        self._file: TextIO | None = None
        if root:
            root.mkdir(parents=True, exist_ok=True)
            self._file = (root / f"{self.run}.jsonl").open("a", encoding="utf-8")

    @property
    def kept(self) -> str | None:
        """The id of the run, under which its trace is found; None if it isn't kept."""
        return self.run if self._file else None

    def event(
        self,
        kind: EventType,
        *,
        started: float,
        parent: int | None = None,
        data: Mapping[str, Any] | None = None,
        given: Any = None,
        result: Any = None,
        spans: Sequence[tuple[str, float, float]] = (),
        evidence: Sequence[str] = (),
        usage: Mapping[str, float] | None = None,
    ) -> int:
        """Append one event and return its step; `started` is a time.time() value."""
        event: dict[str, Any] = {
            "v": SCHEMA,
            "run": self.run,
            "parent": parent,
            "type": kind,
            "started": round(started, 4),
            "seconds": round(max(0.0, time.time() - started), 4),
            "data": dict(data or {}),
            "input": self._blob(given),
            "output": self._blob(result),
            "spans": [list(span) for span in spans],
            "evidence": list(evidence),
            "usage": dict(usage or {}),
        }
        with self._lock:
            event["step"] = self._steps
            self._steps += 1
            event = self.masked(event)
            if self._file:
                self._file.write(canonical_json(event) + "\n")
                self._file.flush()
        self._watch(event)
        return int(event["step"])

    def masked(self, value: Any) -> Any:
        """A JSON value as it is written: with the keys, and passwords in URLs, masked."""
        return without_secrets(value, self._keys)

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()

    def _blob(self, value: Any) -> str | None:
        if value is None:
            return None
        text = blob_text(self.masked(value))
        digest = _digest(text.encode())
        path = _blob_path(self._root, digest) if self._root else None
        if path and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, text)
        return digest


class RecordedTrace:
    """Reads a trace."""

    def __init__(self, root: Path, run: str) -> None:
        self.root = root
        self.run = run
        path = root / f"{run}.jsonl"
        if not path.is_file():
            raise LibraryError(f"There is no trace {run!r} in {root}.")
        self._path = path

    def events(self) -> Iterator[dict[str, Any]]:
        """The events, in the order they were written; a last line that a crash cut off is skipped.

        Raises:
            LibraryError: at a line that isn't an event of this schema.
        """
        with self._path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if line.endswith("\n"):
                    yield self._event(line, number)

    def _event(self, line: str, number: int) -> dict[str, Any]:
        try:
            event = parse_json(line)
        except ValueError:
            event = None
        if isinstance(event, dict) and event.get("v", SCHEMA) != SCHEMA:
            raise LibraryError(
                f"Line {number} of {self._path.name} has schema {event['v']!r}, but this Longtake reads schema "
                f"{SCHEMA}: use the version that wrote it."
            )
        if not isinstance(event, dict) or not _is_event(event):
            raise LibraryError(f"Line {number} of {self._path.name} is damaged: restore the trace from a copy.")
        return event

    def event(self, step: int, kind: EventType) -> dict[str, Any]:
        """One event.

        Raises:
            LibraryError: when there is no such step, or it has another type.
        """
        for event in self.events():
            if event["step"] == step and event["type"] == kind:
                return event
        raise LibraryError(f"Trace {self.run!r} has no step {step} of type {kind!r}.")

    def blob(self, digest: str) -> Any:
        """A recorded input or output.

        Raises:
            LibraryError: when it is missing or was changed.
        """
        path = _blob_path(self.root, digest)
        if not path.is_file():
            raise LibraryError(
                f"The blob {path} of trace {self.run!r} is missing; copy the `blobs` folder along with the trace."
            )
        data = path.read_bytes()
        if _digest(data) != digest:
            raise LibraryError(
                f"The blob {path} was changed since it was recorded; restore it from a copy of the trace."
            )
        return parse_json(data)


def blob_text(value: Any) -> str:
    """A value in blob format: complete, with its keys in the order sent to the model."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _is_event(event: Mapping[str, Any]) -> bool:
    """Whether all required fields are present and have the right types."""
    kinds: Mapping[str, Any] = {"data": dict, "usage": dict, "started": (int, float), "seconds": (int, float)}
    return event.keys() >= _FIELDS and all(isinstance(event[name], kind) for name, kind in kinds.items())


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _blob_path(root: Path, digest: str) -> Path:
    return root / "blobs" / digest[:2] / f"{digest}.json"
