"""`longtake bench`: speed, memory, recall and robustness on this machine, and answers on a folder of clips."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from longtake.benchmarks.cli_hour import hour
from longtake.benchmarks.cli_parts import parts
from longtake.benchmarks.loop.cli import loop
from longtake.cli.options import Json, Media, Rounds, ensure_folder, notify, print_report
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session

bench = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Benchmarks on this machine. Times come with a baseline from the same run, shares with their interval.",
)
PANEL = "On shorter videos"


@bench.command(rich_help_panel=PANEL)
def speed(context: typer.Context, rounds: Rounds = 3, as_json: Json = False) -> None:
    """Time startup, indexing and asking on the demo video; takes a minute or two."""
    from longtake.benchmarks.speed import measure_speed, show_speed

    print_report(measure_speed(context.obj, notify(as_json), rounds), show_speed, as_json)


@bench.command(rich_help_panel=PANEL)
def faults(
    context: typer.Context,
    kinds: Annotated[
        list[str] | None, typer.Argument(metavar="[KIND...]", help="Kinds of faults; by default all.")
    ] = None,
    count: Annotated[int, typer.Option("--n", min=1, help="Number of faults of each kind.")] = 20,
    seed: Annotated[int, typer.Option(help="Random seed of places and moments.")] = 0,
    as_json: Json = False,
) -> None:
    """Kill, damage, fill and garble on the demo video, and check that work goes on; lists the trials that failed.

    Exits with 1 if there are any, and with 3 if a kind can't be tried here.
    """
    from longtake.benchmarks.faults.campaign import measure_faults, show_faults

    report = measure_faults(context.obj, kinds or (), notify(as_json), count, seed)
    print_report(report, show_faults, as_json)
    if any(each.failed for each in report.kinds):
        raise typer.Exit(EXIT_FAILED)
    if any(each.skipped for each in report.kinds):
        raise typer.Exit(EXIT_PARTIAL)


@bench.command(rich_help_panel=PANEL)
def clips(
    context: typer.Context,
    media: Media,
    modality: Annotated[list[str] | None, typer.Option(help="Only questions of this modality; repeatable.")] = None,
    wordings: Annotated[
        Path | None,
        typer.Option(help="JSONL of rewordings (id of a question, variant, question); only these are asked."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Index the clips of a folder, ask its questions and grade the answers; a wrong answer isn't a failure."""
    from longtake.benchmarks.clips.clip_questions import load_questions
    from longtake.benchmarks.clips.clips_report import show_clips
    from longtake.benchmarks.clips.clips_run import run_clips
    from longtake.benchmarks.clips.rewordings import load_wordings
    from longtake.preprocess.pipeline.workspace import Workspace

    session: Session = context.obj
    modalities = modality or ()
    questions = load_wordings(media, wordings, modalities) if wordings else load_questions(media, modalities)
    kept = nullcontext(session.library_root) if session.library else tempfile.TemporaryDirectory(prefix="longtake-")
    with kept as root:
        report = run_clips(Workspace(Path(root), session.settings), media, questions, notify(as_json))
    print_report(report, show_clips, as_json)


@bench.command(rich_help_panel="For the documentation")
def screenshots(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder for the pictures.", file_okay=False)] = Path("docs/images"),
    as_json: Json = False,
) -> None:
    """Take the documentation's pictures of the page, a trace and a report; needs Playwright and Chromium."""
    from longtake.benchmarks.screenshots import show_screenshots, take_screenshots

    print_report(take_screenshots(context.obj, ensure_folder(out), notify(as_json)), show_screenshots, as_json)


bench.add_typer(parts)
bench.add_typer(hour)
bench.add_typer(loop, name="loop")
