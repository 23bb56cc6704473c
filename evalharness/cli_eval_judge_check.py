"""What `longtake eval judge-check` finds: each judge of a run against each person, and a model against itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from longtake.errors import ConfigError
from longtake.evalharness.judges.judge import Judge
from longtake.evalharness.judges.judge_check import (
    JudgeCheck,
    SelfAgreement,
    check_judges,
    judge_again,
    labelled_cases,
    read_labels,
)
from longtake.evalharness.run_folder import RunFolder, Tell
from longtake.evalharness.suites.table import cases_of_run
from longtake.memory.records import Record


class Figures(Record):
    """A judge and a person, with what follows from the confusion matrix; none where nothing is to divide by."""

    check: JudgeCheck
    n: int
    accuracy: float | None
    f1: float | None
    false_positive_rate: float | None
    false_negative_rate: float | None
    kappa: float | None


class Checked(Record):
    """The public shape of `eval judge-check --json`."""

    checks: tuple[Figures, ...]
    itself: SelfAgreement | None


def check_run(folder: RunFolder, file: Path, judge_of: Callable[[int], Judge] | None, tell: Tell) -> Checked:
    """Compare the judges of a run with the labels of people; the person is the reference.

    Args:
        folder: of the run.
        file: of labels, JSONL.
        judge_of: a judge that is compared with itself on the labelled cases, by the number of its run; None: none is.
        tell: told of lines that were left out.

    Raises:
        ConfigError: when there are no labels or no verdicts.
    """
    labels = read_labels(file, tell)
    if not labels:
        raise ConfigError(f"{file} holds no labels; give a file with a verdict of a person on each line.")
    checks = check_judges(labels, folder.judgements(tell))
    if not checks:
        raise ConfigError(f"{folder.path} holds no verdicts yet; run `longtake eval judge {folder.path}`.")
    itself = None
    if judge_of is not None:
        items = {item.id: item for item in folder.items(tell)}
        said = folder.predictions(tell).values()
        itself = judge_again(judge_of, labelled_cases(labels, items, said, cases_of_run(folder.card())))
    return Checked(checks=tuple(map(_figures, checks)), itself=itself)


def show_checked(checked: Checked) -> list[str]:
    """The comparisons for a person."""
    lines = [str(figures.check) for figures in checked.checks]
    if checked.itself is not None:
        held = checked.itself
        same, kappa = ("none" if share is None else f"{share:.4f}" for share in (held.same, held.kappa))
        lines.append(f"itself, {held.runs} runs over {held.cases} cases: same verdict {same}, mean kappa {kappa}")
    return lines


def _figures(check: JudgeCheck) -> Figures:
    held = check.agreement
    return Figures(
        check=check,
        n=held.n,
        accuracy=held.accuracy,
        f1=held.f1,
        false_positive_rate=held.false_positive_rate,
        false_negative_rate=held.false_negative_rate,
        kappa=held.kappa,
    )
