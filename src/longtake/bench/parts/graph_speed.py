"""Measures the overhead of a step of the agent's graph, with an instant controller and tool, on the demo video.

The run is real: the graph, its checkpoints in SQLite, the trace, the toolbox and the checks of a draft. The baseline,
run in the same turn, is a bare LangGraph graph of as many steps whose node does nothing, with the same kind of
checkpoints. Times of nodes come from the trace, so they exclude writing it.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypedDict, TypeVar

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langsmith.run_helpers import tracing_context

from longtake.agent.gathering.moments import LibraryMoments
from longtake.agent.graph.graph import build_graph
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import Question
from longtake.agent.graph.threads import open_threads
from longtake.agent.graph.video_metadata import Known, known_video
from longtake.agent.query.reader import LearnedReader
from longtake.agent.traces.trace import RecordedTrace, Trace
from longtake.bench.hour.reel import Notify
from longtake.bench.intervals import Spread
from longtake.bench.timing import Comparison, Machine, load
from longtake.errors import EngineError
from longtake.memory.library import Library, VideoRecord
from longtake.memory.records import Answer, Record
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.frames import Frames
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

T = TypeVar("T")

ROUNDS = 7  # of calls; with the answering reply, the default limit of a question
RUNS = 20
# By event type.
_NODES = {
    "orient": "orient",
    "brief": "brief",
    "model": "plan",
    "tool": "act",
    "judge": "judge",
    "answer": "answer",
}


class PerStep(Record):
    """Milliseconds per step of ours and of the floor, run by run, and their ratio pair by pair."""

    ours: Spread
    floor: Spread
    ratio: Spread

    @classmethod
    def of(cls, runs: Sequence[tuple[float, float]], steps: int) -> PerStep:
        """From the seconds of whole runs of this many steps, ours first."""
        ours, floor = ([1000 * seconds / steps for seconds in side] for side in zip(*runs, strict=True))
        compared = Comparison.of(ours, floor)
        return cls(ours=compared.seconds, floor=compared.floor, ratio=compared.ratio)

    def __str__(self) -> str:
        return f"{self.ours}; x the bare graph ({self.floor.median:.3g} ms): {self.ratio}"


class GraphSpeed(Record):
    """The public shape of `bench graph --json`; `nodes` are the milliseconds each took, in every run."""

    machine: Machine
    steps: int
    wall: PerStep
    cpu: PerStep
    nodes: dict[str, Spread]


class InstantModel(BaseChatModel):
    """Asks for a different sum each round, then states the last result."""

    rounds: int

    @property
    def _llm_type(self) -> str:
        return "longtake-instant"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any) -> InstantModel:
        """The model itself: it knows its tool."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        done = sum(isinstance(message, AIMessage) for message in messages)
        call = {"name": "calculator", "args": {"expression": f"{done} + 1"}, "id": f"sum-{done}", "type": "tool_call"}
        reply = AIMessage(f"The result is {done}.") if done == self.rounds else AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])


class _Counted(TypedDict):
    done: int


@dataclass(frozen=True, slots=True)
class _Clocked(Generic[T]):
    wall: float
    cpu: float
    result: T


def measure_graph(settings: Settings, notify: Notify, rounds: int = ROUNDS, runs: int = RUNS) -> GraphSpeed:
    """Index the demo video in a temporary folder and run both graphs in turns; the first turn isn't counted.

    Raises:
        EngineError: if a run doesn't end in an answer after this many rounds.
    """
    before = load()
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        notify("making and indexing the demo video")
        budget = settings.budget.model_copy(update={"rounds": rounds + 1})
        workspace = Workspace(Path(folder) / "library", settings.model_copy(update={"budget": budget}))
        video = workspace.add(make_demo(Path(folder) / "demo")).video
        steps = _steps(rounds)
        ask, bare = _asking(workspace, video, rounds), _bare(open_threads(Library(Path(folder))), steps)
        notify("running")
        bare()
        ask()
        turns = [(_clocked(bare), _clocked(ask)) for _ in range(runs)]
        nodes = _nodes(workspace.library.trace_root, [run.result for _, run in turns])
    return GraphSpeed(
        machine=Machine.since(before),
        steps=steps,
        wall=PerStep.of([(run.wall, floor.wall) for floor, run in turns], steps),
        cpu=PerStep.of([(run.cpu, floor.cpu) for floor, run in turns], steps),
        nodes=nodes,
    )


def show_graph(report: GraphSpeed) -> list[str]:
    """The report as lines to print."""
    return [
        str(report.machine),
        f"runs of {report.steps} steps; milliseconds per step as median [min, max] n=runs",
        f"wall      {report.wall}",
        f"cpu       {report.cpu}",
        "time in the nodes, n=executions",
        *(f"  {name:<8}{spread}" for name, spread in report.nodes.items()),
    ]


def _asking(workspace: Workspace, video: VideoRecord, rounds: int) -> Callable[[], str]:
    """A function that puts a question to the agent's graph and returns the id of the run."""
    graph = build_graph(None)
    toolbox, controller, reader = Toolbox(ALL_TOOLS), InstantModel(rounds=rounds), LearnedReader(workspace.engines)
    handles = {video.id: VideoHandle(video, workspace.library)}
    asked = Question("How much is 1 + 1?", (video.id,))

    def ask() -> str:
        budget = Budget(workspace.settings.budget.seconds)
        tools = ToolContext(handles, workspace.engines, workspace.index, workspace.settings, budget)
        with closing(Trace(workspace.library.trace_root)) as trace, tracing_context(enabled=False):
            known = Known(videos=tuple(known_video(handle) for handle in handles.values()))
            moments = LibraryMoments(handles)
            context = RunContext(
                toolbox, tools, controller, trace, time.time(), reader, moments, Frames(handles), known=known
            )
            answer: Answer = graph.invoke(asked, _thread(_steps(rounds)), context=context)["answer"]
        if (answer.status, answer.usage.tool_calls) != ("answered", rounds):
            raise EngineError(f"A run should have answered after {rounds} rounds, but ended with: {answer.answer}")
        return trace.run

    return ask


def _bare(threads: BaseCheckpointSaver[Any], steps: int) -> Callable[[], object]:
    """A function that runs a graph whose one node only counts, this many steps."""
    graph = StateGraph(_Counted)
    graph.add_node("step", _count)
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", partial(_next, steps=steps), ["step", END])
    compiled = graph.compile(checkpointer=threads)

    def run() -> object:
        with tracing_context(enabled=False):
            return compiled.invoke({"done": 0}, _thread(steps))

    return run


def _count(state: _Counted) -> _Counted:
    return {"done": state["done"] + 1}


def _next(state: _Counted, *, steps: int) -> str:
    return END if state["done"] == steps else "step"


def _thread(steps: int) -> RunnableConfig:
    return {"configurable": {"thread_id": uuid.uuid4().hex}, "recursion_limit": steps + 1}


def _steps(rounds: int) -> int:
    """Orient, gather, a plan and its calls per round, the answering plan, verify and answer."""
    return 2 * rounds + 5


def _clocked(work: Callable[[], T]) -> _Clocked[T]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return _Clocked(time.perf_counter() - wall, time.process_time() - cpu, result)


def _nodes(traces: Path, runs: Sequence[str]) -> dict[str, Spread]:
    """Milliseconds of each node in each run, from their traces."""
    events = [event for run in runs for event in RecordedTrace(traces, run).events()]
    return {
        node: Spread.of([1000 * event["seconds"] for event in events if event["type"] == kind])
        for kind, node in _NODES.items()
    }
