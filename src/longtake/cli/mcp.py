"""`longtake mcp`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longtake.cli.ask import open_library
from longtake.console import Session, say

if TYPE_CHECKING:
    from mcp.server import Server

_LAST_PORT = 65_535


def mcp(
    context: typer.Context,
    http: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve HTTP instead of standard input; port 0 picks a free one."),
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="Access token, required of HTTP clients.", envvar="LONGTAKE_TOKEN")
    ] = None,
) -> None:
    """Serve the tools and `ask` to other agents over the Model Context Protocol, on standard input or HTTP."""
    session: Session = context.obj
    with TemporaryDirectory(prefix="longtake-mcp-") as folder:
        if http is None:
            import anyio

            from longtake.mcp.server import serve_stdio

            anyio.run(serve_stdio, _server(session, folder))
        else:
            _serve_http(session, http, token, folder)


def _serve_http(session: Session, address: str, token: str | None, folder: str) -> None:
    from longtake.web.http.access import Access
    from longtake.web.http.listening import listen, url_of

    host, port = _address(address)
    admitted = Access.at(host, token)
    listening = listen(host, port, "--http", "--http")
    import uvicorn

    from longtake.mcp.server import PATH, http_app
    from longtake.web.http.http_server import configured

    server = uvicorn.Server(configured(http_app(_server(session, folder), admitted), lifespan="on"))
    say(f"Serving Longtake's tools at {url_of(host, listening).rstrip('/')}{PATH} (Ctrl-C stops).")
    sys.stdout.flush()  # a program may be waiting for this line on a pipe
    server.run([listening])


def _server(session: Session, folder: str) -> Server[dict[str, Any]]:
    from longtake.agent.graph.agent import Agent
    from longtake.mcp.mcp_tools import Offer
    from longtake.mcp.server import make_server

    workspace = open_library(session).workspace
    workspace.library.check_writable()
    return make_server(Offer(workspace, Agent(workspace), Path(folder)), workspace.settings.budget.seconds)


def _address(address: str) -> tuple[str, int]:
    """Host and port of `[HOST:]PORT`; an IPv6 address is in brackets."""
    host, _, port = address.rpartition(":")
    if not port.isascii() or not port.isdecimal() or int(port) > _LAST_PORT:
        raise typer.BadParameter(f"--http {address!r} isn't [HOST:]PORT: write it like 8766 or 127.0.0.1:8766.")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)
