"""Measures the overhead of the evaluation harness: the stages of a run whose subject picks the longest option.

A run is asked, judged, scored and reported as in `longtake eval`, with a tenth of the questions and with all of them,
to show how memory grows. Each stage is a process of its own that prints its cost:

    python -m longtake.benchmarks.parts.evaluation_speed STAGE FOLDER

The folder is one that `write_set` made, with the output of the stages before. A stage first does the same with a few
questions, so that its imports are neither timed nor counted.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from longtake.benchmarks.processes import python, run
from longtake.benchmarks.reports import Notify, Report, Spread, timed
from longtake.console import Session, say
from longtake.errors import EngineError
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.scoring.progress import completeness
from longtake.memory.records import Record

REPEATS = 3
SUBJECT = "longest"
PER_VIDEO = 10  # questions
FEW = 2 * PER_VIDEO  # so that scores have an interval
_CARD = """\
name: made-up
file: questions.csv
fields: {id: id, question: question, options: [a, b, c, d], answer: right, video: video, task: kind}
format: mixed
answer: letter
"""
_OPTIONS = ("the red kettle", "the green kettle", "the blue kettle", "the kettle of enamel")
_STAGES: Mapping[str, Sequence[str]] = {
    "run": ("--suite", "own", "--subject", SUBJECT),
    "judge": ("--by", "rules"),
    "score": (),
    "report": (),
}
_HARNESS = ("run", "judge", "score")


class Cost(Record):
    """The cost of a stage; `megabytes` (10^6 bytes) is how far memory rose above what was resident before."""

    seconds: float
    megabytes: float


class Stage(Record):
    """Milliseconds per item, and megabytes above the start with a tenth of the items and with all."""

    milliseconds: Spread
    megabytes_few: Spread
    megabytes: Spread


class EvaluationSpeed(Report):
    """`milliseconds` is asking, judging and scoring an item, which should take at most 2."""

    items: int
    stages: dict[str, Stage]
    milliseconds: Spread


def measure_evaluation(
    notify: Notify,
    items: Annotated[int, typer.Option(min=10, help="Number of items.")] = 10_000,
) -> EvaluationSpeed:
    """Measure the time and memory that `eval` takes for an item with an instant subject; Linux only."""
    few: list[dict[str, Cost]] = []
    many: list[dict[str, Cost]] = []
    for number in range(REPEATS):
        for costs, size in ((few, items // 10), (many, items)):
            notify(f"measuring {size} items, {number + 1} of {REPEATS}")
            costs.append(_costs(size))
    return EvaluationSpeed(
        items=items,
        stages={
            stage: Stage(
                milliseconds=Spread.of([1000 * costs[stage].seconds / items for costs in many]),
                megabytes_few=Spread.of([costs[stage].megabytes for costs in few]),
                megabytes=Spread.of([costs[stage].megabytes for costs in many]),
            )
            for stage in _STAGES
        },
        milliseconds=Spread.of([1000 * sum(costs[stage].seconds for stage in _HARNESS) / items for costs in many]),
    )


def _costs(items: int) -> dict[str, Cost]:
    """The cost of each stage, run one by one in a new folder."""
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        write_set(Path(folder), items)
        printed = {stage: run(python("-m", __name__, stage, folder), None) for stage in _STAGES}
        [subject] = completeness(RunFolder(Path(folder) / "many" / "run")).subjects
    if (subject.expected, subject.made, subject.errors, subject.unjudged) != (items, items, 0, 0):
        raise EngineError(f"A finished run of {items} items is incomplete: {subject.model_dump_json()}.")
    return {stage: Cost.model_validate_json(text) for stage, text in printed.items()}


def write_set(folder: Path, items: int) -> None:
    """Write a question set, alternately open and multiple choice, and a set of `FEW` questions next to it."""
    for name, number in (("few", FEW), ("many", items)):
        (folder / name).mkdir(parents=True)
        (folder / name / "card.yaml").write_text(_CARD, encoding="utf-8")
        with (folder / name / "questions.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow("id question a b c d right video kind".split())
            writer.writerows(_question(place) for place in range(number))


def _question(place: int) -> list[str]:
    asked = f"Which kettle stands on the bench when the door is opened for the {place + 1}th time?"
    options, right = (_OPTIONS, "ABCD"[place % 4]) if place % 2 else ([""] * 4, _OPTIONS[0])
    return [f"q{place}", asked, *options, right, f"video {place // PER_VIDEO}", f"kind {place % 7}"]


def cost(work: Callable[[], object]) -> Cost:
    """The cost of a piece of work in this process."""
    before = _resident("VmRSS")
    seconds = timed(work)
    return Cost(seconds=round(seconds, 4), megabytes=round((_resident("VmHWM") - before) / 1e6, 1))


def _resident(which: str) -> int:
    """Resident bytes of this process: now (`VmRSS`), or the peak so far (`VmHWM`), which psutil doesn't tell."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(which))


def _evaluate(stage: str, folder: Path) -> None:
    """Run `longtake --offline eval STAGE` in this process, without its output."""
    from longtake.cli.eval.eval_app import evaluate

    out = str(folder / "run")
    given = [str(folder / "card.yaml"), "--out", out] if stage == "run" else [out]
    with redirect_stdout(StringIO()):
        evaluate([stage, *given, *_STAGES[stage]], obj=Session(offline=True), standalone_mode=False)


if __name__ == "__main__":
    _evaluate(sys.argv[1], Path(sys.argv[2], "few"))
    say(cost(partial(_evaluate, sys.argv[1], Path(sys.argv[2], "many"))).model_dump_json())
