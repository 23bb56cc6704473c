"""The sides that `bench evaluation` compares, each in a process of its own that prints its cost.

    python -m longtake.benchmarks.parts.evaluation_sides SIDE FOLDER ITEMS

The folder is one that `write_set` made, with the output of the sides before. A side first does the same with a few
questions, so that its imports are neither timed nor counted.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from longtake.benchmarks.timing import timed
from longtake.console import Session, say
from longtake.errors import EngineError
from longtake.memory.records import Record

SUBJECT = "longest"
PER_VIDEO = 10  # questions
FEW = 2 * PER_VIDEO  # so that scores have an interval
STATUS = Path("/proc/self/status")
_CARD = """\
name: made-up
file: questions.csv
fields: {id: id, question: question, options: [a, b, c, d], answer: right, video: video, task: kind}
format: mixed
answer: letter
"""
_OPTIONS = ("the red kettle", "the green kettle", "the blue kettle", "the kettle of enamel")


class Cost(Record):
    """The cost of a side; `megabytes` (10^6 bytes) is how far memory rose above what was resident before."""

    seconds: float
    megabytes: float


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


def _read(folder: Path, items: int) -> None:
    """Read the questions, as a run does first: whatever it takes beyond this is its own."""
    from longtake.evalharness.suites.own_set import load_own_set, read_card

    if len(load_own_set(read_card(folder / "card.yaml", None), say)) != items:
        raise EngineError(f"Not all of the {items} questions were read.")


def _eval(*arguments: object) -> None:
    """Run `longtake --offline eval ...` in this process, without its output."""
    from longtake.cli.eval.eval_app import evaluate

    with redirect_stdout(StringIO()):
        evaluate(list(map(str, arguments)), obj=Session(offline=True), standalone_mode=False)


def _run(folder: Path, items: int) -> None:
    _eval("run", folder / "card.yaml", "--suite", "own", "--out", folder / "run", "--subject", SUBJECT)


def _stage(name: str, *more: str) -> Callable[[Path, int], None]:
    return lambda folder, items: _eval(name, folder / "run", *more)


def _loop(folder: Path, items: int) -> None:
    """The floor: write and flush a line of JSON per question."""
    with (folder / "loop.jsonl").open("w", encoding="utf-8") as stream:
        for place in range(items):
            stream.write(json.dumps({"item": f"q{place}", "reply": {"text": f"D. {_OPTIONS[3]}"}}) + "\n")
            stream.flush()


def _inspect(folder: Path, items: int) -> None:
    """Run as many samples through Inspect, with its default settings, an instant solver and a scorer."""
    os.environ["XDG_DATA_HOME"] = str(folder)  # where it writes its traces
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import match
    from inspect_ai.solver import Generate, Solver, TaskState, solver

    @solver  # type: ignore[untyped-decorator]  # Inspect is untyped for the type checker
    def instant() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.output = ModelOutput.from_content("instant", "D")
            return state

        return solve

    samples = [
        Sample(id=f"q{place}", input=_question(place)[1], choices=list(_OPTIONS), target="ABCD"[place % 4])
        for place in range(items)
    ]
    task = Task(dataset=MemoryDataset(samples), solver=instant(), scorer=match())
    [log] = evaluate(task, model=None, log_dir=str(folder / "inspect"), display="none")
    if log.status != "success":
        raise EngineError(f"Inspect failed: {log.status}.")


SIDES: Mapping[str, Callable[[Path, int], None]] = {
    "loop": _loop,
    "questions": _read,
    "run": _run,
    "judge": _stage("judge", "--by", "rules"),
    "score": _stage("score"),
    "report": _stage("report"),
    "inspect": _inspect,
}


def cost(work: Callable[[], object]) -> Cost:
    """The cost of a piece of work in this process."""
    before = _resident("VmRSS")
    seconds = timed(work)
    return Cost(seconds=round(seconds, 4), megabytes=round((_resident("VmHWM") - before) / 1e6, 1))


def _resident(which: str) -> int:
    """Resident bytes of this process: now (`VmRSS`), or the peak so far (`VmHWM`)."""
    lines = STATUS.read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(which))


def main(side: str, folder: str, items: str) -> None:
    """Measure one side and print its cost as JSON."""
    work = SIDES[side]
    work(Path(folder, "few"), FEW)
    say(cost(lambda: work(Path(folder, "many"), int(items))).model_dump_json())


if __name__ == "__main__":
    main(*sys.argv[1:])
