"""`longtake eval judge-check`: compares a run's judges with people and each other, and a model with itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from longtake.errors import ConfigError
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
from longtake.evalharness.judges.judging import Judge, current
from longtake.evalharness.runs.journal import read_records
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.suites.suite_table import cases_of_run
from longtake.memory.records import Record


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
