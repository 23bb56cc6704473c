"""Retrieves the best evidence before any controller runs and opens the conversation with it."""

from __future__ import annotations

import time
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from longtake.agent.controllers.extractive.model import GATHERED, QUERY
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState
from longtake.agent.prompts.render import render
from longtake.agent.query.query import Query
from longtake.memory.timespan import clock

_LETTERS_A_TOKEN = 4  # of English text, as a rule of thumb


def gather(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Search the likely sources within the named scope. The results become evidence and part of the first message."""
    started = time.time()
    context, query = runtime.context, state.query
    settings = context.tools.settings
    assert query is not None, "orient runs first"
    gathered = context.gather(query, context)
    found = gathered.evidence
    context.trace.event(
        "gather",
        started=started,
        parent=0,
        result=gathered.model_dump(mode="json"),
        data={"found": len(gathered.found)},
        spans=[(item.video, item.span.start, item.span.end) for item in found],
        evidence=[item.id for item in found],
    )
    known = {item.key for item in state.evidence}
    return {
        "gathered": gathered,
        "messages": _opening(query, gathered, settings.gathering.tokens_for(settings.controller.engine)),
        "evidence": [*state.evidence, *(item for item in found if item.key not in known)],
    }


def _opening(query: Query, gathered: Gathered, tokens: int) -> list[BaseMessage]:
    asked = render("question", query=query, lines=_lines(query, gathered, tokens * _LETTERS_A_TOKEN))
    # Controllers that read data find the query and the evidence here; those that read text find them in the prompt.
    data = {QUERY: query.model_dump(mode="json"), GATHERED: gathered.model_dump(mode="json")}
    return [SystemMessage(render("system", query=query)), HumanMessage(asked, additional_kwargs=data)]


def _lines(query: Query, gathered: Gathered, letters: int) -> list[str]:
    """The likeliest lines within the token budget, in the order of the video."""
    ranked = sorted(gathered.found, key=lambda each: -(each.cosine + query.chance(each.modality) + each.anchored))
    chosen: dict[str, float] = {}
    for found in ranked:
        name = f"{query.names[found.evidence.video]} " if len(query.names) > 1 else ""
        doubt = "" if found.evidence.trusted else ", doubtful"
        line = f"[{name}{clock(found.span.start)}] {found.modality}{doubt}: {found.text}"
        if line not in chosen and sum(map(len, chosen)) + len(line) <= letters:
            chosen[line] = found.span.start
    return sorted(chosen, key=lambda line: chosen[line])
