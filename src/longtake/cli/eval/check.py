"""`longtake eval check`: which questions of a set people should look at before it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import AskedAtOnce, Out, Remarks
from longtake.cli.options import Json, print_report
from longtake.cli.progress import counting
from longtake.console import Session, note
from longtake.evalharness.runs.run_folder import RunFolder


def check(
    context: typer.Context,
    data: Annotated[Path, typer.Argument(metavar="SET", help="Suite file; for your own set, its card.")],
    out: Out,
    model: Annotated[list[str], typer.Option(help="model:NAME@URL, or NAME=model:NAME@URL; three as in Video-TT.")],
    suite: Annotated[str, typer.Option(help="Suite of the set.")] = "own",
    media: Annotated[Path | None, typer.Option(help="Video folder.", exists=True, file_okay=False)] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    at_once: AskedAtOnce = None,
    as_json: Json = False,
) -> None:
    """Ask models three times without the video, with 80 frames and with more; list what all or none of them solve."""
    from longtake.evalharness.judges.judging import undecided
    from longtake.evalharness.prompts.prompt_set import prompts_named
    from longtake.evalharness.reports.construction import (
        ATTEMPTS,
        TEMPERATURE,
        VARIANTS,
        check_models,
        construction,
        show_construction,
    )
    from longtake.evalharness.reports.run_scores import read_scores
    from longtake.evalharness.runs.predicting import predict
    from longtake.evalharness.subjects.subject_table import card_of_subjects, subject_named
    from longtake.evalharness.suites.suite_table import cases_of_run, suite_named

    session: Session = context.obj
    remarks, folder = Remarks(), RunFolder(out)
    check_models(model)
    loaded = suite_named(suite).load(data, media, "repo", remarks.notify)[:limit]
    items = [item.model_copy(update={"temperature": TEMPERATURE}) for item in loaded]
    asking = prompts_named(None, suite, "repo")
    variants = tuple(variant.model_copy(update={"prompts": asking}) for variant in VARIANTS)
    asked = {"variants": variants, "seeds": tuple(range(ATTEMPTS))}
    card = card_of_subjects(model, session, suite, data).model_copy(update=asked)
    subjects = [subject_named(given, items, session, at_once) for given in card.given]
    with folder.locked():
        folder.begin(card, items)
        folder.mend(remarks.notify)
        folder.keep_items(items)
        with counting("asking", quiet=as_json) as advance:
            predict(folder, card, items, subjects, remarks.notify, advance=advance)
    by_id = {item.id: item for item in items}
    if undecided(folder, by_id, remarks.notify, cases_of_run(card)):
        note(f"longtake: Open answers need a judge: longtake eval judge {out}; then give this command again.")
    print_report(construction(read_scores(folder, None, remarks.notify)), show_construction, as_json)
    remarks.leave()
