"""Checks the draft against the evidence."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime

from longtake.agent.controllers.tool_text import PromptText
from longtake.agent.graph.routing import MAX_CHECKS
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState
from longtake.agent.prompts.render import render
from longtake.agent.verification.claims import LETTER, NOT_FOUND, Checked, check_draft, check_reply, split_gap
from longtake.agent.verification.provenance import attach_sources, calls_made, grounded, made
from longtake.agent.verification.verdicts import Grounds
from longtake.agent.verification.verifier import EntailmentVerifier, LexicalVerifier, Verifier
from longtake.memory.records import Citation, Citing


def verify(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Check every claim of the draft. Send the draft back once if it is empty or has unsupported claims."""
    started = time.time()
    if state.draft is None:
        return {}  # a guard ended the run; an earlier check still counts
    context = runtime.context
    prompts = PromptText(context, state.progress.model_step)
    abstains = state.reply is None and state.draft.startswith(NOT_FOUND)
    checked = Checked((), Citing()) if abstains else _check(state, context, prompts)
    unsupported = [claim.text for claim in checked.claims if claim.verdict != "supported"]
    progress = state.progress.model_copy(update={"checks": state.progress.checks + 1}).spending(prompts.spent)
    context.trace.event(
        "verify",
        started=started,
        parent=state.progress.model_step,
        given={"draft": state.draft},
        result=[claim.model_dump(mode="json") for claim in checked.claims],
        data={"unsupported": len(unsupported), "citations_removed": checked.removed},
        evidence=[item.id for item in state.evidence],
    )
    update: dict[str, Any] = {"claims": list(checked.claims), "citing": checked.citing, "progress": progress}
    if state.reply is None and (unsupported or not state.draft) and progress.checks <= MAX_CHECKS:
        text = render("unsupported", claims=unsupported) if unsupported else render("empty")
        back = HumanMessage(text, additional_kwargs={"unsupported": unsupported})
        update |= {"messages": [*_spoken(state), back], "draft": None}
    return update


def _check(state: AgentState, context: RunContext, prompts: PromptText) -> Checked:
    names = {video.id: video.record.name for video in context.tools.videos.values()}
    calls = calls_made(state.messages)
    question = state.query.question if state.query else state.question
    grounds = Grounds(
        computed=tuple(grounded(calls, state.evidence, question)),
        made=tuple(made(calls, state.evidence)),
        question=question,
    )
    verifier: Verifier = EntailmentVerifier(prompts.complete) if context.entails else LexicalVerifier()
    if state.reply is not None:
        checked = check_reply(state.reply, state.evidence, grounds, verifier)
    else:
        checked = check_draft(_statement(state), state.evidence, grounds, names, verifier)
    gathered = frozenset(Citation.of(item) for item in (state.gathered.evidence if state.gathered else ()))
    claims = tuple(attach_sources(claim, state.evidence, calls, gathered) for claim in checked.claims)
    return replace(checked, claims=claims)


def _statement(state: AgentState) -> str:
    """The statements of a draft, without an option's letter and what wasn't found. A bare letter states its option."""
    draft, _ = split_gap(state.draft or "")
    match = LETTER.match(draft) if state.options else None
    if match is None:
        return draft
    number = ord(match[1].upper()) - ord("A")
    return draft[match.end() :].strip() or (state.options[number] if number < len(state.options) else draft)


def _spoken(state: AgentState) -> list[Any]:
    """The conversation without empty replies, which endpoints reject."""
    last = state.messages[-1]
    empty = isinstance(last, AIMessage) and not last.text and not last.tool_calls
    return state.messages[:-1] if empty else state.messages
