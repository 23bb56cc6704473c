"""An HTTP server on a free port of loopback, in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """Logs nothing."""

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def send(self, status: int, headers: dict[str, str]) -> None:
        """The status line and the headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


@contextmanager
def listening(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """The URL of a server, until the block ends; replies that are still under way are not waited for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads, server.block_on_close = True, False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def site_of(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The URL of a server of a folder's files, and the paths that it is asked for."""
    asked: list[str] = []

    class Site(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            asked.append(self.path)

    with listening(partial(Site, directory=folder)) as url:
        yield url, asked
