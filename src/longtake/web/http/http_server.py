"""Uvicorn as Longtake runs it: with times for slow senders, and an end that stops the work first."""

from __future__ import annotations

import asyncio
import socket
from typing import Literal

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from longtake.web.http.limits import TimedProtocol
from longtake.web.service import Service

_LEAVING = 3  # seconds that open connections have when the server ends
_AT_ONCE = 500  # connections


def configured(app: ASGIApp, *, lifespan: Literal["on", "off"] = "off") -> uvicorn.Config:
    """Uvicorn's configuration for an app, with or without what runs from its beginning to its end."""
    return uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        lifespan=lifespan,
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,  # who says that it speaks for another is not believed
        server_header=False,
        limit_concurrency=_AT_ONCE,
        timeout_graceful_shutdown=_LEAVING,
    )


class Server(uvicorn.Server):
    """Serves an app until a signal, or `should_exit`, ends it."""

    def __init__(self, app: FastAPI) -> None:
        super().__init__(configured(app))
        self._service: Service = app.state.service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the work, which ends the streams that tell of it, and then the connections."""
        await asyncio.to_thread(self._service.close)
        await super().shutdown(sockets)
