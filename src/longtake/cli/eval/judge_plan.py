"""`longtake eval judge --dry-run`: estimates what judging a run will take."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from longtake.console import counted
from longtake.evalharness.items import Item
from longtake.evalharness.judges.judging import CasesOf, Judge, JudgeSaysCost, to_judge
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.scoring.spending import money, total
from longtake.memory.records import Record, Usage
from longtake.memory.timespan import clock


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
