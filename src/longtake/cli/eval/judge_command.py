"""`longtake eval judge` and `judge-check`: judge the answers, and measure how far a judge can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Annotated

import typer

from longtake.cli.eval.eval_arguments import AtOnce, OnlyExpected, Remarks, Run
from longtake.cli.options import Json, print_report
from longtake.cli.progress import counting
from longtake.console import Session, counted
from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.judges.judge_check import (
    ErrorTypes,
    JudgeCheck,
    JudgePair,
    Label,
    MeanAgreement,
    SelfAgreement,
    check_judges,
    error_types,
    judge_again,
    judge_pairs,
    labelled_cases,
    mean_agreements,
)
from longtake.evalharness.judges.judge_table import API_KEY, RULES, JudgeOptions, judge_named, resolved
from longtake.evalharness.judges.judging import CasesOf, Judge, JudgeSaysCost, all_cases, current, judge_run, to_judge
from longtake.evalharness.prompts.prompt_set import PromptSet, prompts_named
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.runs.journal import read_records
from longtake.evalharness.runs.run_folder import Notify, RunCard, RunFolder
from longtake.evalharness.scoring.spending import money, total
from longtake.evalharness.suites.suite_table import cases_of_run
from longtake.memory.records import Record, Usage
from longtake.memory.timespan import clock

judges = typer.Typer()
By = Annotated[
    str | None,
    typer.Option(
        help="rules, endpoint (a model at an OpenAI-compatible endpoint), or a judge of a plugin. By default the model "
        "of --url and --model, else that of the settings; rules only where no reply is in words of its own."
    ),
]
Url = Annotated[str | None, typer.Option(help="Endpoint, such as http://127.0.0.1:8000/v1.")]
Model = Annotated[str | None, typer.Option(help="Model name at the endpoint.")]
OfPrompts = Annotated[
    str | None,
    typer.Option("--prompts", help="As for `eval run`; by default those of the run.", show_default=False),
]
Key = Annotated[str, typer.Option(metavar="VARIABLE", help="The environment variable that holds the key.")]


class ExpectedVerdicts(Record):
    """The public shape of `eval judge --dry-run --json`; `seconds` is None until a reply has been timed."""

    judge: str
    verdicts: int
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float | None
    cost: float | None  # None if the price isn't known


def judge_dry_run(
    folder: RunFolder, items: Mapping[str, Item], judge: Judge, notify: Notify, cases_of: CasesOf, limit: int | None
) -> ExpectedVerdicts:
    """Estimate what `judge_run` would take with the same arguments; nothing is written.

    Each reply is expected to take this judge's mean time in the run.
    """
    verdicts, spent = 0, list[Usage]()
    for case in to_judge(folder, items, judge, notify, cases_of, limit):
        verdicts += 1
        spent += [judge.expected(case)] if isinstance(judge, JudgeSaysCost) and not case.empty else []
    whole = total(spent)
    calls = whole.rounds
    timed = [one.seconds for one in folder.judgements(notify) if one.judge == judge.id and one.seconds is not None]
    return ExpectedVerdicts(
        judge=judge.id,
        verdicts=verdicts,
        calls=calls,
        input_tokens=whole.input_tokens,
        output_tokens=whole.output_tokens,
        seconds=round(calls * fmean(timed) / judge.at_once, 1) if timed else None if calls else 0.0,
        cost=whole.cost,
    )


def show_expected(found: ExpectedVerdicts) -> list[str]:
    """The estimate as lines to print."""
    verdicts = f"{found.judge}: {counted(found.verdicts, 'verdict')} to give"
    if not found.calls:
        return [f"{verdicts}; no model is asked"]
    time = "time unknown until its first reply" if found.seconds is None else clock(found.seconds)
    tokens = f"{found.input_tokens:,} tokens in, {found.output_tokens:,} out"
    return [f"{verdicts}; about {counted(found.calls, 'call')}, {tokens}, {time}, price {money(found.cost)}"]


@judges.command()
def judge(
    context: typer.Context,
    run: Run,
    by: By = None,
    url: Url = None,
    model: Model = None,
    key: Key = API_KEY,
    prompts: OfPrompts = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items that need a judge.")] = None,
    at_once: AtOnce = REQUESTS,
    only_expected: OnlyExpected = False,
    as_json: Json = False,
) -> None:
    """Judge the answers that have no verdict yet: by a model, or by rules, which say when they aren't sure."""
    from longtake.evalharness.suites.suite_table import cases_of_run

    session: Session = context.obj
    remarks, folder = Remarks(), RunFolder(run)
    card = folder.card()
    cases_of = cases_of_run(card)
    options = JudgeOptions(session, url, model, key, at_once, prompts=_prompts(card, prompts))

    def any_free() -> bool:
        asked = folder.items_by_id(lambda _: None)
        return any(case.free and not case.empty for case in all_cases(folder, asked, cases_of))

    chosen = judge_named(*resolved(by, options, any_free))
    if only_expected:
        items = folder.items_by_id(remarks.notify)
        print_report(judge_dry_run(folder, items, chosen, remarks.notify, cases_of, limit), show_expected, as_json)
        remarks.leave()
        return
    with folder.locked():
        folder.mend(remarks.notify)
        items = folder.items_by_id(remarks.notify)
        with counting("judging", quiet=as_json) as advance:
            done = judge_run(folder, items, chosen, remarks.notify, cases_of, limit, advance)
    verdicts = counted(done.judged - done.unjudged, "verdict")
    result = f"{verdicts}, {done.kept} kept from before, {done.unjudged} undecided"
    print_report(done, lambda _: [f"{result}; next: longtake eval score {run}"], as_json)
    remarks.leave()


@judges.command("judge-check")
def judge_check(
    context: typer.Context,
    run: Run,
    labels: Annotated[
        Path | None, typer.Argument(metavar="[LABELS]", help="Human verdicts, JSONL.", exists=True, dir_okay=False)
    ] = None,
    by: By = None,
    url: Url = None,
    model: Model = None,
    key: Key = API_KEY,
    prompts: OfPrompts = None,
    at_once: AtOnce = REQUESTS,
    as_json: Json = False,
) -> None:
    """Compare a run's judges with people and with each other; a model is also asked three times."""
    session: Session = context.obj
    folder = RunFolder(run)
    asking = _prompts(folder.card(), prompts)
    remarks, options = Remarks(), JudgeOptions(session, url, model, key, at_once, prompts=asking)
    name, options = resolved(by, options, lambda: False)
    judge_named(name, options)  # a wrong option is reported before anything else
    again = None if name == RULES else (lambda number: judge_named(name, replace(options, run=number)))
    print_report(check_run(folder, labels, again, remarks.notify), show_checked, as_json)
    remarks.leave()


def _prompts(card: RunCard, name: str | None) -> PromptSet | None:
    """The prompts that are named, else those of the run."""
    return card.variants[0].prompts if name is None else prompts_named(name, card.suite, card.protocol)


class JudgeCheckReport(Record):
    """The public shape of `eval judge-check --json`."""

    checks: tuple[JudgeCheck, ...]
    means: tuple[MeanAgreement, ...]
    judges: tuple[JudgePair, ...]
    itself: SelfAgreement | None
    errors: tuple[ErrorTypes, ...]


def check_run(
    folder: RunFolder, file: Path | None, judge_of: Callable[[int], Judge] | None, notify: Notify
) -> JudgeCheckReport:
    """Compare a run's judges with each other and with human labels, with each labeller as the reference.

    Without a file of labels, JSONL, the judges are compared only with each other. `judge_of` makes a judge by the
    number of its run, to be compared with itself on the labelled cases.

    Raises:
        ConfigError: if there is nothing to compare.
    """
    card = folder.card()
    predictions = folder.predictions(notify).values()
    judgements = list(current(folder.judgements(notify), predictions))
    if all(judgement.met is None for judgement in judgements):
        raise ConfigError(f"{folder.path} has no verdicts yet; run `longtake eval judge {folder.path}`.")
    pairs = judge_pairs(judgements)
    labels = list(read_records(file, Label, notify, by_hand=True)) if file else []
    if file and not labels:
        raise ConfigError(f"{file} has no labels; give a file with one human verdict per line.")
    if not labels and (judge_of or not pairs):
        raise ConfigError("A single judge can only be compared with human labels: give LABELS.")
    itself, errors = None, list[ErrorTypes]()
    if labels:
        items = {item.id: item for item in folder.items(notify)}
        labels, cases = labelled_cases(labels, items, predictions, cases_of_run(card), notify)
        errors = error_types(labels, items)
        itself = judge_again(judge_of, cases, notify) if judge_of else None
    checks = tuple(check_judges(labels, judgements))
    means = tuple(mean_agreements(checks))
    return JudgeCheckReport(checks=checks, means=means, judges=tuple(pairs), itself=itself, errors=tuple(errors))


def show_checked(checked: JudgeCheckReport) -> list[str]:
    """The comparisons as lines to print."""
    lines = [*map(str, checked.checks), *map(str, checked.means), *map(str, checked.judges)]
    if checked.itself is not None:
        own = checked.itself
        same, kappa = ("none" if share is None else f"{share:.4f}" for share in (own.same, own.kappa))
        lines.append(f"itself, {own.runs} runs over {own.cases} cases: same verdict {same}, mean kappa {kappa}")
    return [*lines, *map(str, checked.errors)]
