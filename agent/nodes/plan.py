"""Ask the controller what to do next, or for its answer; the guards stand here."""

from __future__ import annotations

import time
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, message_to_dict
from langgraph.runtime import Runtime

from longtake.agent.context import RunContext
from longtake.agent.controllers.calls import read_reply
from longtake.agent.controllers.endpoint import reply
from longtake.agent.routing import guard_reached
from longtake.agent.state import AgentState, Progress


def plan(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """One reply of the controller: tool calls, or a draft of the answer."""
    context = runtime.context
    guard = guard_reached(state, context.tools)
    if guard:
        context.trace.event("guard", started=time.time(), data={"guard": guard})
        return {"progress": state.progress.model_copy(update={"guard": guard})}
    started = time.time()
    schemas = context.toolbox.schemas(tuple(context.tools.videos))
    answered = reply(context.controller, state.messages, schemas)
    message, repairs = read_reply(answered, context.toolbox)
    usage = message.usage_metadata
    spent = {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]} if usage else {}
    context.trace.event(
        "model",
        started=started,
        given={"messages": [message_to_dict(item) for item in state.messages], "tools": schemas},
        result=message_to_dict(answered),
        data={"repairs": repairs},
        usage=spent,
    )
    messages: list[BaseMessage] = [*state.messages, message]
    return {"messages": messages, "draft": _draft(message), "progress": _spent(state.progress, spent)}


def _draft(message: AIMessage) -> str | None:
    return None if message.tool_calls else message.text.strip()


def _spent(progress: Progress, usage: dict[str, int]) -> Progress:
    return progress.model_copy(
        update={
            "rounds": progress.rounds + 1,
            "input_tokens": progress.input_tokens + usage.get("input_tokens", 0),
            "output_tokens": progress.output_tokens + usage.get("output_tokens", 0),
        }
    )
