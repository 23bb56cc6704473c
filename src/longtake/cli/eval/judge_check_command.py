"""What `longtake eval judge-check` finds: the judges of a run against people and each other, a model against itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from longtake.errors import ConfigError
from longtake.evalharness.judges.judge import Judge
from longtake.evalharness.judges.judge_check import (
    JudgeCheck,
    SelfAgreement,
    check_judges,
    fitting,
    judge_again,
    labelled_cases,
    read_labels,
)
from longtake.evalharness.judges.judge_pairs import JudgePair, judge_pairs
from longtake.evalharness.judges.judging import current
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.suites.suite_table import cases_of_run
from longtake.memory.records import Record


class Checked(Record):
    """The public shape of `eval judge-check --json`."""

    checks: tuple[JudgeCheck, ...]
    judges: tuple[JudgePair, ...]
    itself: SelfAgreement | None


def check_run(folder: RunFolder, file: Path | None, judge_of: Callable[[int], Judge] | None, notify: Notify) -> Checked:
    """Compare the judges of a run with each other and with the labels of people, of whom each is the reference.

    Args:
        folder: of the run.
        file: of labels, JSONL; None: the judges are compared with each other alone.
        judge_of: a judge that is compared with itself on the labelled cases, by the number of its run; None: none is.
        notify: called for lines that were left out.

    Raises:
        ConfigError: when there is nothing to compare.
    """
    card = folder.card()
    said = folder.predictions(notify).values()
    judgements = list(current(folder.judgements(notify), said))
    if all(held.met is None for held in judgements):
        raise ConfigError(f"{folder.path} holds no verdicts yet; run `longtake eval judge {folder.path}`.")
    pairs = judge_pairs(judgements)
    labels = read_labels(file, notify) if file else []
    if file and not labels:
        raise ConfigError(f"{file} holds no labels; give a file with a verdict of a person on each line.")
    if not labels and (judge_of or not pairs):
        raise ConfigError("A judge alone is compared with people, or with itself where they judged: give LABELS.")
    itself = None
    if labels:
        items = {item.id: item for item in folder.items(notify)}
        cases_of = cases_of_run(card)
        labels = fitting(labels, items, said, cases_of, notify)
        itself = judge_again(judge_of, labelled_cases(labels, items, said, cases_of), notify) if judge_of else None
    return Checked(checks=tuple(check_judges(labels, judgements)), judges=tuple(pairs), itself=itself)


def show_checked(checked: Checked) -> list[str]:
    """The comparisons for a person."""
    lines = [*map(str, checked.checks), *map(str, checked.judges)]
    if checked.itself is not None:
        held = checked.itself
        same, kappa = ("none" if share is None else f"{share:.4f}" for share in (held.same, held.kappa))
        lines.append(f"itself, {held.runs} runs over {held.cases} cases: same verdict {same}, mean kappa {kappa}")
    return lines
