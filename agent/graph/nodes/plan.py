"""Asks the controller for the next calls or the answer, and checks the guards."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, message_to_dict
from langgraph.runtime import Runtime

from longtake.agent.controllers.asking import ASKED_AGAIN, reply, reply_that_fits, tokens, with_pictures
from longtake.agent.controllers.call_parsing.calls import CUT, read_reply
from longtake.agent.drafts.draft import (
    ANSWER,
    Draft,
    answer_schema,
    draft_of_call,
    draft_of_prose,
    is_data,
    says_nothing,
)
from longtake.agent.drafts.publishing import live
from longtake.agent.graph.routing import OUT_OF_TIME, SILENT, STOPPED, guard_reached
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress
from longtake.agent.prompts.render import prompts_hash, render
from longtake.errors import Cancelled, EngineError

MAX_UNREAD = 1  # replies in a row that say nothing, after which the controller counts as silent
JUDGING = 0.4  # share of the time left at the last turn that is kept for judging its draft


def plan(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Get one reply from the controller: tool calls or a draft. At a limit it is asked once more, without tools."""
    context = runtime.context
    guard = guard_reached(state, context)
    if guard is None:
        return _round(state, context, state.messages, [*_tools(state, context), answer_schema(state.options)])
    ended = _stop(guard, state.progress, context)
    if guard == STOPPED or not context.plans_by_model(state):
        return ended
    asked = HumanMessage(render("last", why=guard, options=state.options))
    made = _round(state, context, [*state.messages, asked], [], share=1 - JUDGING)
    progress: Progress = made["progress"]
    return made | {"progress": progress.model_copy(update={"guard": progress.guard or guard})}


def _round(
    state: AgentState,
    context: RunContext,
    messages: Sequence[BaseMessage],
    schemas: list[dict[str, Any]],
    *,
    share: float = 1.0,
) -> dict[str, Any]:
    """One reply to the messages."""
    started = time.time()
    tools = context.tools
    budget = tools.budget if share == 1.0 else tools.budget.share(share * tools.budget.left)
    controller, timeout = _controller(state, context), tools.settings.controller.timeout
    try:
        answered, sent, shortened = reply_that_fits(
            lambda asked: reply(
                controller,
                with_pictures(asked, context.frames),
                schemas,
                timeout=timeout,
                budget=budget,
                on_text=_live(state, context),
            ),
            messages,
        )
    except (EngineError, Cancelled) as error:
        stopped = STOPPED if tools.budget.stopped else OUT_OF_TIME if tools.budget.left <= 0 else None
        silent = f"{SILENT} ({str(error).rstrip('.')})"
        return _stop(stopped or silent, state.progress, context)
    answered = AIMessage.model_validate(context.trace.masked(answered.model_dump()))
    message, repairs = read_reply(answered, context.toolbox, state.progress.rounds)
    by_model = context.plans_by_model(state)
    draft, broken = _draft(message, state.options, by_model=by_model, last=not schemas)
    # In the last turn, which offers no tools, calls are no reply.
    calls = [] if draft or not schemas else [call for call in message.tool_calls if call["name"] != ANSWER]
    spent = tokens(message)
    step = context.trace.event(
        "model",
        started=started,
        parent=state.progress.model_step,
        given={"messages": [message_to_dict(item) for item in sent], "tools": schemas},
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
    progress = state.progress.spending(spent, context.profile.price)
    compacted = progress.compacted or bool(shortened)
    progress = progress.model_copy(update={"rounds": progress.rounds + 1, "model_step": step, "compacted": compacted})
    if draft or calls:
        progress = progress.model_copy(update={"unread": 0})
    if draft:
        return {"messages": [*sent, message], "draft": draft, "judged": None, "progress": progress}
    if calls:
        return {"messages": [*sent, message.model_copy(update={"tool_calls": calls})], "progress": progress}
    progress = progress.model_copy(update={"unread": progress.unread + 1})
    if progress.unread > MAX_UNREAD or not schemas:
        guard = f"{SILENT} (its replies say nothing)"
        return _stop(guard, progress, context)
    told = render("empty")
    back = (
        [message, *(ToolMessage(told, tool_call_id=call["id"]) for call in broken)] if broken else [HumanMessage(told)]
    )
    return {"messages": [*sent, *back], "progress": progress}


def _tools(state: AgentState, context: RunContext) -> list[dict[str, Any]]:
    """The tools that the controller may call: for a language model those that work here."""
    schemas = context.toolbox.schemas(tuple(context.tools.videos))
    briefing = state.gathered.briefing if state.gathered else None
    if briefing is None or not context.plans_by_model(state):
        return schemas
    return [schema for schema in schemas if schema["function"]["name"] in briefing.tools]


def _live(state: AgentState, context: RunContext) -> Callable[[str], None] | None:
    """Passes on a reply as it is written, with times for ids, unless only what is supported may be said."""
    if context.on_text is None or context.tools.settings.verification.mode == "strict":
        return None
    return live(context.on_text, state.moments, context.names)


def _controller(state: AgentState, context: RunContext) -> BaseChatModel:
    return context.controller if context.plans_by_model(state) or context.stand_in is None else context.stand_in


def _draft(message: AIMessage, options: Sequence[str], *, by_model: bool, last: bool) -> tuple[Draft | None, list[Any]]:
    """The draft of a reply, if it is one, and its calls of `answer` that can't be read.

    In the last turn, which offers no tools, the text counts whatever is called beside it.
    """
    answers = [call for call in message.tool_calls if call["name"] == ANSWER]
    if answers and not by_model:
        return Draft.model_validate(answers[-1]["args"]), []
    drafts = [draft for call in answers if (draft := draft_of_call(call["args"], options, beside=message.text))]
    cut = {"cut": message.response_metadata.get(CUT, "")}
    if drafts:
        return drafts[-1].model_copy(update=cut), []
    if (message.tool_calls and not last) or says_nothing(message.text, options) or is_data(message.text):
        return None, answers
    return draft_of_prose(message.text, options).model_copy(update=cut), []


def _stop(guard: str, progress: Progress, context: RunContext) -> dict[str, Any]:
    context.trace.event("guard", started=time.time(), parent=progress.model_step, data={"guard": guard})
    return {"progress": progress.model_copy(update={"guard": guard})}
