"""Lets the extractive controller take over from a language model that fails or says nothing."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from longtake.agent.graph.nodes.brief import by_own_id
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState


def stand_in(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Restart with the question and what was found for it. The extractive controller plans from here."""
    opening = list(state.messages[:2])  # the instructions, and the question with what was found
    progress = state.progress.model_copy(update={"guard": None, "rounds_before": state.progress.rounds, "unread": 0})
    moments = state.moments | by_own_id(state.evidence)
    update = {"messages": opening, "moments": moments, "results": [], "progress": progress}
    return update | {"stands_in": state.progress.guard}
