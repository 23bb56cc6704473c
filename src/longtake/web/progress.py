"""The progress of indexing, and what the servers of one library tell each other about it.

In the library's folder `indexing`, every server keeps a file for each of its unfinished or failed jobs,
`<video>.<server>.json`, and touches it while it lives.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

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


class Progress(Record):
    """The progress of indexing."""

    state: State
    layers: tuple[LayerProgress, ...]
    share: float = Field(description="0 to 1, of the work.")
    seconds_left: float | None = Field(default=None, description="Null while unknown.")
    error: str | None = None

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

    def publish(self, jobs: Mapping[str, Progress]) -> None:
        """Say how far the jobs of this server are, by video; those that are done are no longer mentioned.

        Raises:
            OSError: if the folder can't be written.
        """
        told = {video: job.model_dump_json() for video, job in jobs.items() if job.state != "done"}
        for video, text in told.items():
            file = self._file(video)
            if self._published.get(video) == text and file.exists():
                file.touch()
                continue
            self._folder.mkdir(exist_ok=True)
            unfinished = file.with_suffix(".new")
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(file)  # no flush: it is out of date in a second
        for video in self._published.keys() - told.keys():
            self._file(video).unlink(missing_ok=True)
        self._published = told

    def elsewhere(self, video: str) -> Progress | None:
        """The progress of a video at another server that is alive, the one that indexes it first."""
        found = [each for file in self._folder.glob(f"{video}.*.json") if (each := self._read(file))]
        return min(found, key=lambda each: (each.state != "indexing", each.over), default=None)

    def abandoned(self) -> list[str]:
        """The videos that servers which are gone have left unfinished; each is given to one caller, once."""
        videos = []
        for file in self._folder.glob("*.json"):
            with suppress(OSError):  # another server takes it
                if time.time() - file.stat().st_mtime > _DEAD:
                    file.unlink()
                    videos.append(file.name.partition(".")[0])
        return videos

    def close(self) -> None:
        """Say nothing more."""
        for video in self._published:
            self._file(video).unlink(missing_ok=True)

    def _read(self, file: Path) -> Progress | None:
        with suppress(OSError, ValidationError):  # it is gone, or of another version
            if file != self._file(file.name.partition(".")[0]) and time.time() - file.stat().st_mtime <= _DEAD:
                return Progress.model_validate_json(file.read_bytes())
        return None

    def _file(self, video: str) -> Path:
        return self._folder / f"{video}.{self._server}.json"
