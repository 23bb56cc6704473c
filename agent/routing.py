"""Which node follows which, and the guards that end a run; pure functions of the state."""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AIMessage

from longtake.agent.state import AgentState
from longtake.tools.context import ToolContext

MOST_CHECKS = 1  # how often a draft with unsupported claims goes back to the controller


def guard_reached(state: AgentState, tools: ToolContext) -> str | None:
    """The guard that ends this run now, in words; None while there is budget and progress."""
    budget, progress = tools.settings.budget, state.progress
    if tools.budget.stopped:
        return "it was stopped"
    if tools.budget.left <= 0:
        return "the time ran out"
    if progress.rounds >= budget.rounds:
        return f"the limit of {budget.rounds} rounds was reached"
    if progress.input_tokens + progress.output_tokens >= budget.tokens:
        return f"the limit of {budget.tokens} tokens was reached"
    if budget.cost and run_cost(state, tools) >= budget.cost:
        return f"the limit of {budget.cost:g} in cost was reached"
    if len(state.results) >= 2 and state.results[-1] == state.results[-2]:
        return "the same calls gave the same results twice"
    return None


def run_cost(state: AgentState, tools: ToolContext) -> float:
    """What the controller's tokens cost, at the profile's prices."""
    price = tools.settings.controller.price
    spent = state.progress.input_tokens * price.input + state.progress.output_tokens * price.output
    return round(spent / 1_000_000, 6)


def after_plan(state: AgentState) -> Literal["act", "verify"]:
    """Calls are run; a draft, or a guard, goes to verification."""
    last = state.messages[-1]
    if state.progress.guard is None and isinstance(last, AIMessage) and last.tool_calls:
        return "act"
    return "verify"


def after_verify(state: AgentState) -> Literal["plan", "answer"]:
    """A draft with unsupported claims goes back, once, while no guard has ended the run."""
    unsupported = any(claim.verdict != "supported" for claim in state.claims)
    again = unsupported and state.progress.guard is None and state.progress.checks <= MOST_CHECKS and state.draft is None
    return "plan" if again else "answer"
