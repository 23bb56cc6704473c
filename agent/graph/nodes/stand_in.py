"""Lets the extractive controller take over from one that found nothing, so a weak model is never worse than none."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from longtake.agent.graph.routing import why_stand_in
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState


def stand_in(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Restart with the question and the evidence so far. The extractive controller plans from here."""
    opening = list(state.messages[:2])  # the instructions, and the question with what was found
    progress = state.progress.model_copy(update={"guard": None, "rounds_before": state.progress.rounds})
    return {
        "stands_in": why_stand_in(state),
        "messages": opening,
        "draft": None,
        "reply": None,
        "results": [],
        "progress": progress,
    }
