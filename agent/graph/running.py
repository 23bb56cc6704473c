"""Runs the graph on one question. However the run ends, the trace is complete and there is an answer."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Durability
from langsmith.run_helpers import tracing_context

from longtake.agent.graph.graph import Graph
from longtake.agent.graph.nodes.publish import usage_of
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import Progress, Question
from longtake.errors import LibraryError, LongtakeError
from longtake.memory.records import Answer
from longtake.memory.timespan import SpanError


def run_graph(graph: Graph, asked: Question, context: RunContext, thread: str) -> Answer:
    """Answer a question and close the trace. An error that a person can act on becomes a failed answer.

    Args:
        graph: the compiled graph, with the checkpoints of its threads.
        asked: the question.
        context: what the nodes receive.
        thread: the conversation to which the checkpoints belong.
    """
    state: dict[str, Any] = {}
    with closing(context.trace):
        try:
            return _run(graph, asked, context, thread, state)
        except KeyboardInterrupt:
            context.trace.event("error", started=time.time(), parent=0, data={"error": "interrupted"})
            raise
        except (LongtakeError, SpanError) as error:
            context.trace.event("error", started=time.time(), parent=0, data={"error": str(error)})
            return _failed(asked, context, state, _sentence(error))


def _run(graph: Graph, asked: Question, context: RunContext, thread: str, state: dict[str, Any]) -> Answer:
    """Run the graph. `state` collects what the nodes return, even if a later node fails."""
    context.trace.event(
        "run",
        started=context.started,
        given={
            "question": asked.question,
            "options": list(asked.options),
            "videos": list(asked.videos),
            "known": context.known.model_dump(mode="json"),
        },
        result=context.tools.settings.model_dump(mode="json"),
        data={"thread": thread, **context.origin},
    )
    # Our own guards end a run. LangGraph's limit, which would discard the work, is far above them.
    steps = 4 * context.tools.settings.budget.rounds + 10
    config: RunnableConfig = {"configurable": {"thread_id": thread}, "recursion_limit": steps}
    # If the environment names a server, LangChain would send its own traces there; ours stay here.
    with tracing_context(enabled=False):
        durability: Durability | None = "exit" if graph.checkpointer else None
        updates = graph.stream(asked, config, context=context, stream_mode="updates", durability=durability)
        # Closing writes the checkpoint, even on Ctrl-C between two steps.
        with closing(cast("Generator[dict[str, Any], None, None]", updates)):
            for update in updates:
                for changed in update.values():
                    state.update(changed or {})
    answer = state.get("answer")
    if not isinstance(answer, Answer):
        raise LibraryError("The run ended without an answer.")
    return answer


def _failed(asked: Question, context: RunContext, state: Mapping[str, Any], error: str) -> Answer:
    """The answer of an interrupted run, with its usage and coverage so far."""
    query = state.get("query")
    return Answer(
        question=asked.question,
        status="failed",
        answer="",
        options=asked.options,
        coverage=dict(query.coverage) if query else {},
        usage=usage_of(state.get("progress", Progress()), context),
        trace=context.trace.kept,
        error=error,
    )


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"The question can't be answered: {text}." if isinstance(error, SpanError) else text
