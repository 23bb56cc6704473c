"""A real Chroma server on loopback, in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

_RUN = "import sys; from chromadb.cli.cli import app; sys.exit(app())"
_PATIENCE = 60.0  # seconds until it must answer


@contextmanager
def chroma_server(folder: Path) -> Iterator[str]:
    """The address of a server that keeps its files in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [sys.executable, "-c", _RUN, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(f"{address}/api/v2/heartbeat")
            yield address
        finally:
            server.terminate()


def _wait(url: str) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            httpx.get(url).raise_for_status()
            return
        except httpx.HTTPError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
