"""`longtake eval audit`: find the items of a multiple-choice benchmark that need no video (Video-Oasis)."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from longtake.cli.eval.eval_arguments import AskedAtOnce, Out, Remarks, Run
from longtake.cli.options import Json, notify, print_report
from longtake.cli.progress import counting
from longtake.console import Session, counted, say
from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.runs.run_folder import RunCard, RunFolder

if TYPE_CHECKING:
    from longtake.evalharness.runs.predicting import Predicted

RetryErrors = Annotated[bool, typer.Option("--retry-errors", help="Ask again what ended in an error.")]


class _RunByDefault(TyperGroup):
    """What is no command is the benchmark of an audit to run."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put `run` in front of a benchmark."""
        first = args[0] if args else "--help"
        return super().parse_args(ctx, args if first in (*self.commands, *ctx.help_option_names) else ["run", *args])


audit = typer.Typer(
    cls=_RunByDefault,
    no_args_is_help=True,
    add_completion=False,
    help="Find the items of a multiple-choice benchmark that can be solved without the video, and leave them out. "
    "`longtake eval audit BENCHMARK` is short for `longtake eval audit run BENCHMARK`.",
)


@audit.command()
def run(
    context: typer.Context,
    data: Annotated[Path, typer.Argument(metavar="BENCHMARK", help="Suite file; for your own set, its card.")],
    out: Out,
    model: Annotated[
        list[str],
        typer.Option(
            help="Subject, such as model:NAME@URL, lexical or bag-of-frames:siglip; repeat it: three models and three "
            "encoders give the paper's consensus."
        ),
    ],
    suite: Annotated[str, typer.Option(help="Suite of the benchmark.")] = "own",
    media: Annotated[Path | None, typer.Option(help="Video folder.", exists=True, file_okay=False)] = None,
    test: Annotated[list[str] | None, typer.Option(help="Only these tests; repeatable.")] = None,
    parts: Annotated[bool, typer.Option(help="Also ask the first model about each eighth of the video.")] = True,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    retry_errors: RetryErrors = False,
    at_once: AskedAtOnce = None,
    as_json: Json = False,
) -> None:
    """Ask every model every question blind, with parts of the material, and with the whole video."""
    from longtake.evalharness.audit.audit_replies import TESTS, audit_variants
    from longtake.evalharness.suites.suite_table import suite_named

    remarks = Remarks()
    if unknown := set(test or ()) - set(TESTS):
        raise ConfigError(f"There is no test {', '.join(sorted(unknown))}. The tests are {', '.join(TESTS)}.")
    loaded = suite_named(suite).load(data, media, "repo", remarks.notify)
    items = [item for item in loaded if item.format == "choice"][:limit]
    if not items:
        raise ConfigError(f"{data} has no multiple-choice question, so there is nothing to audit.")
    folder = RunFolder(out)
    subjects = (*(folder.card().subjects if folder.begun else ()), *model)
    card = _card(context.obj, suite, data, model).model_copy(
        update={"variants": audit_variants(tuple(test or TESTS), subjects, items, parts=parts)}
    )
    done = _predicted(context.obj, folder, card, items, remarks, at_once, retry_errors=retry_errors, quiet=as_json)
    print_report(done, lambda _: [f"{done}; next: longtake eval audit score {out}"], as_json)
    remarks.leave()


@audit.command()
def score(run: Run, as_json: Json = False) -> None:
    """Show which items are shortcuts, beside what guessing gives, and which ones people should look at."""
    from longtake.evalharness.audit.audit_replies import read_audit
    from longtake.evalharness.audit.audit_scores import score_audit, show_audit

    remarks = Remarks()
    print_report(score_audit(read_audit(RunFolder(run), remarks.notify)), show_audit, as_json)
    remarks.leave()


@audit.command()
def vote(
    context: typer.Context,
    run: Run,
    model: Annotated[list[str], typer.Option(help="Subject that votes, such as model:NAME@URL; five as in the paper.")],
    retry_errors: RetryErrors = False,
    at_once: AskedAtOnce = None,
    as_json: Json = False,
) -> None:
    """Ask models for the category of each question.

    A category named by more than half of them is accepted; `review` asks about the others.
    """
    from longtake.evalharness.audit.audit_replies import read_audit
    from longtake.evalharness.audit.categories import VARIANT, category_items, voted, votes_of

    remarks, folder = Remarks(), RunFolder(run)
    items = category_items(read_audit(folder, remarks.notify).items.values())
    card = _card(context.obj, "audit-categories", run, model).model_copy(update={"variants": (VARIANT,)})
    done = _predicted(
        context.obj, votes_of(folder), card, items, remarks, at_once, retry_errors=retry_errors, quiet=as_json
    )
    named = voted(folder, remarks.notify) or {}
    left = len(items) - len(named)
    print_report(
        done,
        lambda _: [f"{done}; {len(named)} categories accepted, {left} left to `longtake eval audit review`"],
        as_json,
    )
    remarks.leave()


@audit.command()
def review(
    run: Run,
    page: Annotated[Path | None, typer.Option(help="Write the items to this HTML file instead of asking here.")] = None,
    verdicts: Annotated[
        Path | None, typer.Option(help="Take the verdicts that the page saved.", exists=True, dir_okay=False)
    ] = None,
) -> None:
    """Go through the items that people should look at, one after another; the verdicts stay in the run folder."""
    from longtake.cli.eval.audit_review import review as reviewed
    from longtake.cli.eval.audit_review import take_over
    from longtake.evalharness.audit.audit_state import audit_state
    from longtake.evalharness.audit.review import record, review_file
    from longtake.evalharness.audit.review_page import review_page
    from longtake.evalharness.reports.document import write_pieces

    remarks, folder = Remarks(), RunFolder(run)
    with folder.locked():
        state, write = audit_state(folder, remarks.notify), partial(record, folder)
        if page:
            write_pieces(page, review_page(state, run))
            say(str(page))
        else:
            done = take_over(state, verdicts, remarks.notify, write) if verdicts else reviewed(state, write)
            said = f"{counted(done.decided, 'verdict')} recorded in {review_file(folder)}, {done.left} left"
            say(f"{said}; next: longtake eval audit distil {run} --out FOLDER")
    remarks.leave()


@audit.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, one per benchmark.")],
    out: Annotated[Path, typer.Option(help="Folder for audit.html, audit.md and tables/*.csv.")],
) -> None:
    """Write the tables and plots of one or several audits."""
    from longtake.evalharness.audit.audit_report import write_report
    from longtake.evalharness.audit.audit_state import audit_state

    remarks = Remarks()
    for file in write_report([audit_state(RunFolder(run), remarks.notify) for run in runs], out):
        say(str(file))
    remarks.leave()


@audit.command()
def distil(
    run: Run,
    out: Annotated[Path, typer.Option(help="Folder for the questions, their card and a README.")],
    as_json: Json = False,
) -> None:
    """Write what remains as a question set of your own, with a list of what went and why."""
    from longtake.evalharness.audit.audit_state import audit_state
    from longtake.evalharness.audit.distil import Flow
    from longtake.evalharness.audit.distilled_set import CARD, write_distilled

    remarks = Remarks()
    state = audit_state(RunFolder(run), remarks.notify)
    write_distilled(state, out)

    def show(flow: Flow) -> list[str]:
        return [
            f"{flow.remaining} of {flow.items} items remain: {flow.shortcuts} shortcuts - {flow.restored} restored + "
            f"{sum(flow.acted_on.values())} acted on = {flow.removed} removed; {flow.waiting} not reviewed",
            f"next: longtake eval run {out / CARD} --suite own --subject agent --out RUN",
        ]

    print_report(state.distilled.flow, show, as_json)
    remarks.leave()


@audit.command()
def planted(
    out: Annotated[Path, typer.Option(help="Folder for videos, subtitles, questions and card; existing videos stay.")],
    n: Annotated[int, typer.Option("--n", min=1, help="Number of videos; each has five questions.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same set.")] = 7,
    as_json: Json = False,
) -> None:
    """Write a benchmark whose shortcuts are known, to see what an audit finds of them."""
    from longtake.evalharness.audit.planted_set import write_planted

    made = write_planted(out, n, seed, notify(as_json))
    following = f"next: longtake eval audit {made.card} --out RUN --model lexical"
    print_report(
        made, lambda _: [f"{counted(made.items, 'item')} about {counted(made.videos, 'video')}; {following}"], as_json
    )


def _card(session: Session, suite: str, source: Path, names: list[str]) -> RunCard:
    from longtake.evalharness.subjects.subject_table import card_of_subjects

    return card_of_subjects(names, session, suite, source)


def _predicted(
    session: Session,
    folder: RunFolder,
    card: RunCard,
    items: list[Item],
    remarks: Remarks,
    at_once: int | None,
    *,
    retry_errors: bool,
    quiet: bool,
) -> Predicted:
    """Ask what the folder doesn't hold yet."""
    from longtake.evalharness.runs.predicting import predict
    from longtake.evalharness.subjects.subject_table import subject_named

    subjects = [subject_named(given, items, session, at_once) for given in card.given]
    with folder.locked():
        folder.begin(card)
        folder.mend(remarks.notify)
        folder.keep_items(items)
        with counting("asking", quiet=quiet) as advance:
            return predict(folder, card, items, subjects, remarks.notify, retry_errors=retry_errors, advance=advance)
