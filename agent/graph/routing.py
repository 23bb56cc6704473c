"""Decides which node comes next and when a run must end. Pure functions of the state."""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState

STOPPED = "it was stopped"
SILENT = "the language model stopped answering"
OUT_OF_TIME = "time ran out"
MAX_CHECKS = 1  # times that a draft with unsupported claims goes back to the controller
MAX_REPEATS = 2  # rounds that may repeat the calls and results of an earlier one
KEPT, MOST_KEPT = 0.15, 30.0  # kept for a language model's last turn: a share of the time, and seconds at most


def guard_reached(state: AgentState, context: RunContext) -> str | None:
    """Why the run must end now; None while there is budget and progress."""
    tools, progress = context.tools, state.progress
    budget = tools.settings.budget
    by_model = context.plans_by_model(state)
    kept = min(KEPT * budget.seconds, MOST_KEPT) if by_model else 0.0
    if tools.budget.stopped:
        return STOPPED
    if tools.budget.left <= kept:
        return OUT_OF_TIME
    if progress.rounds - progress.rounds_before >= budget.rounds:
        return f"the limit of {budget.rounds} rounds was reached"
    if state.stands_in is None and progress.input_tokens + progress.output_tokens >= budget.tokens:
        return f"the limit of {budget.tokens} tokens was reached"
    if state.stands_in is None and budget.cost and progress.cost >= budget.cost:
        return f"the price reached its limit of {budget.cost:g}"
    if state.results and state.results.count(state.results[-1]) > MAX_REPEATS:
        return "the same calls kept giving the same results"
    return None


def after_plan(state: AgentState) -> Literal["act", "plan", "judge"]:
    """Calls go to `act`; a draft or a guard goes to `judge`; a reply that said nothing is asked for again."""
    if state.progress.guard is not None or (state.draft is not None and state.judged is None):
        return "judge"
    last = state.messages[-1]
    return "act" if isinstance(last, AIMessage) and last.tool_calls else "plan"


def after_judge(state: AgentState, runtime: Runtime[RunContext]) -> Literal["plan", "stand_in", "publish"]:
    """A draft with unsupported claims goes back once. Only for a model that is silent does another one stand in."""
    guard = state.progress.guard or ""
    if state.draft is None:
        silent = guard.startswith(SILENT) and state.stands_in is None and runtime.context.stand_in is not None
        return "stand_in" if silent else "publish"
    return "plan" if state.judged is not None and state.judged.sent_back and not guard else "publish"
