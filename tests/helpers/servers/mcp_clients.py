"""The HTTP server of `longtake mcp` on loopback, in a thread, and the official client at it."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import uvicorn
from mcp import Client

from longtake.agent.graph.agent import Agent
from longtake.mcp.mcp_tools import Offer
from longtake.mcp.server import PATH, http_app, make_server
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.http.access import Access
from longtake.web.http.http_server import configured

T = TypeVar("T")


def used(server: Any, use: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """What a client comes to that is connected to a server: a URL, a command, or a transport."""

    async def connected() -> T:
        async with Client(server, mode=mode) as client:
            return await use(client)

    return asyncio.run(connected())


@contextmanager
def mcp_server(workspace: Workspace, *, agent: Agent | None = None, token: str | None = None) -> Iterator[str]:
    """The URL of a library's tools, until the block is left."""
    listening = socket.create_server(("127.0.0.1", 0))
    folder = TemporaryDirectory()
    offer = Offer(workspace, agent or Agent(workspace), Path(folder.name))
    offered = make_server(offer, workspace.settings.budget.seconds)
    server = uvicorn.Server(configured(http_app(offered, Access(token=token)), lifespan="on"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}{PATH}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
        folder.cleanup()
