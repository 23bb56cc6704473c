"""Measures the overhead of the evaluation harness: the stages of a run whose subject picks the longest option.

They are compared, in the same turn, with a loop that writes and flushes a line of JSON per question, and with as many
Inspect samples whose solver is instant. Every side is a process of its own. A run is asked, judged, scored and reported
as in `longtake eval`, with a tenth of the questions and with all of them, to show how memory grows; reading the
questions, which a run does first, is a side of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.intervals import Spread
from longtake.benchmarks.parts import evaluation_sides
from longtake.benchmarks.parts.evaluation_sides import SIDES, Cost, write_set
from longtake.benchmarks.processes import python, run
from longtake.benchmarks.timing import Machine, load
from longtake.errors import EngineError
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.scoring.progress import completeness
from longtake.memory.records import Record

REPEATS = 3
AIM = 2.0  # milliseconds per item
_HARNESS = ("run", "judge", "score")
_MISSING = "isn't installed; run: pip install 'longtake[inspect]'"

Costs = Mapping[str, Cost]  # by side


class Side(Record):
    """A side's cost: milliseconds per item, and megabytes above the start with a tenth of the items and with all."""

    milliseconds: Spread
    few: Spread
    many: Spread


class EvaluationSpeed(Record):
    """The public shape of `bench evaluation --json`; `harness` is asking, judging and scoring, per item."""

    machine: Machine
    items: int
    sides: dict[str, Side]
    harness: Spread
    over_loop: Spread
    over_inspect: Spread | None


def measure_evaluation(items: int, notify: Notify, repeats: int = REPEATS) -> EvaluationSpeed:
    """Measure every side, `repeats` times in turns; Inspect only if it is installed.

    Raises:
        EngineError: if memory can't be measured here, a side fails, or a finished run is incomplete.
    """
    if not evaluation_sides.STATUS.exists():
        raise EngineError("Measuring memory needs /proc/self/status, which this system lacks; use Linux.")
    before = load()
    sides = [side for side in SIDES if side != "inspect" or find_spec("inspect_ai")]
    few: list[Costs] = []
    many: list[Costs] = []
    for number in range(repeats):
        for costs, size in ((few, max(1, items // 10)), (many, items)):
            notify(f"measuring {size} items, {number + 1} of {repeats}")
            costs.append(_costs(size, sides))
    harness = [sum(costs[side].seconds for side in _HARNESS) for costs in many]
    return EvaluationSpeed(
        machine=Machine.since(before),
        items=items,
        sides={side: _side(side, items, few, many) for side in sides},
        harness=Spread.of([1000 * seconds / items for seconds in harness]),
        over_loop=_over(harness, "loop", many),
        over_inspect=_over(harness, "inspect", many) if "inspect" in sides else None,
    )


def show_evaluation(report: EvaluationSpeed) -> list[str]:
    """The report as lines to print."""
    rows = [f"  {name:<10}{side.milliseconds!s:<32}{side.few!s:<24}{side.many}" for name, side in report.sides.items()]
    inspect = f"x inspect: {report.over_inspect}" if report.over_inspect else f"inspect {_MISSING}"
    return [
        str(report.machine),
        f"{report.items} items to one instant subject; median [min, max] n=repeats",
        "MB: how far memory rose above the start, with a tenth of the items and with all",
        f"  {'':<10}{'ms per item':<32}{f'MB, {report.items // 10} items':<24}MB, {report.items} items",
        *rows,
        f"run, judge and score: {report.harness} ms per item, target at most {AIM:g}",
        f"  x loop: {report.over_loop}",
        f"  {inspect}",
    ]


def _costs(items: int, sides: Sequence[str]) -> Costs:
    """The cost of each side, run one by one in a new folder."""
    module = evaluation_sides.__name__
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        write_set(Path(folder), items)
        costs = {
            side: Cost.model_validate_json(run(python("-m", module, side, folder, str(items)), None)) for side in sides
        }
        _check_complete(RunFolder(Path(folder) / "many" / "run"), items)
    return costs


def _check_complete(folder: RunFolder, items: int) -> None:
    [subject] = completeness(folder).subjects
    if (subject.expected, subject.made, subject.errors, subject.unjudged) != (items, items, 0, 0):
        raise EngineError(f"A finished run of {items} items is incomplete: {subject.model_dump_json()}.")


def _side(name: str, items: int, few: Sequence[Costs], many: Sequence[Costs]) -> Side:
    return Side(
        milliseconds=Spread.of([1000 * costs[name].seconds / items for costs in many]),
        few=Spread.of([costs[name].megabytes for costs in few]),
        many=Spread.of([costs[name].megabytes for costs in many]),
    )


def _over(harness: Sequence[float], side: str, many: Sequence[Costs]) -> Spread:
    return Spread.of([seconds / costs[side].seconds for seconds, costs in zip(harness, many, strict=True)])
