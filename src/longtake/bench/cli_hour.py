"""`longtake bench pass`, `memory`, `ask`, `resume` and `recall`: benchmarks on an hour made of clips."""

from __future__ import annotations

from typing import Annotated

import typer

from longtake.cli.options import WORK, Json, Media, Rounds, Seconds, Work, ensure_folder, notify, print_report
from longtake.console import Session

PANEL = "On an hour of video, made of a folder of clips"
hour = typer.Typer()


@hour.command("pass", rich_help_panel=PANEL)
def visual_pass(
    context: typer.Context,
    media: Media,
    seconds: Seconds = 3600,
    rounds: Rounds = 1,
    work: Work = WORK,
    as_json: Json = False,
) -> None:
    """Time the visual pass against bare decoding, PySceneDetect and ffmpeg; needs the extra `bench`."""
    from longtake.bench.hour.visual_speed import measure_pass, show_pass

    session: Session = context.obj
    report = measure_pass(session.settings, media, ensure_folder(work), notify(as_json), seconds=seconds, rounds=rounds)
    print_report(report, show_pass, as_json)


@hour.command(rich_help_panel=PANEL)
def memory(
    context: typer.Context, media: Media, seconds: Seconds = 3600, work: Work = WORK, as_json: Json = False
) -> None:
    """Measure the memory that indexing takes, on five minutes and on the hour; Linux only."""
    from longtake.bench.hour.memory_use import measure_memory, show_memory

    print_report(
        measure_memory(context.obj, media, ensure_folder(work), notify(as_json), seconds), show_memory, as_json
    )


@hour.command(rich_help_panel=PANEL)
def ask(
    context: typer.Context, media: Media, seconds: Seconds = 3600, work: Work = WORK, as_json: Json = False
) -> None:
    """Time answers about the indexed hour, in a warm process and from a shell."""
    from longtake.bench.hour.answer_speed import measure_ask, show_ask

    print_report(measure_ask(context.obj, media, ensure_folder(work), notify(as_json), seconds), show_ask, as_json)


@hour.command(rich_help_panel=PANEL)
def recall(
    context: typer.Context, media: Media, seconds: Seconds = 3600, work: Work = WORK, as_json: Json = False
) -> None:
    """Ask about text and speech in the hour: how often the evidence is found, and the answer holds the gold."""
    from longtake.bench.hour.recall import measure_recall, show_recall

    session: Session = context.obj
    print_report(
        measure_recall(session.settings, media, ensure_folder(work), notify(as_json), seconds), show_recall, as_json
    )


@hour.command(rich_help_panel="On shorter videos")
def resume(
    context: typer.Context,
    media: Media,
    seconds: Seconds = 240,
    kills: Annotated[int, typer.Option(min=1, help="Number of kills.")] = 20,
    seed: Annotated[int, typer.Option(help="Random seed of the moments.")] = 0,
    work: Work = WORK,
    as_json: Json = False,
) -> None:
    """Kill indexing at random moments and check that it resumes and builds the same layers."""
    from longtake.bench.hour.resume import measure_resume, show_resume

    report = measure_resume(
        context.obj, media, ensure_folder(work), notify(as_json), seconds=seconds, kills=kills, seed=seed
    )
    print_report(report, show_resume, as_json)
