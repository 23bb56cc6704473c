"""Uvicorn with time limits for slow senders, and a shutdown that stops the work first."""

from __future__ import annotations

import asyncio
import socket
from typing import Literal

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from longtake.web.http.limits import TimedProtocol
from longtake.web.service import Service

_SHUTDOWN_SECONDS = 3  # for open connections when the server stops
_MAX_CONNECTIONS = 500


def configured(app: ASGIApp, *, lifespan: Literal["on", "off"] = "off") -> uvicorn.Config:
    """Uvicorn's configuration for an app, with or without its lifespan handler."""
    return uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        lifespan=lifespan,
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,  # forwarded headers aren't trusted
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )


class Server(uvicorn.Server):
    """Serves an app until a signal or `should_exit` stops it."""

    def __init__(self, app: FastAPI) -> None:
        super().__init__(configured(app))
        self._service: Service = app.state.service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the work, which ends its event streams, and then the connections."""
        await asyncio.to_thread(self._service.close)
        await super().shutdown(sockets)
