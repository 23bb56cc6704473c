"""Uvicorn with time limits for slow senders, and a shutdown that stops the work first; the socket it listens on."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import Literal

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from longtake.errors import ConfigError
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


def listen(host: str, port: int, host_option: str = "--host", port_option: str = "--port") -> socket.socket:
    """Open a socket at an address, before anything is loaded.

    Args:
        host: name or address.
        port: 0 picks a free one.
        host_option: the option that sets the host, for error messages.
        port_option: the option that sets the port.

    Raises:
        ConfigError: if the port is in use, or this machine doesn't have the address.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(f"Port {port} of {host} is in use: choose another with {port_option}.") from error
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise ConfigError(f"Can't listen on {host} ({reason}): choose another address with {host_option}.") from error


def url_of(host: str, listening: socket.socket) -> str:
    """The URL for clients on this machine."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listening.getsockname()[1]}/"
