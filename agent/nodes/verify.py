"""Hold the draft against the evidence."""

from __future__ import annotations

import time
from typing import Any

from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from longtake.agent.claims import LETTER, NOT_FOUND, check_draft
from longtake.agent.context import RunContext
from longtake.agent.prompts.render import render
from longtake.agent.routing import MOST_CHECKS
from longtake.agent.state import AgentState


def verify(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Check every claim of the draft; send it back once when some rest on nothing."""
    started = time.time()
    draft = state.draft or ""
    if not draft or draft.startswith(NOT_FOUND):
        return {"claims": []}
    checked = check_draft(LETTER.sub("", draft) if state.options else draft, state.evidence, _computed(state))
    unsupported = [claim.text for claim in checked.claims if claim.verdict != "supported"]
    progress = state.progress.model_copy(update={"checks": state.progress.checks + 1})
    runtime.context.trace.event(
        "verify",
        started=started,
        given={"draft": draft},
        result=[claim.model_dump(mode="json") for claim in checked.claims],
        data={"unsupported": len(unsupported), "citations_removed": checked.removed},
    )
    update: dict[str, Any] = {"claims": list(checked.claims), "removed": checked.removed, "progress": progress}
    if unsupported and progress.checks <= MOST_CHECKS and not state.progress.guard:
        back = HumanMessage(render("unsupported", claims=unsupported))
        update |= {"messages": [*state.messages, back], "draft": None}
    return update


def _computed(state: AgentState) -> list[str]:
    """Results of the calculator in this run."""
    return [
        str(message.artifact["output"].get("result", ""))
        for message in state.messages
        if isinstance(message, ToolMessage) and message.name == "calculator" and message.artifact
    ]
