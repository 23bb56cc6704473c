"""`longtake chat`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from longtake.cli.ask import open_library, show
from longtake.cli.progress import progress_watcher
from longtake.cli.options import Model, with_model
from longtake.console import Session, note, say, say_json
from longtake.errors import LongtakeError


def chat(
    context: typer.Context,
    videos: Annotated[list[str], typer.Argument(metavar="VIDEO...", help="Files, ids or names.")],
    thread: Annotated[str, typer.Option(help="Name of the conversation; reuse it to continue.")] = "chat",
    model: Model = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document per answer.")] = False,
) -> None:
    """Ask questions, one per line, until the input ends or, at a terminal, an empty line."""
    session: Session = with_model(context.obj, model)
    library = open_library(session)
    library.agent.check(videos)
    interactive = sys.stdin.isatty()
    while True:
        question = _next_question(interactive=interactive)
        if not question:
            return
        try:
            with progress_watcher(quiet=as_json) as watcher:
                answer = library.ask(videos, question, thread=thread, watcher=watcher)
        except LongtakeError as error:
            note(f"longtake: {error}")
            continue
        say_json(answer.model_dump(mode="json")) if as_json else show(answer, library.workspace)
        if interactive:
            say()


def _next_question(*, interactive: bool) -> str:
    if interactive:
        try:
            return input("> ").strip()
        except EOFError:
            return ""
    return next(filter(None, map(str.strip, sys.stdin)), "")
