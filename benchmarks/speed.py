"""Times startup, indexing and asking on the demo video.

Times of one machine say little about another, so each comes with a baseline from the same run: the same work without
Longtake. A ratio is the median over pairs measured back to back, so that a busy moment slows both.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from longtake.benchmarks.hour.answer_speed import measure_cold, measure_warm
from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.hour.visual_speed import decode, visual_pass
from longtake.benchmarks.intervals import Spread
from longtake.benchmarks.processes import longtake, python, run
from longtake.benchmarks.timing import Comparison, Machine, load
from longtake.console import Session
from longtake.errors import EngineError
from longtake.memory.records import Record
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS


class IndexSpeed(Record):
    """Seconds of indexing by step, and the seconds of video indexed per second."""

    video_seconds: float
    seconds: Spread
    times_real_time: Spread
    layers: dict[str, Spread]


class SpeedReport(Record):
    """The public shape of `bench speed --json`; all times are seconds."""

    machine: Machine
    help: Comparison
    index: IndexSpeed
    visual_pass: Comparison
    ask_warm: Spread
    ask_cold: Comparison


def measure_speed(session: Session, notify: Notify, rounds: int) -> SpeedReport:
    """Make the demo video in a temporary folder and measure.

    Args:
        session: its settings and overrides are measured.
        notify: progress callback.
        rounds: how often each is timed; warm answers are timed once per question but the first.

    Raises:
        EngineError: if a process fails, or the demo video isn't indexed completely.
    """
    before = load()
    questions = load_truth().questions
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        root = Path(folder)
        notify("making the demo video")
        video = make_demo(root / "demo")
        notify("starting `longtake --help`")
        started = Comparison.measure(
            partial(run, python("-m", "longtake", "--help")), partial(run, python("-c", "pass")), rounds
        )
        libraries = [root / f"library-{number}" for number in range(rounds)]
        indexed = _measure_index(session, libraries, video, notify)
        notify("decoding, alone and with the visual pass")
        passed = Comparison.measure(visual_pass(video, session.settings), partial(decode, video), rounds)
        notify("asking, warm")
        asked = [(item.question, item.options) for item in questions]
        warm = measure_warm(libraries[0], video, session.settings, asked)
        notify("asking, each time in a new process")
        cold = measure_cold(session, libraries[-1], video, [questions[0].question] * rounds)
    return SpeedReport(
        machine=Machine.since(before), help=started, index=indexed, visual_pass=passed, ask_warm=warm, ask_cold=cold
    )


def show_speed(report: SpeedReport) -> list[str]:
    """The report as lines to print."""
    index = report.index
    return [
        str(report.machine),
        "seconds as median [min, max] n=runs",
        f"longtake --help   {report.help.against('python -c pass')}",
        f"ask, warm         {report.ask_warm}",
        f"ask, cold         {report.ask_cold.against('its imports alone')}",
        f"visual pass       {report.visual_pass.against('bare decoding')}",
        f"index             {index.seconds}, for {index.video_seconds:g} s of video",
        f"  x real time     {index.times_real_time}",
        *(f"  {name:<15} {seconds}" for name, seconds in index.layers.items()),
    ]


def _measure_index(session: Session, libraries: Sequence[Path], video: Path, notify: Notify) -> IndexSpeed:
    """Index into new libraries in new processes, so that each run loads the models again."""
    runs: list[dict[str, float]] = []
    totals: list[float] = []
    duration = 0.0
    for number, library in enumerate(libraries, 1):
        notify(f"indexing, {number} of {len(libraries)}")
        report: dict[str, Any] = json.loads(run(longtake(session, library, "index", str(video), "--json")))
        duration = report["duration"]
        totals.append(report["seconds"])
        runs.append(_by_step(report["layers"]))
    return IndexSpeed(
        video_seconds=duration,
        seconds=Spread.of(totals),
        times_real_time=Spread.of([duration / total for total in totals]),
        layers={name: Spread.of([run[name] for run in runs]) for name in runs[0]},
    )


def _by_step(layers: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Seconds by layer; the layers of the visual pass share one decoding and are one entry."""
    problems = [layer["problem"] for layer in layers if layer["problem"]]
    if problems:
        raise EngineError(f"The demo video wasn't indexed completely: {problems[0]}")
    return {"visual pass" if layer["name"] in LAYERS_OF_PASS else layer["name"]: layer["seconds"] for layer in layers}
