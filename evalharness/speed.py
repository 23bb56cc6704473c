"""How fast Longtake is on this machine, on the demo video: start, indexing and asking.

Times of one machine say little about another, so each comes with a floor measured beside it in the same run: the same
work without Longtake. A ratio is the median over pairs taken one after the other, so that a busy moment slows both.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import av

from longtake.agent.ask import Asker
from longtake.config import Settings
from longtake.console import Session
from longtake.errors import EngineError
from longtake.evalharness.intervals import Spread
from longtake.memory.layers import LayerStore
from longtake.memory.records import Record
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.demo.truth import DemoQuestion, load_truth
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media import probe
from longtake.preprocess.step import IndexJob
from longtake.preprocess.visual_pass import VisualPass
from longtake.preprocess.workspace import Workspace

HELP_RUNS = 5
INDEX_RUNS = 3
PASS_RUNS = 5
COLD_RUNS = 3
MOST_SECONDS = 120  # for one process that is started
COLD_FLOOR = "import langgraph.graph, chromadb, faiss"  # what every question has to load
OF_PASS = frozenset({"shots", "keyframes", "blank", "text_frames"})


class Machine(Record):
    """What the numbers were measured on; a load well above 0 at the start means that others were at work."""

    system: str
    python: str
    cores: int
    load_before: float
    load_after: float


class Beside(Record):
    """Seconds of ours and of a floor, taken in turns, and their ratio pair by pair."""

    seconds: Spread
    floor: Spread
    ratio: Spread

    @classmethod
    def measure(cls, ours: Callable[[], object], floor: Callable[[], object], runs: int) -> Beside:
        """Time both, the floor first, `runs` times."""
        pairs = [(_timed(floor), _timed(ours)) for _ in range(runs)]
        return cls(
            seconds=Spread.of([our for _, our in pairs]),
            floor=Spread.of([least for least, _ in pairs]),
            ratio=Spread.of([our / least for least, our in pairs]),
        )


class IndexSpeed(Record):
    """Seconds of indexing by step, and how many seconds of video a second of work gets through."""

    video_seconds: float
    seconds: Spread
    times_real_time: Spread
    layers: dict[str, Spread]


class SpeedReport(Record):
    """The public shape of `bench speed --json`; all times are seconds."""

    machine: Machine
    help: Beside
    index: IndexSpeed
    visual_pass: Beside
    ask_warm: Spread
    ask_cold: Beside


def measure_speed(session: Session, tell: Callable[[str], None]) -> SpeedReport:
    """Make the demo video in a folder of its own and measure; `tell` is told what is being measured.

    Raises:
        EngineError: when a process that is started fails, or the demo video is not indexed whole.
    """
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        root = Path(folder)
        tell("making the demo video")
        video = make_demo(root / "demo")
        tell("starting `longtake --help`")
        started = Beside.measure(lambda: _longtake("--help"), lambda: run_python("-c", "pass"), HELP_RUNS)
        libraries = [root / f"library-{run}" for run in range(INDEX_RUNS)]
        indexed = _measure_index(session, libraries, video, tell)
        tell("decoding, alone and with the visual pass")
        passed = _measure_pass(root, video, session.settings)
        tell("asking, warm")
        warm = _measure_warm(libraries[0], video, session.settings)
        tell("asking, each time in a fresh process")
        cold = _measure_cold(session, libraries[-1], video)
    return SpeedReport(
        machine=_machine(before), help=started, index=indexed, visual_pass=passed, ask_warm=warm, ask_cold=cold
    )


def decode(path: Path) -> int:
    """Decode every picture of a file and do nothing with it; the number of pictures."""
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        return sum(1 for _ in container.decode(video=0))


def _machine(load_before: float) -> Machine:
    return Machine(
        system=platform.platform(),
        python=platform.python_version(),
        cores=os.cpu_count() or 1,
        load_before=round(load_before, 2),
        load_after=round(os.getloadavg()[0], 2),
    )


def _measure_index(session: Session, libraries: Sequence[Path], video: Path, tell: Callable[[str], None]) -> IndexSpeed:
    """Index into fresh libraries by fresh processes, so that each run loads the models anew."""
    runs: list[dict[str, float]] = []
    totals: list[float] = []
    duration = 0.0
    for number, library in enumerate(libraries, 1):
        tell(f"indexing, {number} of {len(libraries)}")
        report: dict[str, Any] = json.loads(_longtake(*_options(session, library), "index", str(video), "--json"))
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
    """Seconds by layer; the layers of the visual pass come from one decoding and are one entry."""
    problems = [layer["problem"] for layer in layers if layer["problem"]]
    if problems:
        raise EngineError(f"The demo video was not indexed whole: {problems[0]}")
    return {"visual pass" if layer["name"] in OF_PASS else layer["name"]: layer["seconds"] for layer in layers}


def _measure_pass(folder: Path, video: Path, settings: Settings) -> Beside:
    step = VisualPass()
    job = IndexJob(video, probe(video), settings, EngineTable(settings))
    recipes = step.recipes(job)

    def build() -> None:
        with tempfile.TemporaryDirectory(dir=folder) as fresh, ExitStack() as stack:
            store = LayerStore(Path(fresh))
            step.build(job, {recipe.name: stack.enter_context(store.create(recipe)) for recipe in recipes})

    return Beside.measure(build, lambda: decode(video), PASS_RUNS)


def _measure_warm(library: Path, video: Path, settings: Settings) -> Spread:
    asker = Asker(Workspace(library, settings))

    def ask(item: DemoQuestion) -> None:
        answer = asker.ask([str(video)], item.question, options=item.options)
        if answer.error:
            raise EngineError(f"A question about the demo video failed: {answer.error}")

    # The first question loads the models and is not counted; no question is put twice, since tools cache.
    first, *others = load_truth().questions
    ask(first)
    return Spread.of([_timed(partial(ask, item)) for item in others])


def _measure_cold(session: Session, library: Path, video: Path) -> Beside:
    question = load_truth().questions[0].question
    arguments = (*_options(session, library), "ask", str(video), question, "--json")
    return Beside.measure(lambda: _longtake(*arguments), lambda: run_python("-c", COLD_FLOOR), COLD_RUNS)


def _options(session: Session, library: Path) -> tuple[str, ...]:
    """The session's options for a process of its own, with another library."""
    overrides = [part for override in session.overrides for part in ("--set", override)]
    offline = ["--offline"] if session.offline else []
    return ("--config", session.profile, *overrides, *offline, "--library", str(library))


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _longtake(*arguments: str) -> str:
    return run_python("-m", "longtake", *arguments)


def run_python(*arguments: str) -> str:
    """Run this Python with arguments; what it wrote to standard output."""
    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise EngineError(f"`{shlex.join(command)}` was not done after {MOST_SECONDS} s; run it by hand.") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise EngineError(f"`{shlex.join(command)}` failed: {last}") from error
    return done.stdout
