"""Decides which node comes next and when a run must end. Pure functions of the state."""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress
from longtake.models.profiles import profile_of
from longtake.tools.core.tool_context import ToolContext

STOPPED = "it was stopped"
SILENT = "the controller stopped answering"
OUT_OF_TIME = "time ran out"
MAX_CHECKS = 1  # times that a draft with unsupported claims goes back to the controller
MAX_REPEATS = 2  # rounds that may repeat the calls and results of an earlier one


def guard_reached(state: AgentState, tools: ToolContext) -> str | None:
    """Why the run must end now; None while there is budget and progress."""
    budget, progress = tools.settings.budget, state.progress
    if tools.budget.stopped:
        return STOPPED
    if tools.budget.left <= 0:
        return OUT_OF_TIME
    if progress.rounds - progress.rounds_before >= budget.rounds:
        return f"the limit of {budget.rounds} rounds was reached"
    if state.stands_in is None and progress.input_tokens + progress.output_tokens >= budget.tokens:
        return f"the limit of {budget.tokens} tokens was reached"
    if state.stands_in is None and budget.cost and run_cost(progress, tools) >= budget.cost:
        return f"the price reached its limit of {budget.cost:g}"
    if state.results and state.results.count(state.results[-1]) > MAX_REPEATS:
        return "the same calls kept giving the same results"
    return None


def run_cost(progress: Progress, tools: ToolContext) -> float:
    """The cost of the controller's tokens at the profile's prices."""
    price = profile_of(tools.settings.controller).price
    spent = progress.input_tokens * price.input + progress.output_tokens * price.output
    return round(spent / 1_000_000, 6)


def why_stand_in(state: AgentState) -> str:
    """Why the controller's own answer can't stand; empty if it can, or if the run was stopped."""
    if state.progress.guard in (STOPPED, OUT_OF_TIME):
        return ""
    if state.progress.guard:
        return state.progress.guard
    if any(claim.verdict == "supported" for claim in state.claims):
        return ""
    if state.claims:
        return "none of its statements is proven"
    return "it found no answer" if state.draft else "it said nothing"


def after_plan(state: AgentState) -> Literal["act", "verify"]:
    """Calls go to `act`; a draft or a guard goes to `verify`."""
    last = state.messages[-1]
    if state.progress.guard is None and isinstance(last, AIMessage) and last.tool_calls:
        return "act"
    return "verify"


def after_verify(state: AgentState, runtime: Runtime[RunContext]) -> Literal["plan", "stand_in", "answer"]:
    """A rejected draft goes back to `plan`. If a controller finds nothing, the other one stands in once."""
    if state.draft is None and state.progress.guard is None:
        return "plan"
    stands_in = runtime.context.stand_in is not None and state.stands_in is None
    return "stand_in" if stands_in and why_stand_in(state) else "answer"
