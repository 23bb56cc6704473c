"""Times answers: in a warm process, and from a shell, where everything is loaded first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from longtake.agent.graph.agent import Agent
from longtake.benchmarks.clips.clip_questions import load_questions
from longtake.benchmarks.hour.reel import HOUR, Notify, make_loop
from longtake.benchmarks.intervals import Spread
from longtake.benchmarks.processes import longtake, python, run
from longtake.benchmarks.timing import Comparison, Machine, load, timed
from longtake.benchmarks.watching import tenths_watcher
from longtake.console import Session
from longtake.errors import EngineError
from longtake.memory.records import Record
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

WARM_QUESTIONS = 25  # the first one loads the models and isn't counted
COLD_RUNS = 5
AIM_WARM, AIM_COLD = 1.0, 4.0  # seconds
_FLOOR = "import langgraph.graph, faiss"  # what every question must load


class AskReport(Record):
    """The public shape of `bench ask --json`; all times are seconds."""

    machine: Machine
    video_seconds: float
    warm: Spread
    cold: Comparison


def measure_ask(session: Session, media: Path, folder: Path, notify: Notify, seconds: float = HOUR) -> AskReport:
    """Ask the questions of a folder of clips about a long video made of them; the answers don't matter.

    Raises:
        EngineError: if a question fails, or there are too few of them.
    """
    reel = make_loop(media, folder, notify, seconds)
    shown = {place.clip for place in reel.places}
    texts = dict.fromkeys(item.question for item in load_questions(media) if item.media in shown)
    questions = list(texts)[:: max(1, len(texts) // WARM_QUESTIONS)][:WARM_QUESTIONS]
    notify(f"indexing {reel.path.name}")
    library = folder / "library"
    Workspace(library, session.settings).add(reel.path, tenths_watcher(notify))
    before = load()
    notify("asking, warm")
    warm = measure_warm(library, reel.path, session.settings, [(question, ()) for question in questions])
    notify("asking, each time in a new process")
    cold = measure_cold(session, library, reel.path, questions[:COLD_RUNS])
    return AskReport(machine=Machine.since(before), video_seconds=reel.seconds, warm=warm, cold=cold)


def show_ask(report: AskReport) -> list[str]:
    """The report as lines to print."""
    return [
        str(report.machine),
        f"one video of {report.video_seconds:g} s; seconds as median [min, max] n=questions",
        f"ask, warm   {report.warm}, target at most {AIM_WARM:g}",
        f"ask, cold   {report.cold.against('its imports alone')}, target at most {AIM_COLD:g} s",
    ]


def measure_warm(
    library: Path, video: Path, settings: Settings, questions: Sequence[tuple[str, Sequence[str]]]
) -> Spread:
    """Time questions, each with its options, in this process; the first one isn't counted.

    No question should be asked twice, since tools cache results.

    Raises:
        EngineError: if there are fewer than two, or one fails.
    """
    if len(questions) < 2:
        raise EngineError(f"{video.name} has {len(questions)} questions, too few to time; give clips with two or more.")
    agent = Agent(Workspace(library, settings))

    def ask(question: str, options: Sequence[str]) -> None:
        answer = agent.ask([str(video)], question, options=options)
        if answer.error:
            raise EngineError(f"A question about {video.name} failed: {answer.error}")

    ask(*questions[0])
    return Spread.of([timed(partial(ask, *question)) for question in questions[1:]])


def measure_cold(session: Session, library: Path, video: Path, questions: Sequence[str]) -> Comparison:
    """Time each question in a process of its own, in turns with a process that only imports what asking needs."""

    def command(question: str) -> Callable[[], object]:
        return partial(run, longtake(session, library, "ask", str(video), question, "--json"))

    pairs = [(timed(partial(run, python("-c", _FLOOR))), timed(command(question))) for question in questions]
    return Comparison.of([ours for _, ours in pairs], [floor for floor, _ in pairs])
