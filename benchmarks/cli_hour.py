"""`longtake bench pass`, `memory` and `ask`: benchmarks on an hour made of clips."""

from __future__ import annotations

from typing import Annotated, Literal

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
    by: Annotated[
        Literal["tool", "observer"], typer.Option(help="Against other tools, or the work of each observer.")
    ] = "tool",
    work: Work = WORK,
    as_json: Json = False,
) -> None:
    """Time the visual pass against bare decoding, PySceneDetect and ffmpeg; needs the extra `bench`."""
    from longtake.benchmarks.hour.visual_speed import measure_observers, measure_pass, show_observers, show_pass

    session: Session = context.obj
    asked = (session.settings, media, ensure_folder(work), notify(as_json))
    if by == "observer":
        print_report(measure_observers(*asked, seconds), show_observers, as_json)
    else:
        print_report(measure_pass(*asked, seconds=seconds, rounds=rounds), show_pass, as_json)


@hour.command(rich_help_panel=PANEL)
def memory(
    context: typer.Context, media: Media, seconds: Seconds = 3600, work: Work = WORK, as_json: Json = False
) -> None:
    """Measure the memory that indexing takes, on five minutes and on the hour; Linux only."""
    from longtake.benchmarks.hour.memory_use import measure_memory, show_memory

    print_report(
        measure_memory(context.obj, media, ensure_folder(work), notify(as_json), seconds), show_memory, as_json
    )


@hour.command(rich_help_panel=PANEL)
def ask(
    context: typer.Context, media: Media, seconds: Seconds = 3600, work: Work = WORK, as_json: Json = False
) -> None:
    """Time answers about the indexed hour, in a warm process and from a shell."""
    from longtake.benchmarks.hour.answer_speed import measure_ask, show_ask

    print_report(measure_ask(context.obj, media, ensure_folder(work), notify(as_json), seconds), show_ask, as_json)
