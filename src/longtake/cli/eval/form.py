"""`longtake eval form`: a page on which a person answers questions of a set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import Remarks
from longtake.console import counted, say
from longtake.errors import ConfigError


def form(
    data: Annotated[Path, typer.Argument(metavar="SET", help="Suite file; for your own set, its card.")],
    out: Annotated[Path, typer.Option(help="HTML file, named after the person.", dir_okay=False)],
    suite: Annotated[str, typer.Option(help="Suite of the set.")] = "own",
    media: Annotated[Path | None, typer.Option(help="Video folder.", exists=True, file_okay=False)] = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="Questions, drawn at random; all by default.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the draw; people with the same one get the same.")] = 0,
) -> None:
    """Write a page on which a person answers questions; it saves a file for `eval run --subject NAME=replies:FILE`."""
    from longtake.evalharness.reports.document import write_pieces
    from longtake.evalharness.reports.form import drawn, form_page
    from longtake.evalharness.suites.suite_table import suite_named

    remarks = Remarks()
    loaded = suite_named(suite).load(data, media, "repo", remarks.notify)
    items = drawn([item for item in loaded if item.media], n, seed)
    if not items:
        raise ConfigError("No question of the set has its video, so nobody can answer it; give --media.")
    write_pieces(out, form_page(items, out))
    where = f" --media {media}" if media else ""
    command = f"longtake eval run {data} --suite {suite}{where} --out RUN --subject {out.stem}=replies:{out.stem}.jsonl"
    say(f"{counted(len(items), 'question')} in {out}; open it in a browser; when it is filled in: {command}")
    remarks.leave()
