"""`longtake eval audit`: find the items of a multiple-choice benchmark that need no video (Video-Oasis)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake import __version__
from longtake.cli.eval.eval_arguments import AskedAtOnce, Out, Remarks, Run
from longtake.cli.options import Json, print_report
from longtake.cli.progress import counting
from longtake.console import Session
from longtake.errors import ConfigError
from longtake.evalharness.runs.run_folder import RunCard, RunFolder

audit = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Find the items of a multiple-choice benchmark that can be solved without the video.",
)


@audit.command()
def run(
    context: typer.Context,
    data: Annotated[Path, typer.Argument(metavar="BENCHMARK", help="Suite file; for your own set, its card.")],
    out: Out,
    model: Annotated[
        list[str], typer.Option(help="Subject, such as model:NAME@URL; repeat it: three give the paper's consensus.")
    ],
    suite: Annotated[str, typer.Option(help="Suite of the benchmark.")] = "own",
    media: Annotated[Path | None, typer.Option(help="Video folder.", exists=True, file_okay=False)] = None,
    test: Annotated[list[str] | None, typer.Option(help="Only these tests; repeatable.")] = None,
    parts: Annotated[bool, typer.Option(help="Also ask about each eighth of the video.")] = True,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Ask again what ended in an error.")] = False,
    at_once: AskedAtOnce = None,
    as_json: Json = False,
) -> None:
    """Ask every model every question blind, with parts of the material, and with the whole video."""
    from longtake.evalharness.audit.audit_scores import TESTS, audit_variants
    from longtake.evalharness.runs.predicting import predict
    from longtake.evalharness.subjects.subject_table import settings_hashes, subject_named
    from longtake.evalharness.suites.suite_table import suite_named

    session: Session = context.obj
    remarks = Remarks()
    if unknown := set(test or ()) - set(TESTS):
        raise ConfigError(f"There is no test {', '.join(sorted(unknown))}. The tests are {', '.join(TESTS)}.")
    loaded = suite_named(suite).load(data, media, "repo", remarks.notify)
    items = [item for item in loaded if item.format == "choice"][:limit]
    if not items:
        raise ConfigError(f"{data} has no multiple-choice question, so there is nothing to audit.")
    names = tuple(dict.fromkeys(model))
    card = RunCard(
        suite=suite,
        source=str(data.resolve()),
        subjects=names,
        variants=audit_variants(tuple(test or TESTS), parts=parts),
        settings=settings_hashes(names, session),
        version=__version__,
    )
    folder = RunFolder(out)
    subjects = [subject_named(name, items, session, at_once) for name in names]
    with folder.locked():
        folder.begin(card)
        folder.mend(remarks.notify)
        folder.keep_items(items)
        with counting("asking", quiet=as_json) as advance:
            done = predict(folder, card, items, subjects, remarks.notify, retry_errors=retry_errors, advance=advance)
    print_report(done, lambda _: [f"{done}; next: longtake eval audit score {out}"], as_json)
    remarks.leave()


@audit.command()
def score(run: Run, as_json: Json = False) -> None:
    """Show which items are shortcuts, beside what guessing gives, and which ones people should look at."""
    from longtake.evalharness.audit.audit_scores import score_audit, show_audit

    remarks = Remarks()
    print_report(score_audit(RunFolder(run), remarks.notify), show_audit, as_json)
    remarks.leave()
