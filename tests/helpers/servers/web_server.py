"""The server of `longtake serve` on loopback, in a thread, for one library."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from helpers.described_api import checked_against

from longtake.agent.graph.agent import Agent
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.app import create_app
from longtake.web.http.access import Access
from longtake.web.http.http_server import Server
from longtake.web.http.limits import Limits
from longtake.web.links import Reach
from longtake.web.service import Service


class WebServer:
    """A running server: its address and its service; what its clients are answered is held against /openapi.json."""

    def __init__(self, url: str, service: Service, described: dict[str, Any]) -> None:
        self.url = url
        self.service = service
        self._check = checked_against(described)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, event_hooks={"response": [self._check]}, **options)


@contextmanager
def web_server(
    workspace: Workspace,
    *,
    folders: Sequence[Path] = (),
    token: str | None = None,
    admitted: Access | None = None,
    limits: Limits | None = None,
    agent: Agent | None = None,
    links: Reach | None = None,
) -> Iterator[WebServer]:
    """Serve a library until the block is left."""
    listening = socket.create_server(("127.0.0.1", 0))
    service = Service(workspace, agent or Agent(workspace), folders, links)
    app = create_app(service, admitted or Access(token=token), limits)
    server = Server(app)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield WebServer(f"http://127.0.0.1:{listening.getsockname()[1]}", service, app.openapi())
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        assert not thread.is_alive(), "the server does not end"
