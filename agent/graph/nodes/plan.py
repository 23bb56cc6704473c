"""Asks the controller for the next calls or the answer, and checks the guards."""

from __future__ import annotations

import time
from typing import Any

from langchain_core.messages import AIMessage, message_to_dict
from langgraph.runtime import Runtime

from longtake.agent.controllers.asking import ASKED_AGAIN, reply, tokens
from longtake.agent.controllers.call_parsing.calls import read_reply
from longtake.agent.controllers.compaction import reply_that_fits
from longtake.agent.controllers.reply import REPLY, Reply
from longtake.agent.graph.routing import SILENT, guard_reached
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress
from longtake.agent.prompts.render import prompts_hash
from longtake.agent.verification.claims import abstention
from longtake.errors import Cancelled, EngineError


def plan(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Get one reply from the controller: tool calls or a draft."""
    context = runtime.context
    guard = guard_reached(state, context.tools)
    if guard:
        return _ended(guard, state, context)
    started = time.time()
    tools = context.tools
    controller = context.controller if state.stands_in is None or context.stand_in is None else context.stand_in
    schemas = context.toolbox.schemas(tuple(tools.videos))
    timeout = tools.settings.controller.timeout
    try:
        answered, messages, shortened = reply_that_fits(
            lambda asked: reply(controller, asked, schemas, timeout=timeout, budget=tools.budget),
            state.messages,
        )
    except (EngineError, Cancelled) as error:
        guard = guard_reached(state, tools) or _stopped_answering(state.progress, error)
        if guard is None:
            raise
        return _ended(guard, state, context)
    answered = AIMessage.model_validate(context.trace.masked(answered.model_dump()))
    message, repairs = read_reply(answered, context.toolbox, state.progress.rounds)
    spent = tokens(message)
    step = context.trace.event(
        "model",
        started=started,
        parent=state.progress.model_step,
        given={"messages": [message_to_dict(item) for item in messages], "tools": schemas},
        result=message_to_dict(answered),
        data={
            "repairs": repairs,
            "shortened": shortened,
            "asked_again": answered.response_metadata.get(ASKED_AGAIN, []),
            "calls": [{"tool": call["name"], "arguments": call["args"]} for call in message.tool_calls],
            "prompts": prompts_hash(),
        },
        usage=spent,
    )
    draft = None if message.tool_calls else abstention(message.text) or message.text.strip()
    handed = None if message.tool_calls else message.additional_kwargs.get(REPLY)
    return {
        "messages": [*messages, message],
        "draft": draft,
        "reply": Reply.model_validate(handed) if handed else None,
        "progress": _spent(state.progress, spent, step),
    }


def _stopped_answering(progress: Progress, error: Exception) -> str | None:
    """If the endpoint answered before, end the run with what was found; otherwise the run fails."""
    return f"{SILENT} ({str(error).rstrip('.')})" if progress.rounds else None


def _ended(guard: str, state: AgentState, context: RunContext) -> dict[str, Any]:
    context.trace.event("guard", started=time.time(), parent=state.progress.model_step, data={"guard": guard})
    return {"progress": state.progress.model_copy(update={"guard": guard})}


def _spent(progress: Progress, usage: dict[str, int], step: int) -> Progress:
    return progress.model_copy(update={"rounds": progress.rounds + 1, "model_step": step}).spending(usage)
