"""Runs the calls of a round in parallel."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.runtime import Runtime

from longtake.agent.controllers.call_parsing.calls import SENT
from longtake.agent.controllers.tool_text import PromptText
from longtake.agent.gathering.moments import shown, shown_result
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress
from longtake.console import counted
from longtake.memory.layers import canonical_json
from longtake.memory.records import FoundBy, Moment
from longtake.tools.core.frames import is_frame
from longtake.tools.core.result import ToolResult

_AT_ONCE = 4  # calls of one round
SEARCH = "cross_modal_search"


def act(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Call the tools that the controller asked for, and add their findings to the evidence."""
    context = runtime.context
    asked = state.messages[-1]
    calls = asked.tool_calls if isinstance(asked, AIMessage) else []
    sent = asked.additional_kwargs.get(SENT, {})
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        try:
            done = list(pool.map(lambda call: _call(call, sent, context, state), calls))
        except KeyboardInterrupt:
            # Ctrl-C arrives here in the main thread. The pool waits for its calls, so stop them at once.
            context.tools.budget.stop()
            raise
    results = [result for result, _ in done]
    texts, moments, found_by = _result_messages(state, calls, results, context)
    read = [pair for pair in zip(calls, results, strict=True) if pair[0]["name"] != SEARCH and not pair[1].failure]
    replies = [_message(*each) for each in zip(calls, results, texts, strict=True)]
    return {
        "messages": [*state.messages, *replies, *_pictures(state, moments)],
        "evidence": _joined(state.evidence, results),
        "moments": moments,
        "found_by": found_by,
        "results": [*state.results, canonical_json([_fingerprint(c, r) for c, r in zip(calls, results, strict=True)])],
        "examined": [*state.examined, *(span for pair in read for span in _looked_at(*pair, context))],
        "progress": _add_usage(state.progress, [spent for _, spent in done], context),
    }


def _call(
    call: ToolCall, sent: Mapping[str, Any], context: RunContext, state: AgentState
) -> tuple[ToolResult, Counter[str]]:
    """The outcome of a call, and the tokens that the tool spent on the controller's model."""
    started, asked_at = time.time(), state.progress.model_step
    text_model = PromptText(context, asked_at, call["name"], call["id"] or "")
    by_model = context.plans_by_model(state)
    tools = replace(
        context.tools,
        text_model=text_model if by_model else None,
        frames=context.frames if by_model and context.profile.sees else None,
        call=call["id"] or "",
    )
    made = context.toolbox.call(call["name"], call["args"], tools)
    if by_model:
        whole = (context.moments(item.video).around(item) if item.video else item for item in made.evidence)
        made = made.model_copy(update={"evidence": tuple({item.id: item for item in whole}.values())})
    reply = made.model_dump(mode="json")
    result = ToolResult.model_validate(context.trace.masked(reply))
    context.trace.event(
        "tool",
        started=started,
        parent=asked_at,
        given=sent.get(call["id"] or ""),
        result=reply,
        data={
            "tool": call["name"],
            "call": call["id"],
            "arguments": call["args"],
            "notes": list(result.notes),
            "cached": result.cached,
            "failure": result.failure.kind if result.failure else None,
        },
        spans=_looked_at(call, result, context),
        evidence=[item.id for item in result.evidence],
    )
    return result, text_model.spent


def _add_usage(progress: Progress, spent: Sequence[Counter[str]], context: RunContext) -> Progress:
    total = sum(spent, Counter[str]())
    progress = progress.spending(total, context.profile.price)
    return progress.model_copy(update={"tool_calls": progress.tool_calls + len(spent)})


def _looked_at(call: ToolCall, result: ToolResult, context: RunContext) -> list[tuple[str, float, float]]:
    """The spans that a call examined; a search over several videos names one for each, in their order."""
    videos = list(context.tools.videos.values())
    named = [video.id for video in videos if call["args"].get("video") in (video.id, video.record.name)]
    seen = named[:1] * len(result.looked_at) if named else [video.id for video in videos]
    if len(seen) < len(result.looked_at):
        seen = seen[:1] * len(result.looked_at)
    return [(video, span.start, span.end) for video, span in zip(seen, result.looked_at, strict=False)]


def _result_messages(
    state: AgentState, calls: Sequence[ToolCall], results: Sequence[ToolResult], context: RunContext
) -> tuple[list[str], dict[str, Moment], dict[str, FoundBy]]:
    """The results as the controller reads them, all moments that it has read, and the call that found each first.

    What a long result leaves out gets no id. The last result says what is left.
    """
    settings, by_model = context.tools.settings, context.plans_by_model(state)
    moments, found_by = dict(state.moments), dict(state.found_by)
    texts: list[str] = []
    for call, result in zip(calls, results, strict=True):
        items = [item for item in result.evidence if item.video]
        found = shown(items, moments, context.moments) if by_model else {item.id: item for item in items}
        known = {} if state.progress.compacted else moments  # what was shortened can't be read above
        text, printed = shown_result(result, found, known, context.names, settings.tools.result_characters)
        new = {name: item for name, item in found.items() if name not in moments and (name in printed or not by_model)}
        by = FoundBy(tool=call["name"], call=call["id"], arguments=call["args"])
        found_by |= dict.fromkeys(new, by)
        moments |= new
        texts.append(text)
    budget, progress = settings.budget, state.progress
    left = budget.rounds - (progress.rounds - progress.rounds_before)
    tokens = max(0, budget.tokens - progress.input_tokens - progress.output_tokens)
    said = f"({counted(left, 'round')} and {tokens:,} tokens are left.)"
    return ([*texts[:-1], f"{texts[-1]}\n{said}"] if texts else []), moments, found_by


def _pictures(state: AgentState, moments: Mapping[str, Moment]) -> list[HumanMessage]:
    """The pictures among the new moments, which results of tools can't hold, each after its id."""
    parts: list[str | dict[str, Any]] = []
    for identity, moment in moments.items():
        if is_frame(moment) and identity not in state.moments:
            parts.append({"type": "text", "text": f"{identity}, {moment.text}:"})
            parts.append({"type": "image_url", "image_url": {"url": moment.frame or ""}})
    return [HumanMessage(parts)] if parts else []


def _message(call: ToolCall, result: ToolResult, text: str) -> ToolMessage:
    return ToolMessage(
        text,
        tool_call_id=call["id"] or "",
        name=call["name"],
        artifact=result.model_dump(mode="json"),
        status="error" if result.failure else "success",
    )


def _joined(evidence: list[Moment], results: list[ToolResult]) -> list[Moment]:
    found = (item for result in results for item in result.evidence)
    known = {item.id: item for item in reversed([*evidence, *found])}
    return list(known.values())[::-1]


def _fingerprint(call: ToolCall, result: ToolResult) -> list[Any]:
    """What makes two rounds the same: their calls and results."""
    return [call["name"], call["args"], result.output, result.failure.model_dump() if result.failure else None]
