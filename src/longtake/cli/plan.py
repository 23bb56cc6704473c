"""`longtake plan`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.ask import open_library
from longtake.cli.index import named_by
from longtake.cli.options import Json, print_report
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session, counted, note
from longtake.errors import ConfigError, MediaError
from longtake.memory.library import LibraryStore
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.preprocess.pipeline.model_costs import model_costs
from longtake.preprocess.pipeline.plan import plan as planned
from longtake.preprocess.pipeline.plan import show_plan
from longtake.remote import media_path


def plan(
    context: typer.Context,
    files: Annotated[
        list[str] | None, typer.Argument(help="Files, folders or patterns such as '*.mp4'.", metavar="FILE...")
    ] = None,
    hours: Annotated[
        int | None, typer.Option(min=1, help="Instead of FILE: plan for this many one-hour videos.")
    ] = None,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Cores of the cluster.", show_default="those of this machine")
    ] = None,
    price: Annotated[float | None, typer.Option(min=0, help="Price of a core for an hour.")] = None,
    as_json: Json = False,
) -> None:
    """Plan the indexing of many files: time, memory, disk and price, from what indexing took in this library."""
    session: Session = context.obj
    if bool(files) == bool(hours):
        raise ConfigError("Give either files or --hours.")
    workspace = open_library(session).workspace
    library = workspace.library
    wanted: list[MediaInfo | float] = [3600.0] * (hours or 0)
    named = named_by(files or ())
    sizes = {video.size for video in library.videos()}
    unreadable = indexed = 0
    for name in named:
        try:
            path = media_path(name)
            # Only a file with the size of an indexed one is read to compare them.
            if path.is_file() and path.stat().st_size in sizes and _is_indexed(path, library):
                indexed += 1
            else:
                wanted.append(probe(path))
        except MediaError as error:
            if len(named) == 1:
                raise
            note(f"longtake: {error}")
            unreadable += 1
    if named and unreadable == len(named):
        raise typer.Exit(EXIT_FAILED)
    if indexed:
        note(f"{counted(indexed, 'file')} left out: already indexed in this library.")
    durations = [each.duration if isinstance(each, MediaInfo) else each for each in wanted]
    asked = model_costs(library, workspace.settings, workspace.engines, durations)
    print_report(planned(library, wanted, cores or os.cpu_count() or 1, price, asked), show_plan, as_json)
    raise typer.Exit(EXIT_PARTIAL if unreadable else 0)


def _is_indexed(path: Path, library: LibraryStore) -> bool:
    known = library.find(str(path))
    return known is not None and known.complete
