"""The progress of indexing, and what the servers of one library tell each other about it.

In the library's folder `indexing`, every server keeps a file for each of its unfinished or failed jobs,
`<video>.<server>.json`, and touches it while it lives. As long as it has such files, it also holds the lock
`<server>.lock`, which ends with its process: others needn't wait to see that it was killed.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from filelock import FileLock
from pydantic import Field, ValidationError

from longtake.memory.records import Record

BEAT = 0.5  # seconds between two publications
_DEAD = 15.0  # seconds of silence after which a server is taken to be gone
State = Literal["queued", "indexing", "done", "failed"]


class LayerProgress(Record):
    """The progress of one layer."""

    name: str
    share: float = Field(description="0 to 1, of the work.")
    state: Literal["waiting", "running", "done", "missing"]
    seconds_left: float | None = Field(default=None, description="Null while unknown.")
    reason: str | None = Field(default=None, description="Why the layer is missing, if known.")


class IndexingProgress(Record):
    """The progress of indexing."""

    state: State
    layers: tuple[LayerProgress, ...]
    share: float = Field(description="0 to 1, of the work.")
    seconds_left: float | None = Field(default=None, description="Null while unknown.")
    error: str | None = None
    models: tuple[str, ...] = Field(default=(), description="What language and vision models are asked, at most.")

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed")

    @property
    def problems(self) -> dict[str, str]:
        """Why layers are missing, by name."""
        return {layer.name: layer.reason for layer in self.layers if layer.reason}


class SharedProgress:
    """What this server publishes, and what the others of the library do."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which the first job creates."""
        self._folder = folder
        self._server = secrets.token_hex(8)
        self._published: dict[str, str] = {}
        self._lock = FileLock(self._lock_file(self._server), thread_local=False)

    def publish(self, jobs: Mapping[str, IndexingProgress]) -> None:
        """Say how far the jobs of this server are, by video; those that are done are no longer mentioned.

        Raises:
            OSError: if the folder can't be written.
        """
        told = {video: job.model_dump_json() for video, job in jobs.items() if job.state != "done"}
        if told and not self._lock.is_locked:
            self._folder.mkdir(exist_ok=True)
            self._lock.acquire(timeout=0)
        for video, text in told.items():
            file = self._file(video)
            if self._published.get(video) == text and file.exists():
                file.touch()
                continue
            unfinished = file.with_suffix(".new")
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(file)  # no flush: it is out of date in a second
        for video in self._published.keys() - told.keys():
            self._file(video).unlink(missing_ok=True)
        self._published = told
        if not told:
            self._let_go()

    def elsewhere(self, video: str) -> IndexingProgress | None:
        """The progress of a video at another server that is alive, the one that indexes it first."""
        found = [each for file in self._folder.glob(f"{video}.*.json") if (each := self._read(file))]
        return min(found, key=lambda each: (each.state != "indexing", each.over), default=None)

    def abandoned(self) -> list[str]:
        """The videos that servers which are gone have left unfinished; each is given to one caller, once."""
        videos, by_server = [], defaultdict(list)
        for file in self._folder.glob("[!.]*.*.json"):  # not what a file system adds, such as `._NAME`
            video, server = file.name.split(".")[:2]
            by_server[server].append((video, file))
        for server, jobs in by_server.items():
            with self._ended(server) as ended:
                for video, file in jobs:
                    with suppress(OSError):  # another server takes it
                        if ended or time.time() - file.stat().st_mtime > _DEAD:
                            file.unlink()
                            videos.append(video)
        return videos

    def close(self) -> None:
        """Say nothing more."""
        for video in self._published:
            self._file(video).unlink(missing_ok=True)
        self._let_go()

    @contextmanager
    def _ended(self, server: str) -> Iterator[bool]:
        """Whether a server's process has ended, which nobody else can find meanwhile; its lock is removed then.

        A server of an earlier version has no lock: only its silence tells.
        """
        file = self._lock_file(server)
        if server == self._server or not file.exists():
            yield False
            return
        lock = FileLock(file)
        try:
            lock.acquire(timeout=0)
        except OSError:  # including `Timeout`: it lives
            yield False
            return
        try:
            yield True
            file.unlink(missing_ok=True)
        finally:
            lock.release()

    def _let_go(self) -> None:
        if self._lock.is_locked:
            self._lock_file(self._server).unlink(missing_ok=True)
            self._lock.release()

    def _lock_file(self, server: str) -> Path:
        return self._folder / f"{server}.lock"

    def _read(self, file: Path) -> IndexingProgress | None:
        with suppress(OSError, ValidationError):  # it is gone, or of another version
            if file != self._file(file.name.partition(".")[0]) and time.time() - file.stat().st_mtime <= _DEAD:
                return IndexingProgress.model_validate_json(file.read_bytes())
        return None

    def _file(self, video: str) -> Path:
        return self._folder / f"{video}.{self._server}.json"
