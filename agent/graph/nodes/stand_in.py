"""The extractive controller in place of one that came to nothing: a weak model is never worse than none."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from longtake.agent.graph.routing import why_stand_in
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState


def stand_in(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Begin again with the question and the evidence there is; the other controller plans from here."""
    opening = list(state.messages[:2])  # what it is told to do, and the question with what was found
    progress = state.progress.model_copy(update={"guard": None, "rounds_before": state.progress.rounds})
    return {
        "stands_in": why_stand_in(state),
        "messages": opening,
        "draft": None,
        "reply": None,
        "results": [],
        "progress": progress,
    }
