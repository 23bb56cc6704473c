"""Options, progress and report output that commands share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.console import Session, note, say, say_json
from longtake.errors import LibraryError
from longtake.memory.library import LibraryStore
from longtake.memory.records import Record

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Model = Annotated[
    str | None,
    typer.Option(
        help="Language model: ollama/NAME, lmstudio/NAME, vllm/NAME, llamacpp/NAME, openai/NAME or gguf/NAME."
    ),
]
Executor = Annotated[
    str,
    typer.Option(
        metavar="local|ray|ray=ADDRESS",
        help="Where the work runs: in this process, or on a Ray cluster, of this machine if no address is given. "
        "Every node must see the videos and the library at the same paths.",
    ),
]


def with_model(session: Session, name: str | None) -> Session:
    """The call with the controller of a short name, such as `ollama/qwen3:4b`; `--set` still overrides it."""
    if name is None:
        return session
    from longtake.models.names import of_another, settings_of

    named = of_another(session.settings.controller, settings_of(name))
    chosen = (f"controller.{key}={json.dumps(value)}" for key, value in named.items())
    return replace(session, overrides=(*chosen, *session.overrides))


def library_of(session: Session) -> LibraryStore:
    """The library of a call."""
    kept = session.settings.library
    return LibraryStore(session.library_root, kept.database, kept.layers)


def empty_library(root: Path) -> str:
    """What to say of a library without videos."""
    return f"The library {root} is empty; add a video with `longtake index FILE`."


def notify(as_json: bool) -> Callable[[str], None]:
    """Return a progress callback; with JSON it prints nothing."""
    return (lambda text: None) if as_json else (lambda text: note(f"{text} ..."))


def print_report(report: Record, show: Callable[[Any], Sequence[str]], as_json: bool) -> None:
    """Print a report as JSON, or as the lines that `show` makes of it."""
    if as_json:
        say_json(report.model_dump(mode="json"))
        return
    for line in show(report):
        say(line)


def ensure_folder(folder: Path) -> Path:
    """The folder, created if it doesn't exist.

    Raises:
        LibraryError: if it can't be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"{folder} can't be created: {error.strerror}; choose another folder.") from error
    return folder.resolve()
