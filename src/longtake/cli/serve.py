"""`longtake serve`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.ask import open_library
from longtake.cli.options import Model, with_model
from longtake.console import Session, say
from longtake.web.http.access import Access
from longtake.web.http.listening import listen, url_of


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on; any but loopback requires --token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 picks a free one.")] = 8765,
    token: Annotated[
        str | None,
        typer.Option(help="Access token; required where other machines can connect.", envvar="LONGTAKE_TOKEN"),
    ] = None,
    model: Model = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Name, or name:port, under which a proxy serves it, such as for TLS; repeatable."),
    ] = None,
    folder: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder whose videos can be added without uploading; repeatable.", exists=True, file_okay=False
        ),
    ] = None,
    links: Annotated[
        bool, typer.Option("--links", help="Let the page fetch videos by their links; needs the extra `links`.")
    ] = False,
) -> None:
    """Serve the library to browsers: watch, ask, and check the proof of an answer."""
    session: Session = with_model(context.obj, model)
    admitted = Access.at(host, token, name or ())
    listening = listen(host, port)
    workspace = open_library(session).workspace
    workspace.library.check_writable()
    from longtake.agent.graph.agent import Agent
    from longtake.web.app import create_app
    from longtake.web.http.http_server import Server
    from longtake.web.links import Reach
    from longtake.web.service import Service

    reach: Reach = "anywhere" if admitted.alone else "public"
    service = Service(workspace, Agent(workspace), folder or (), reach if links else None)
    server = Server(create_app(service, admitted))
    say(f"Serving Longtake at {url_of(host, listening)} (Ctrl-C stops).")
    sys.stdout.flush()  # a program may be waiting for this line on a pipe
    server.run([listening])
