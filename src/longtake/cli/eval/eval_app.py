"""`longtake eval`: run subjects on a suite, judge their answers and score them. Every stage resumes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtake.cli.eval.audit import audit
from longtake.cli.eval.build import build, check, expand
from longtake.cli.eval.eval_arguments import (
    AskedAtOnce,
    OfJudge,
    OnlyExpected,
    Out,
    Reading,
    Remarks,
    Run,
    note_reading,
)
from longtake.cli.eval.form import form
from longtake.cli.eval.judge_command import judges
from longtake.cli.eval.reports import reports
from longtake.cli.eval.scripted import scripted
from longtake.cli.eval.stress import claims, refine, stress
from longtake.cli.eval.watch import watch
from longtake.cli.options import Executor, Json, print_report
from longtake.cli.progress import counting
from longtake.console import EXIT_PARTIAL, Session, say, say_json
from longtake.errors import ConfigError
from longtake.evalharness.items import History, Item, Protocol
from longtake.evalharness.runs.merging import of_shard
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.subjects.names import MODELS, NAMES

if TYPE_CHECKING:
    from longtake.evalharness.subjects.subject import Subject
    from longtake.evalharness.suites.imports import Kind

SUBJECTS = (
    f"{', '.join(NAMES)}, a subject of a plugin, or a model at an OpenAI-compatible endpoint: {', '.join(MODELS)}, "
    "with ?frames=64&transcript=1 or ?fps=5, and key=VARIABLE if it needs a key; as NAME=SPEC to give it a name; "
    "repeatable."
)
evaluate = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Run subjects on a suite, judge their answers and score them. Each stage resumes where it stopped.",
)


@evaluate.command()
def run(
    context: typer.Context,
    data: Annotated[Path, typer.Argument(help="Suite file; for your own set, its card.")],
    suite: Annotated[
        str, typer.Option(help="longshot, agentic, moment-video, video-tt, scripted, stress, own or a plugin's.")
    ],
    out: Out,
    subject: Annotated[list[str], typer.Option(help=SUBJECTS)],
    media: Annotated[Path | None, typer.Option(help="Video folder.", exists=True, file_okay=False)] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Follow the paper where its released code differs.")] = False,
    prompts: Annotated[
        str | None,
        typer.Option(
            help="How models are asked: longtake, paper, repo or a YAML file; by default as the suite's repository, or "
            "with --paper its paper, has it, if that is known here.",
            show_default=False,
        ),
    ] = None,
    history: Annotated[
        History, typer.Option(help="Earlier answers in a conversation: gold or the subject's own.")
    ] = "gold",
    fps: Annotated[
        list[float] | None,
        typer.Option(help="Frames per second for moment-video: 1, 5, 8 or 16; repeat it to compare."),
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option(min=0, help="Random seed, 0 by default; repeat it to run everything once per seed."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="N/M", help="Ask only about the N-th of M parts of the videos; see `eval merge`."),
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again the items that ended in an error.")
    ] = False,
    at_once: AskedAtOnce = None,
    executor: Executor = "local",
    only_expected: OnlyExpected = False,
    as_json: Json = False,
) -> None:
    """Ask every subject every item; what a run already holds isn't asked again."""
    from longtake.cluster.pool import executor_address
    from longtake.evalharness.judges.judging import all_cases
    from longtake.evalharness.prompts.prompt_set import prompts_named
    from longtake.evalharness.runs.predicting import predict
    from longtake.evalharness.subjects.subject_table import card_of_subjects, subject_named
    from longtake.evalharness.suites.suite_table import cases_of_run, rates_of, suite_named

    session: Session = context.obj
    address = executor_address(executor)
    if address is not None and at_once:
        raise ConfigError("--at-once is for this process: a cluster asks as many items at once as it has workers.")
    remarks = Remarks()
    chosen = suite_named(suite)
    rates = rates_of(chosen, fps or ())
    protocol: Protocol = "paper" if paper else "repo"
    asking = prompts_named(prompts, suite, protocol)
    loaded = chosen.load(data, media, protocol, remarks.notify)
    items, at_loading = loaded[:limit], remarks.sentences
    # Items beyond the limit still decide option order and majority letter, so that the limit can be lifted later.
    variants = chosen.variants(data, loaded, protocol, rates)
    asked_with = {"history": history, "prompts": asking}
    card = card_of_subjects(subject, session, suite, data).model_copy(
        update={
            "variants": tuple(variant.model_copy(update=asked_with) for variant in variants),
            "seeds": tuple(dict.fromkeys(seed or (0,))),
            "protocol": protocol,
        }
    )
    folder = RunFolder(out)
    # Before the names are saved: one that contains a key is refused.
    subjects = [subject_named(one, loaded, session, at_once) for one in card.given]
    own = of_shard(shard, items, loaded) if shard else items
    if only_expected:
        from longtake.cli.eval.run_plan import dry_run, show_dry_run

        expected = dry_run(folder, card, own, subjects, session, remarks.notify, retry_errors=retry_errors)
        print_report(expected, show_dry_run, as_json)
        remarks.leave()
        return
    with folder.locked():
        folder.begin(card, items)
        folder.keep_loading(at_loading)
        folder.mend(remarks.notify)
        folder.keep_items(items)
        places = _asked_where(address, card, subjects, loaded, session)
        with places as asked, counting("asking", quiet=as_json) as advance:
            done = predict(folder, card, own, asked, remarks.notify, retry_errors=retry_errors, advance=advance)
    by_id = {item.id: item for item in items}
    stage = "judge" if any(True for _ in all_cases(folder, by_id, cases_of_run(card))) else "score"
    print_report(done, lambda _: [f"{done}; next: longtake eval {stage} {out}"], as_json)
    remarks.leave()


@contextmanager
def _asked_where(
    address: str | None, card: RunCard, subjects: Sequence[Subject], items: Sequence[Item], session: Session
) -> Iterator[Sequence[Subject]]:
    """The subjects as they reply here or, given an address, on a cluster."""
    if address is None:
        yield subjects
        return
    from longtake.cluster.pool import Pool
    from longtake.evalharness.runs.cluster import OnCluster, Replier
    from longtake.evalharness.subjects.subject_table import uses_gpu

    gpu = [uses_gpu(subject, card.spec_of(subject.name), session) for subject in subjects]
    with Pool(address, Replier, list(card.given), items, session, gpu=any(gpu)) as pool:
        yield [OnCluster(subject, pool, gpu=own) for subject, own in zip(subjects, gpu, strict=True)]


@evaluate.command()
def merge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders of the same items and settings.")],
    out: Annotated[Path, typer.Option(help="Folder for the joined run.")],
    as_json: Json = False,
) -> None:
    """Join runs that asked parts of the same items, or different subjects; nothing is written to them."""
    from longtake.evalharness.runs.merging import merge as merged

    remarks = Remarks()
    done = merged([RunFolder(run) for run in runs], RunFolder(out), remarks.notify)
    print_report(done, lambda _: [f"{done}; next: longtake eval score {out}"], as_json)
    remarks.leave()


@evaluate.command()
def score(
    run: Run,
    variant: Reading = None,
    judge: OfJudge = None,
    as_json: Json = False,
) -> None:
    """Score every subject of a run; no model is asked."""
    from longtake.evalharness.scoring.score_table import score_run, show_scores

    remarks, folder = Remarks(), RunFolder(run)
    scores = score_run(folder, variant, remarks.notify, judge)
    note_reading(folder.card(), variant)
    if as_json:
        say_json({name: one.fields for name, one in scores.items()})
    else:
        for line in show_scores(scores):
            say(line)
    remarks.leave()


@evaluate.command()
def doctor(run: Run, as_json: Json = False) -> None:
    """Report how complete a run is, what is damaged and how to fix it; nothing is changed."""
    from longtake.evalharness.scoring.progress import completeness, show_completeness

    found = completeness(RunFolder(run))
    print_report(found, show_completeness, as_json)
    if not found.complete:
        raise typer.Exit(EXIT_PARTIAL)


@evaluate.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="JSONL output of another evaluator.")],
    suite: Annotated[str, typer.Option(help="longshot, or lmms-eval for its samples.")],
    out: Out,
    as_json: Json = False,
) -> None:
    """Import another evaluator's output as a run, to score and compare it."""
    from longtake.evalharness.suites.imports import import_run

    kinds: dict[str, Kind] = {"longshot": "longshot", "lmms-eval": "lmms-eval"}
    if suite not in kinds:
        raise ConfigError(f"Can't import {suite!r}; choose one of: {', '.join(kinds)}.")
    remarks = Remarks()
    card = import_run(kinds[suite], file, out, remarks.notify)
    RunFolder(out).keep_loading(remarks.sentences)
    print_report(
        card, lambda _: [f"{', '.join(card.subjects)} of {card.suite}; next: longtake eval score {out}"], as_json
    )
    remarks.leave()


evaluate.add_typer(judges)
evaluate.add_typer(audit, name="audit")
evaluate.add_typer(build, name="build")
evaluate.add_typer(reports)
evaluate.command()(scripted)
evaluate.command()(stress)
evaluate.command()(claims)
evaluate.command()(refine)
evaluate.command()(check)
evaluate.command()(watch)
evaluate.command()(form)
evaluate.command()(expand)
