"""`longtake eval scripted`: write videos with known content, and questions about them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.options import Json, notify, print_report
from longtake.console import counted


def scripted(
    out: Annotated[Path, typer.Option(help="Folder for the videos and items.jsonl; existing videos stay.")],
    n: Annotated[int, typer.Option("--n", min=1, help="Number of videos.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="0 to 9 are for development; others count as unseen.")] = 7,
    recordings: Annotated[
        Path | None, typer.Option(help="Folder of recorded speech, each with its words next to it as .txt.")
    ] = None,
    stills: Annotated[
        Path | None, typer.Option(help="Folder of photos of one person each, named after that person.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write videos from a grammar of events, and questions with known answers; needs espeak-ng."""
    from longtake.evalharness.scripted.questions import WORDINGS, read_wordings
    from longtake.evalharness.scripted.suite import WrittenSuite, stills_in, write_suite
    from longtake.evalharness.scripted.voices import recordings_in

    def show(written: WrittenSuite) -> list[str]:
        return [
            f"{counted(written.videos, 'video')} of {written.seconds / 60:.1f} min together, {written.asked} items "
            f"with {written.turns} questions; next: longtake eval run {written.items} --suite scripted "
            f"--media {out} --out RUN --subject agent"
        ]

    written = write_suite(
        out,
        range(n),
        seed,
        {half: read_wordings(half) for half in WORDINGS},
        recordings=recordings_in(recordings) if recordings else (),
        stills=stills_in(stills) if stills else (),
        notify=notify(as_json),
    )
    print_report(written, show, as_json)
