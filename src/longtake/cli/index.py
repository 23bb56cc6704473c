"""`longtake index`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.api import Library
from longtake.cli.progress import bars
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session, counted, note, raise_if_interrupted, say
from longtake.errors import ConfigError, LibraryError, LongtakeError
from longtake.memory.timespan import clock
from longtake.preprocess.engines.packaged_files import INSTALL
from longtake.preprocess.pipeline.progress import IndexReport, Progress, Watcher


def index(
    context: typer.Context,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Video or audio files, or names in the library.", metavar="FILE...")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Index every video of the library with the engines that it has now.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per file, one per line.")] = False,
) -> None:
    """Index videos. Files that are already indexed are only completed."""
    session: Session = context.obj
    library = Library(session.library_root, session.settings)
    if everything == bool(files):
        raise ConfigError("Give either files or --all.")
    files = files or [Path(video.id) for video in library.videos()]
    if not files:
        raise LibraryError("The library is empty. Give the files to index.")
    refused = in_part = 0
    unheard = False
    for file in files:
        try:
            with progress_watcher(quiet=as_json) as watcher:
                report = library.index(file, watcher)
        except LongtakeError as error:
            if len(files) == 1:
                raise
            note(f"longtake: {error}")
            if as_json:
                say(json.dumps({"video": None, "name": file.name, "error": str(error)}, ensure_ascii=False))
            refused += 1
            continue
        say(json.dumps(report_json(report), ensure_ascii=False)) if as_json else _show(report)
        if not report.complete or any(layer.problem or layer.left_out for layer in report.layers):
            in_part += 1
        unheard = unheard or any(layer.name == "speech" and layer.unavailable for layer in report.layers)
    if unheard and not as_json:
        say(f"What is said isn't transcribed. To change that: {INSTALL}, then longtake index --all")
    if refused == len(files):
        raise typer.Exit(EXIT_FAILED)
    raise typer.Exit(EXIT_PARTIAL if refused or in_part else 0)


def report_json(report: IndexReport) -> dict[str, Any]:
    """The public shape of `index --json`."""
    return {
        "video": report.video.id,
        "name": report.video.name,
        "duration": report.video.duration,
        "layers": [asdict(layer) for layer in report.layers],
        "seconds": round(report.seconds, 3),
        "complete": report.complete,
    }


@contextmanager
def progress_watcher(*, quiet: bool) -> Iterator[Watcher]:
    """A watcher that draws a progress bar per step with the remaining time on a terminal, and is silent elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield Watcher(check_cancelled=raise_if_interrupted, say=note)
        return
    with bars() as drawn:
        tasks: dict[str, Any] = {}

        def advance(progress: Progress) -> None:
            if progress.step not in tasks:
                tasks[progress.step] = drawn.add_task(progress.step, total=1.0, left="")
            left = "" if progress.seconds_left is None else f"{clock(progress.seconds_left)} left"
            drawn.update(tasks[progress.step], completed=progress.share, left=left)

        yield Watcher(check_cancelled=raise_if_interrupted, progress=advance, say=drawn.console.print)


def _show(report: IndexReport) -> None:
    say(f"{report.video.name}  {clock(report.video.duration)}  id {report.video.id}")
    printed: set[str] = set()  # the layers of one pass skip the same parts
    for layer in report.layers:
        if layer.problem:
            say(f"  {layer.name:<13} -  {layer.problem}")
        elif not layer.unavailable:
            how = "kept" if layer.reused else f"{layer.seconds:.1f} s"
            say(f"  {layer.name:<13} {counted(layer.items, 'item'):>12}  {how:>8}  {layer.engine}")
        for sentence in (sentence for sentence in layer.left_out if sentence not in printed):
            say(f"  {'':<13} !  {sentence}")
        printed.update(layer.left_out)
    if lacking := [layer.name for layer in report.layers if layer.unavailable]:
        say(f"  No engine for {', '.join(lacking)}: `longtake doctor` says how to add one.")
