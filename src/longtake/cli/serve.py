"""`longtake serve`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.ask import open_workspace
from longtake.console import Session, say
from longtake.web.http.access import Access
from longtake.web.http.listening import listen, url_of


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen at; any but loopback wants a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one.")] = 8765,
    token: Annotated[
        str | None,
        typer.Option(help="What everybody has to give; wanted where other machines reach it.", envvar="LONGTAKE_TOKEN"),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Name, or name:port, under which a proxy serves it, as for TLS; repeat it."),
    ] = None,
    folder: Annotated[
        list[Path] | None,
        typer.Option(help="Videos in it may be added where they lie; repeat it.", exists=True, file_okay=False),
    ] = None,
) -> None:
    """Open the library in the browser: watch, ask, and see what an answer rests on."""
    session: Session = context.obj
    admitted = Access.at(host, token, name or ())
    listening = listen(host, port)
    workspace = open_workspace(session)
    from longtake.agent.graph.agent import Agent
    from longtake.web.app import create_app
    from longtake.web.http.http_server import Server
    from longtake.web.service import Service

    service = Service(workspace, Agent(workspace), folder or ())
    server = Server(create_app(service, admitted))
    say(f"Longtake is at {url_of(host, listening)} until Ctrl-C ends it.")
    sys.stdout.flush()  # whoever reads it through a pipe is waiting for it
    server.run([listening])
