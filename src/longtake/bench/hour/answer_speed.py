"""How long an answer takes: in a process that is warm, and from a shell, where everything is loaded first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from longtake.agent.graph.agent import Agent
from longtake.bench.clips.clip_questions import load_questions
from longtake.bench.hour.reel import HOUR, Notify, make_loop
from longtake.bench.intervals import Spread
from longtake.bench.processes import longtake, python, run
from longtake.bench.timing import Beside, Machine, load, timed
from longtake.bench.watching import telling
from longtake.config import Settings
from longtake.console import Session
from longtake.errors import EngineError
from longtake.memory.records import Record
from longtake.preprocess.pipeline.workspace import Workspace

WARM_QUESTIONS = 25  # the first loads the models and is not counted
COLD_RUNS = 5
AIM_WARM, AIM_COLD = 1.0, 4.0  # seconds
_FLOOR = "import langgraph.graph, chromadb, faiss"  # what every question has to load


class AskReport(Record):
    """The public shape of `bench ask --json`; all times are seconds."""

    machine: Machine
    video_seconds: float
    warm: Spread
    cold: Beside


def measure_ask(session: Session, media: Path, folder: Path, notify: Notify, seconds: float = HOUR) -> AskReport:
    """Ask the questions of a folder of clips about a long video made of them; what is answered does not count.

    Raises:
        EngineError: when a question fails, or there are too few of them.
    """
    reel = make_loop(media, folder, notify, seconds)
    shown = {place.clip for place in reel.places}
    texts = dict.fromkeys(item.question for item in load_questions(media) if item.media in shown)
    questions = list(texts)[:: max(1, len(texts) // WARM_QUESTIONS)][:WARM_QUESTIONS]
    notify(f"indexing {reel.path.name}")
    library = folder / "library"
    Workspace(library, session.settings).add(reel.path, telling(notify))
    before = load()
    notify("asking, warm")
    warm = measure_warm(library, reel.path, session.settings, [(question, ()) for question in questions])
    notify("asking, each time in a fresh process")
    cold = measure_cold(session, library, reel.path, questions[:COLD_RUNS])
    return AskReport(machine=Machine.since(before), video_seconds=reel.seconds, warm=warm, cold=cold)


def show_ask(report: AskReport) -> list[str]:
    """The report for a person."""
    return [
        str(report.machine),
        f"one video of {report.video_seconds:g} s; seconds as median [least, most] n=questions",
        f"ask, warm   {report.warm}, aim at most {AIM_WARM:g}",
        f"ask, cold   {report.cold.against('its imports alone')}, aim at most {AIM_COLD:g} s",
    ]


def measure_warm(
    library: Path, video: Path, settings: Settings, questions: Sequence[tuple[str, Sequence[str]]]
) -> Spread:
    """Put questions, each with its options, one after the other in this process; the first is not counted.

    No question should be put twice, since tools cache.

    Raises:
        EngineError: when there are fewer than two, or one fails.
    """
    if len(questions) < 2:
        raise EngineError(f"{video.name} has {len(questions)} questions to be timed with; give clips with two or more.")
    agent = Agent(Workspace(library, settings))

    def ask(question: str, options: Sequence[str]) -> None:
        answer = agent.ask([str(video)], question, options=options)
        if answer.error:
            raise EngineError(f"A question about {video.name} failed: {answer.error}")

    ask(*questions[0])
    return Spread.of([timed(partial(ask, *question)) for question in questions[1:]])


def measure_cold(session: Session, library: Path, video: Path, questions: Sequence[str]) -> Beside:
    """Put each question from a shell of its own, in turns with a process that only imports what asking needs."""

    def command(question: str) -> Callable[[], object]:
        return partial(run, longtake(session, library, "ask", str(video), question, "--json"))

    pairs = [(timed(partial(run, python("-c", _FLOOR))), timed(command(question))) for question in questions]
    return Beside.of([ours for _, ours in pairs], [floor for floor, _ in pairs])
