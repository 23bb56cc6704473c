"""Kills `longtake index` at chosen moments, restarts it, and counts what it had finished at each kill."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from longtake.bench.processes import check
from longtake.memory.building import FOLDER
from longtake.memory.layers import LayerStore
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass

BETWEEN = "between steps"
_EVERY = 0.01  # seconds

Stamp = tuple[int, int]  # inode, and modification time in nanoseconds


@dataclass(frozen=True, slots=True)
class Moment:
    """Seconds after a step starts, or after the process starts if `step` is None."""

    step: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class KillPoint:
    """A kill: seconds after the process started, the step it interrupted, and the chunks finished in all builds."""

    after: float
    step: str
    finished: int


@dataclass(frozen=True, slots=True)
class Build:
    """An unfinished build: where its first layer will be when complete, and its finished chunks."""

    layer: Path
    chunks: dict[Path, Stamp]

    @classmethod
    def read(cls, folder: Path) -> Build:
        """Look at a folder of `.building`."""
        stamps = {file: _stamp(file) for file in sorted(folder.glob("chunks/[!.]*"))}
        layer = min(folder.glob("layers/*/*"))
        return cls(folder.parent.parent / layer.parent.name / layer.name, stamps)

    def redone(self) -> int:
        """How many of the chunks have been built again since."""
        left = [file for file in self.chunks if file.exists()]
        if left:
            return sum(file not in left or _stamp(file) != stamp for file, stamp in self.chunks.items())
        # The layer is complete and the chunks are gone: its run record says how many were reused. A process killed
        # before it wrote that counts as having built all of them again.
        facts = LayerStore(self.layer.parent.parent).run(self.layer.parent.name, self.layer.name)
        reused: int = facts.get("chunks_reused", 0)
        return max(0, len(self.chunks) - reused)


class Indexing:
    """One run from a new library to the end of indexing, over as many processes as it takes."""

    def __init__(self, command: Sequence[str], library: Path) -> None:
        self.finished = self.redone = 0  # chunks: finished at a kill, and those of them built again
        self._command = command
        self._library = library
        self._left: list[Build] = []

    def kill_at(self, moment: Moment) -> KillPoint | None:
        """Start a process and kill it with its children; None if it finished before the moment.

        Raises:
            EngineError: if it failed by itself.
        """
        with tempfile.TemporaryFile("w+") as stderr:
            began, started = time.time_ns(), time.monotonic()
            process = self._start(stderr)
            try:
                _wait_for(moment, process, lambda: step_being_built(self._library, began))
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            after = round(time.monotonic() - started, 3)
            self._count()
            if process.returncode == -signal.SIGKILL:
                self._left = [Build.read(folder) for folder in _builds(self._library)]
                chunks = sum(len(build.chunks) for build in self._left)
                return KillPoint(after, step_being_built(self._library, began), chunks)
            stderr.seek(0)
            check(self._command, process.returncode, stderr.read())
            return None

    def finish(self) -> None:
        """Index to the end."""
        self.kill_at(Moment(None, float("inf")))

    def _start(self, stderr: IO[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True)

    def _count(self) -> None:
        self.finished += sum(len(build.chunks) for build in self._left)
        self.redone += sum(build.redone() for build in self._left)
        self._left = []


def step_being_built(library: Path, since: int) -> str:
    """The step whose layers were started last, if after `since` (nanoseconds since 1970); else `BETWEEN`."""
    started_layers: list[tuple[int, str]] = []
    with suppress(FileNotFoundError):  # moved into place meanwhile; the next look sees the rest
        for items in library.glob(f"videos/*/layers/{FOLDER}/*/layers/*/*/items.jsonl"):
            started_layers.append((items.stat().st_mtime_ns, items.parent.parent.name))
    changed, layer = max(started_layers, default=(0, ""))
    return step_of(layer) if changed >= since else BETWEEN


def step_of(layer: str) -> str:
    """The step that builds a layer."""
    return VisualPass.name if layer in LAYERS_OF_PASS else layer


def _wait_for(moment: Moment, process: subprocess.Popen[bytes], step: Callable[[], str]) -> None:
    """Wait for a moment, or the end of the process if that comes first."""
    since = time.monotonic() if moment.step is None else None
    while process.poll() is None:
        if since is None and step() == moment.step:
            since = time.monotonic()
        if since is not None and time.monotonic() - since >= moment.seconds:
            return
        time.sleep(_EVERY)


def _builds(library: Path) -> Iterator[Path]:
    """The build folders that contain a layer."""
    folders = library.glob(f"videos/*/layers/{FOLDER}/*")
    return (folder for folder in folders if any(folder.glob("layers/*/*")))


def _stamp(file: Path) -> Stamp:
    status = file.stat()
    return status.st_ino, status.st_mtime_ns
