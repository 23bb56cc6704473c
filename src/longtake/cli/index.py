"""`longtake index`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake.api import Library
from longtake.cli.options import Executor
from longtake.cli.progress import Display, display, watcher_on
from longtake.cluster.pool import executor_address
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session, counted, raise_if_interrupted, say
from longtake.errors import ConfigError, LibraryError, LongtakeError
from longtake.evalharness.runs.bounded_map import at_once
from longtake.memory.timespan import clock
from longtake.preprocess.engines.packaged_files import INSTALL
from longtake.preprocess.media.contents import FilePart
from longtake.preprocess.media.links import fetch, is_link
from longtake.preprocess.media.media_files import files_in, is_media
from longtake.preprocess.media.sources import contents_of, media_of
from longtake.preprocess.media.subtitle_formats import SUFFIXES, is_transcript
from longtake.preprocess.pipeline.progress import IndexReport, LayerReport
from longtake.preprocess.pipeline.step_run import StepRunner
from longtake.remote import RemoteFile, media_path
from longtake.settings import Settings


def index(
    context: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders, patterns such as '*.mp4', names or links.", metavar="FILE..."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Index every video of the library with the engines that it has now.")
    ] = False,
    subtitles: Annotated[
        list[str] | None,
        typer.Option(help="A subtitle file or transcript of the one FILE, whatever its name.", metavar="FILE"),
    ] = None,
    executor: Executor = "local",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per file, one per line.")] = False,
) -> None:
    """Index videos and transcripts. Files that are indexed already are completed. A link needs the extra `links`."""
    session: Session = context.obj
    library = Library(session.library_root, session.settings)
    if everything == bool(files):
        raise ConfigError("Give either files or --all.")
    named = named_by(files) if files else [video.id for video in library.videos()]
    if not named:
        raise LibraryError("The library is empty. Give the files to index.")
    if subtitles and len(named) > 1:
        raise ConfigError("--subtitles names the subtitles of one video. Index each with its own.")
    refused = in_part = 0
    unheard = False
    beside: dict[tuple[Path, str], None] = {}  # what is said of folders, which is no matter of one video
    with _executor(executor, session.settings) as (runner, most), display(quiet=as_json) as shown:

        def indexed(number: int) -> tuple[str, IndexReport | LongtakeError]:
            name = named[number]
            before = f"{number + 1} of {len(named)}: " if len(named) > 1 else ""
            try:
                file = _fetched(name, library, shown)
                return name, library.index(file, watcher_on(shown, before), runner, subtitles=subtitles or ())
            except LongtakeError as error:
                return name, error

        for name, report in at_once(indexed, range(len(named)), most):
            if isinstance(report, LongtakeError):
                if len(named) == 1:
                    raise report
                shown.say(f"longtake: {report}")
                if as_json:
                    say(json.dumps({"video": None, "name": Path(name).name, "error": str(report)}, ensure_ascii=False))
                refused += 1
                continue
            kept = library.workspace.library
            found = contents_of(kept, report.video, media_of(kept, report.video))
            say(json.dumps(report_json(report, found), ensure_ascii=False)) if as_json else _show(report, found)
            beside.update(dict.fromkeys((Path(report.video.path).parent, sentence) for sentence in report.beside))
            if not report.complete or any(
                layer.problem or _has_unreported_gaps(layer, report) for layer in report.layers
            ):
                in_part += 1
            unheard = unheard or any(layer.name == "speech" and layer.unavailable for layer in report.layers)
    for folder, sentence in () if as_json else beside:
        say(f"In {folder}: {sentence}")
    if unheard and not as_json:
        say(f"What is said isn't transcribed. To change that: {INSTALL}, then longtake index --all")
    if refused == len(named):
        raise typer.Exit(EXIT_FAILED)
    raise typer.Exit(EXIT_PARTIAL if refused or in_part else 0)


def named_by(files: Sequence[str]) -> list[str]:
    """The files that paths, folders and patterns stand for, each once; names and links stay as they are.

    Raises:
        ConfigError: if a folder holds no media file, or a pattern fits none.
    """
    found: list[str] = []
    for file in files:
        path = media_path(file)
        if path.is_dir():
            files_inside = list(files_in(path))
            inside = [str(each) for each in files_inside if is_media(each)] or [
                str(each) for each in files_inside if each.suffix.lower() in SUFFIXES
            ]
        elif not path.exists() and not is_link(file) and has_magic(file):
            inside = [str(each) for each in _matching(path)]
        else:
            inside = [file]
        if not inside:
            raise ConfigError(f"{file} holds no video, audio file or transcript.")
        found += inside
    # Transcripts first: a subtitle file that is indexed by itself isn't told as one that no video takes.
    return sorted(dict.fromkeys(found), key=lambda each: not is_transcript(Path(each)))


def _matching(pattern: Path) -> list[Path]:
    if isinstance(pattern, RemoteFile):
        return pattern.matching()
    return [Path(each) for each in sorted(glob(str(pattern), recursive=True)) if Path(each).is_file()]


@contextmanager
def _executor(name: str, settings: Settings) -> Iterator[tuple[StepRunner | None, int]]:
    """What runs the steps, None for this process, and how many files are worked on at once."""
    address = executor_address(name)
    if address is None:
        yield None, 1
        return
    from longtake.preprocess.cluster.ray_steps import RaySteps

    with RaySteps(address, settings) as steps:
        # One more than there are workers: while its search index is written, a file needs none.
        yield steps, steps.size + 1


def _fetched(name: str, library: Library, shown: Display) -> str:
    """The path of a link's file, which is fetched into the library; anything else as it is."""
    if not is_link(name):
        return name
    return str(
        fetch(
            name,
            library.workspace.library.root / "downloads",
            offline=library.workspace.settings.offline,
            progress=lambda share: shown.show("fetching", share),
            check=raise_if_interrupted,
        )
    )


def report_json(report: IndexReport, found: Sequence[FilePart]) -> dict[str, Any]:
    """The public shape of `index --json`."""
    return {
        "video": report.video.id,
        "name": report.video.name,
        "duration": report.video.duration,
        "contents": [part.model_dump() for part in found],
        "layers": [asdict(layer) for layer in report.layers],
        "seconds": round(report.seconds, 3),
        "complete": report.complete,
        "notes": [*report.beside, *report.notes],
    }


def _has_unreported_gaps(layer: LayerReport, report: IndexReport) -> bool:
    """Whether parts of the file couldn't be read, and the user hasn't been told.

    An existing layer may not have been reported: its process may have been killed before.
    """
    return bool(layer.left_out) and not (layer.reused and layer.name in report.told)


def _show(report: IndexReport, found: Sequence[FilePart]) -> None:
    say(f"{report.video.name}  {clock(report.video.duration)}  id {report.video.id}")
    for part in (part for part in found if part.noted):
        say(f"  {part.text}")
    printed: set[str] = set()  # the layers of one pass skip the same parts
    for layer in report.layers:
        if layer.problem:
            say(f"  {layer.name:<13} -  {layer.problem}")
        elif not layer.unavailable:
            how = "kept" if layer.reused else f"{layer.seconds:.1f} s"
            say(f"  {layer.name:<13} {counted(layer.items, 'item'):>12}  {how:>8}")
        if _has_unreported_gaps(layer, report):
            for sentence in (sentence for sentence in layer.left_out if sentence not in printed):
                say(f"  {'':<13} !  {sentence}")
            printed.update(layer.left_out)
    for sentence in report.notes:
        say(f"  {'':<13} !  {sentence}")
    if report.complete and all(layer.reused or layer.unavailable for layer in report.layers):
        say("  Up to date: all layers were kept.")
    if lacking := [layer.name for layer in report.layers if layer.unavailable]:
        say(f"  No engine for {', '.join(lacking)}: `longtake doctor` says how to add one.")
