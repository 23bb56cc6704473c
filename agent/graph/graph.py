"""The state machine: orient, gather, plan and act in turns, verify, then plan again, stand in or answer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from filelock import FileLock
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from longtake.agent.controllers.reply import DraftClaim, Reply
from longtake.agent.gathering.gathered import Found, Gathered
from longtake.agent.graph.nodes.act import act
from longtake.agent.graph.nodes.answer import answer
from longtake.agent.graph.nodes.gather import gather
from longtake.agent.graph.nodes.orient import orient
from longtake.agent.graph.nodes.plan import plan
from longtake.agent.graph.nodes.stand_in import stand_in
from longtake.agent.graph.nodes.verify import verify
from longtake.agent.graph.routing import after_plan, after_verify
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress, Question, Turn
from longtake.agent.query.query import Anchor, Query, Reading, Scope
from longtake.errors import LibraryError
from longtake.memory.records import Answer, Citation, Citing, Claim, Closest, Evidence, FoundBy, Option, Usage
from longtake.memory.timespan import TimeSpan

_STORED = (
    *(Answer, Citation, Citing, Claim, Closest, Evidence, FoundBy, Option, TimeSpan, Usage),
    *(Anchor, Query, Reading, Scope, Found, Gathered, DraftClaim, Reply, Progress, Question, Turn),
)
Graph = CompiledStateGraph[AgentState, RunContext, Question, AgentState]


def build_graph(threads: SqliteSaver | None) -> Graph:
    """Wire the nodes. Models, tools and settings come from the run's context; `threads` keeps what a thread needs."""
    graph: StateGraph[AgentState, RunContext, Question, AgentState] = StateGraph(
        AgentState, context_schema=RunContext, input_schema=Question
    )
    for node in (orient, gather, plan, act, verify, stand_in, answer):
        graph.add_node(node)
    graph.add_edge(START, "orient")
    graph.add_edge("orient", "gather")
    graph.add_edge("gather", "plan")
    graph.add_conditional_edges("plan", after_plan)
    graph.add_edge("act", "plan")
    graph.add_conditional_edges("verify", after_verify)
    graph.add_edge("stand_in", "plan")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=threads)


def open_threads(file: Path) -> SqliteSaver:
    """The checkpoints of all threads, in the library's SQLite file.

    Raises:
        LibraryError: if the file is damaged or can't be written.
    """
    allowed = [(kind.__module__, kind.__name__) for kind in _STORED]
    try:
        # Two processes that create the same file at once would lock each other out: SQLite doesn't wait here.
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
