"""Which node follows which, and the guards that end a run; pure functions of the state."""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AIMessage

from longtake.agent.state import AgentState, Progress
from longtake.tools.context import ToolContext

STOPPED = "it was stopped"
OUT_OF_TIME = "the time ran out"
MOST_CHECKS = 1  # how often a draft with unsupported claims goes back to the controller
MOST_REPEATS = 2  # how often a round of calls may come to the very same as one before


def guard_reached(state: AgentState, tools: ToolContext) -> str | None:
    """The guard that ends this run now, in words; None while there is budget and progress."""
    budget, progress = tools.settings.budget, state.progress
    if tools.budget.stopped:
        return STOPPED
    if tools.budget.left <= 0:
        return OUT_OF_TIME
    if progress.rounds >= budget.rounds:
        return f"the limit of {budget.rounds} rounds was reached"
    if progress.input_tokens + progress.output_tokens >= budget.tokens:
        return f"the limit of {budget.tokens} tokens was reached"
    if budget.cost and run_cost(progress, tools) >= budget.cost:
        return f"the limit of {budget.cost:g} in cost was reached"
    if state.results and state.results.count(state.results[-1]) > MOST_REPEATS:
        return "the same calls gave the same results again and again"
    return None


def run_cost(progress: Progress, tools: ToolContext) -> float:
    """What the controller's tokens cost, at the profile's prices."""
    price = tools.settings.controller.price
    spent = progress.input_tokens * price.input + progress.output_tokens * price.output
    return round(spent / 1_000_000, 6)


def after_plan(state: AgentState) -> Literal["act", "verify"]:
    """Calls are run; a draft, or a guard, goes to verification."""
    last = state.messages[-1]
    if state.progress.guard is None and isinstance(last, AIMessage) and last.tool_calls:
        return "act"
    return "verify"


def after_verify(state: AgentState) -> Literal["plan", "answer"]:
    """A draft that was sent back is planned again, while no guard has ended the run."""
    return "plan" if state.draft is None and state.progress.guard is None else "answer"
