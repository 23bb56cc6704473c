"""A model hub on loopback: one repository of files, as the hub describes and serves them, with planned mishaps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from helpers.servers.loopback import Handler, listening

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """Where it listens, what it was asked for, and what goes wrong."""

    url: str
    repo: str
    files: Mapping[str, Path]
    asked: list[tuple[str, str]] = field(default_factory=list)  # file, range
    breaks: int = 0  # how many of the next downloads end half-way
    falsified: bool = False  # whether content differs from what is announced

    def sha256(self, name: str) -> str:
        return hashlib.sha256(self.files[name].read_bytes()).hexdigest()

    def description(self) -> dict[str, object]:
        siblings = [
            {
                "rfilename": name,
                "size": file.stat().st_size,
                "blobId": "0" * 40,
                "lfs": {"sha256": self.sha256(name), "size": file.stat().st_size, "pointerSize": 134},
            }
            for name, file in self.files.items()
        ]
        return {"id": self.repo, "modelId": self.repo, "sha": COMMIT, "siblings": siblings}


@contextmanager
def hub_server(repo: str, files: Mapping[str, Path]) -> Iterator[Hub]:
    """Listen on a free port of loopback until the block ends."""

    class Serving(Handler):
        def do_HEAD(self) -> None:
            name = self._name()
            if name is None:
                return self._missing()
            self.send(200, {**self._facts(name), "Content-Length": str(hub.files[name].stat().st_size)})
            return None

        def do_GET(self) -> None:
            if self.path.startswith(f"/api/models/{repo}"):
                body = json.dumps(hub.description()).encode()
                self.send(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
                self.wfile.write(body)
                return
            name = self._name()
            if name is None:
                return self._missing()
            wanted = self.headers.get("Range", "")
            hub.asked.append((name, wanted))
            content = hub.files[name].read_bytes()
            content = content[::-1] if hub.falsified else content
            start = int(wanted.removeprefix("bytes=").partition("-")[0] or 0) if wanted else 0
            rest = content[start:]
            more = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if wanted else {}
            self.send(206 if wanted else 200, {**self._facts(name), "Content-Length": str(len(rest)), **more})
            half, hub.breaks = hub.breaks > 0, max(0, hub.breaks - 1)
            self.wfile.write(rest[: len(rest) // 2] if half else rest)
            self.close_connection = True

        def _name(self) -> str | None:
            name = self.path.removeprefix(f"/{repo}/resolve/{COMMIT}/")
            return name if name in hub.files else None

        def _facts(self, name: str) -> dict[str, str]:
            return {"X-Repo-Commit": COMMIT, "ETag": f'"{hub.sha256(name)}"', "Accept-Ranges": "bytes"}

        def _missing(self) -> None:
            self.send(404, {"X-Error-Code": "RepoNotFound", "Content-Length": "0"})

    with listening(Serving) as url:
        hub = Hub(url, repo, files)
        yield hub
