"""`longtake eval audit`: find the items of a multiple-choice benchmark that need no video (Video-Oasis)."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import yaml
from typer.core import TyperGroup

from longtake.cli.eval.eval_arguments import AskedAtOnce, OnlyExpected, Out, Remarks, Run, asked
from longtake.cli.options import Json, notify, print_report
from longtake.console import counted, say
from longtake.errors import ConfigError
from longtake.evalharness.runs.run_folder import RunFolder

if TYPE_CHECKING:
    from longtake.evalharness.audit.audit_state import AuditState

Consensus = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many models of one test must be right on a shortcut; as many as the largest test has, by default.",
        show_default=False,
    ),
]
Split = Annotated[
    str | None, typer.Option(metavar="TAG", help="A benchmark for each text of this tag, for pooled question sets.")
]
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
            help="Subject, such as model:NAME@URL, lexical or bag-of-frames:siglip; repeatable. After text:, frames:, "
            "consistency: or validation: it takes part in that alone; without, in all but validation."
        ),
    ],
    suite: Annotated[str, typer.Option(help="Suite of the benchmark.")] = "own",
    media: Annotated[Path | None, typer.Option(help="Video folder.", exists=True, file_okay=False)] = None,
    test: Annotated[list[str] | None, typer.Option(help="Only these tests; repeatable.")] = None,
    parts: Annotated[bool, typer.Option(help="Also ask the first model about each eighth of the video.")] = True,
    keyframes: Annotated[
        bool,
        typer.Option("--keyframes", help="Also ask with 16 frames chosen for the question, and with 16 spread evenly."),
    ] = False,
    prompts: Annotated[
        str, typer.Option(help="How models are asked: repo or paper (Video-Oasis), longtake or a YAML file.")
    ] = "repo",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    retry_errors: RetryErrors = False,
    at_once: AskedAtOnce = None,
    only_expected: OnlyExpected = False,
    as_json: Json = False,
) -> None:
    """Ask every model every question blind, with parts of the material, and with the whole video."""
    from longtake.evalharness.audit.models import PARTS, TESTS, models_named
    from longtake.evalharness.prompts.prompt_set import prompts_named
    from longtake.evalharness.subjects.subject_table import card_of_subjects, subject_named
    from longtake.evalharness.suites.suite_table import suite_named

    remarks = Remarks()
    if unknown := set(test or ()) - set(TESTS):
        raise ConfigError(f"There is no test {', '.join(sorted(unknown))}. The tests are {', '.join(TESTS)}.")
    loaded = suite_named(suite).load(data, media, "repo", remarks.notify)
    items = [item for item in loaded if item.format == "choice"][:limit]
    if not items:
        raise ConfigError(f"{data} has no multiple-choice question, so there is nothing to audit.")
    folder, models = RunFolder(out), models_named(model)
    held = {variant.name: variant.only for variant in folder.card().variants} if folder.begun else {}
    redundancy = (held.get(PARTS[0]) or models.by_role["consistency"][:1]) if parts else ()
    asking = prompts_named(prompts, "video-oasis", "repo")
    variants = models.variants(tuple(test or TESTS), items, redundancy, chosen=keyframes)
    variants = tuple(variant.model_copy(update={"prompts": asking}) for variant in variants)
    card = card_of_subjects(models.given, context.obj, suite, data).model_copy(update={"variants": variants})
    if only_expected:
        from longtake.cli.eval.audit_plan import audit_plan, show_audit_plan

        subjects = [subject_named(given, items, context.obj, at_once) for given in card.given]
        plan = audit_plan(folder, card, items, subjects, context.obj, remarks.notify, retry_errors=retry_errors)
        print_report(plan, show_audit_plan, as_json)
        remarks.leave()
        return
    done = asked(context.obj, folder, card, items, remarks, at_once, retry_errors=retry_errors, quiet=as_json)
    print_report(done, lambda _: [f"{done}; next: longtake eval audit score {out}"], as_json)
    remarks.leave()


@audit.command()
def score(run: Run, consensus: Consensus = None, as_json: Json = False) -> None:
    """Show which items are shortcuts, beside what guessing gives, and which ones people should look at."""
    from longtake.evalharness.audit.audit_replies import read_audit
    from longtake.evalharness.audit.audit_scores import score_audit, show_audit

    remarks = Remarks()
    print_report(score_audit(read_audit(RunFolder(run), remarks.notify), consensus), show_audit, as_json)
    remarks.leave()


@audit.command()
def vote(
    context: typer.Context,
    run: Run,
    model: Annotated[list[str], typer.Option(help="Subject that votes, such as model:NAME@URL; five as in the paper.")],
    categories: Annotated[
        Path | None,
        typer.Option(
            help="YAML file with a definition by name, instead of the paper's five categories.", dir_okay=False
        ),
    ] = None,
    consensus: Consensus = None,
    retry_errors: RetryErrors = False,
    at_once: AskedAtOnce = None,
    as_json: Json = False,
) -> None:
    """Ask models for the category of each question that remains.

    A category named by more than half of them is accepted; `review` asks about the others.
    """
    from longtake.evalharness.audit.audit_state import audit_state
    from longtake.evalharness.audit.categories import VARIANT, category_items, voted, votes_of
    from longtake.evalharness.audit.taxonomy import read_categories
    from longtake.evalharness.subjects.subject_table import card_of_subjects

    remarks, folder = Remarks(), RunFolder(run)
    state = audit_state(folder, remarks.notify, consensus)
    named = read_categories(categories) if categories else state.votes.categories
    if state.votes.asked and dict(named) != dict(state.votes.categories):
        raise ConfigError(
            f"{votes_of(folder).path} has votes on other categories. Delete it, or leave --categories out."
        )
    items = category_items((state.replies.items[name] for name in state.remaining), named)
    voters = tuple(dict.fromkeys(model))
    card = card_of_subjects(voters, context.obj, "audit-categories", run).model_copy(update={"variants": (VARIANT,)})
    votes_folder = votes_of(folder)
    done = asked(context.obj, votes_folder, card, items, remarks, at_once, retry_errors=retry_errors, quiet=as_json)
    votes = voted(folder, remarks.notify)
    said = f"{len(votes.accepted)} categories accepted, {len(votes.open)} left to `longtake eval audit review`"
    print_report(done, lambda _: [f"{done}; {said}"], as_json)
    remarks.leave()


@audit.command()
def taxonomy(
    context: typer.Context,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, one per benchmark.")],
    model: Annotated[str, typer.Option(help="Subject that derives them, such as model:NAME@URL.")],
    out: Annotated[
        Path, typer.Option(help="YAML file, to be edited and given to `vote --categories`.", dir_okay=False)
    ],
    split: Split = None,
    consensus: Consensus = None,
) -> None:
    """Have a model derive categories from the tasks that the remaining questions name."""
    from longtake.evalharness.audit.taxonomy import derive_categories, sub_tasks
    from longtake.evalharness.reports.document import write_pieces
    from longtake.evalharness.subjects.subject_table import subject_named

    remarks = Remarks()
    tasks = sub_tasks(_states(runs, split, consensus, remarks))
    found = derive_categories(subject_named(model, [], context.obj), tasks)
    write_pieces(out, [yaml.safe_dump(found, sort_keys=False, allow_unicode=True)])
    say(f"{len(found)} categories in {out}; next: longtake eval audit vote RUN --categories {out} --model NAME")
    remarks.leave()


@audit.command()
def review(
    run: Run,
    page: Annotated[Path | None, typer.Option(help="Write the items to this HTML file instead of asking here.")] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="Take the decisions that the page saved.", exists=True, dir_okay=False)
    ] = None,
    consensus: Consensus = None,
) -> None:
    """Go through the items that people should look at, one after another; the decisions stay in the run folder."""
    from longtake.cli.eval.reviewing import audited
    from longtake.cli.eval.reviewing import review as reviewed
    from longtake.evalharness.audit.audit_state import audit_state
    from longtake.evalharness.audit.review import AuditDecision, fault_in, review_file
    from longtake.evalharness.audit.review_page import review_page, waiting
    from longtake.evalharness.reports.document import write_pieces
    from longtake.evalharness.runs.decisions import read_decisions, take_over, write_decision

    remarks, folder = Remarks(), RunFolder(run)
    with folder.locked():
        state, file = audit_state(folder, remarks.notify, consensus), review_file(folder)
        write = partial(write_decision, file)
        if page:
            write_pieces(page, review_page(state, run))
            say(str(page))
        else:
            if decisions:
                done = take_over(decisions, AuditDecision, partial(fault_in, state.queue), remarks.notify, write)
            else:
                done = reviewed([audited(item) for item in waiting(state)], write)
            left = state.queue.keys() - read_decisions(file, AuditDecision, remarks.notify).keys()
            said = f"{counted(done, 'decision')} recorded in {file}, {len(left)} left"
            say(f"{said}; next: longtake eval audit distil {run} --out FOLDER")
    remarks.leave()


@audit.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, one per benchmark.")],
    out: Annotated[Path, typer.Option(help="Folder for audit.html, audit.md and tables/*.csv.")],
    split: Split = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=BENCHMARK,...", help="A group of benchmarks for the table of groups; repeatable."),
    ] = None,
    consensus: Consensus = None,
) -> None:
    """Write the tables and plots of one or several audits."""
    from longtake.evalharness.audit.audit_report import write_report

    remarks = Remarks()
    states = _states(runs, split, consensus, remarks)
    tasks = {name: members.split(",") for name, _, members in (each.partition("=") for each in group or ())}
    for file in write_report(states, out, tasks):
        say(str(file))
    remarks.leave()


@audit.command()
def distil(
    run: Run,
    out: Annotated[Path, typer.Option(help="Folder for the questions, their card and a README.")],
    consensus: Consensus = None,
    as_json: Json = False,
) -> None:
    """Write what remains as a question set of your own, with a list of what went and why."""
    from longtake.evalharness.audit.audit_state import Flow, audit_state
    from longtake.evalharness.audit.distilled_set import CARD, write_distilled

    remarks = Remarks()
    state = audit_state(RunFolder(run), remarks.notify, consensus)
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
def compare(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="Run folder of an audit.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="Another audit of the same benchmark.")],
    consensus: Consensus = None,
    as_json: Json = False,
) -> None:
    """Show how far two audits agree on shortcuts and categories, such as audits with other models or other voters."""
    from longtake.evalharness.audit.agreement import agreement, show_agreement
    from longtake.evalharness.audit.audit_state import audit_state

    remarks = Remarks()
    one, two = (audit_state(RunFolder(run), remarks.notify, consensus) for run in (first, second))
    print_report(agreement(one, two), lambda found: list(show_agreement(found)), as_json)
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


def _states(runs: list[Path], split: str | None, consensus: int | None, remarks: Remarks) -> list[AuditState]:
    from longtake.evalharness.audit.audit_state import audit_state

    states = [audit_state(RunFolder(run), remarks.notify, consensus) for run in runs]
    return [part for state in states for part in state.split(split)] if split else states
