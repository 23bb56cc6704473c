"""The state machine: orient -> plan -> act -> (plan again ...) -> verify -> (plan again, or) answer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from filelock import FileLock
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from longtake.agent.context import RunContext
from longtake.agent.nodes.act import act
from longtake.agent.nodes.answer import answer
from longtake.agent.nodes.orient import orient
from longtake.agent.nodes.plan import plan
from longtake.agent.nodes.verify import verify
from longtake.agent.orientation import Orientation
from longtake.agent.routing import after_plan, after_verify
from longtake.agent.state import AgentState, Progress, Question, Turn
from longtake.errors import LibraryError
from longtake.memory.records import Answer, Citation, Citing, Claim, Evidence, Option, Usage
from longtake.memory.timespan import TimeSpan

_STORED = (Answer, Citation, Citing, Claim, Evidence, Option, Orientation, Progress, Question, TimeSpan, Turn, Usage)
Graph = CompiledStateGraph[AgentState, RunContext, Question, AgentState]


def build_graph(threads: SqliteSaver) -> Graph:
    """Wire the nodes; models, tools and settings come in through the run's context."""
    graph: StateGraph[AgentState, RunContext, Question, AgentState] = StateGraph(
        AgentState, context_schema=RunContext, input_schema=Question
    )
    for node in (orient, plan, act, verify, answer):
        graph.add_node(node)
    graph.add_edge(START, "orient")
    graph.add_edge("orient", "plan")
    graph.add_conditional_edges("plan", after_plan)
    graph.add_edge("act", "plan")
    graph.add_conditional_edges("verify", after_verify)
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=threads)


def open_threads(file: Path) -> SqliteSaver:
    """The checkpoints of all threads, in the library's SQLite file.

    Raises:
        LibraryError: when the file is damaged or cannot be written.
    """
    allowed = [(kind.__module__, kind.__name__) for kind in _STORED]
    try:
        # Two processes that make the same new file at once would lock each other out: SQLite does not wait here.
        with FileLock(file.with_suffix(".lock")):
            connection = sqlite3.connect(file, check_same_thread=False, timeout=30)
            threads = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=allowed))
            threads.setup()
    except (sqlite3.Error, OSError) as error:
        raise LibraryError(
            f"{file} cannot be used ({error}): see that there is room and that it may be written to, or move it away, "
            "and new threads begin in a new one."
        ) from error
    return threads
