"""What the calls of a run made: results that are no moments of a video, and what was examined."""

from __future__ import annotations

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic import Field

from longtake.agent.gathering.shown_results import facts_beside
from longtake.console import counted
from longtake.memory.records import FoundBy, Record
from longtake.tools.core.result import ToolResult

_LONGEST = 600  # letters of a result that a judge reads
_WEB = "web_search"


class Made(Record):
    """A call of a run, and its result."""

    by: FoundBy
    result: ToolResult = Field(description="With its evidence.")


def calls_made(messages: Sequence[BaseMessage]) -> list[Made]:
    """The calls of a run, in order, with their results."""
    asked: dict[str | None, FoundBy] = {}
    made: list[Made] = []
    for message in messages:
        if isinstance(message, AIMessage):
            asked |= {
                call["id"]: FoundBy(tool=call["name"], call=call["id"], arguments=call["args"])
                for call in message.tool_calls
            }
        elif isinstance(message, ToolMessage) and message.artifact and message.tool_call_id in asked:
            made.append(Made(by=asked[message.tool_call_id], result=ToolResult.model_validate(message.artifact)))
    return made


def told(call: Made) -> str:
    """One line for a call: its arguments, and what it computed, printed, translated or found."""
    arguments = json.dumps(call.by.arguments, ensure_ascii=False)
    if call.result.failure:
        return f"{call.by.tool} {arguments} failed: {call.result.failure.message}"
    moments = [item for item in call.result.evidence if item.video]
    facts = facts_beside(call.result.output, " ".join(item.content for item in moments))
    found = counted(len(moments), "moment") if moments else ""
    results = ", ".join(filter(None, (found, json.dumps(facts, ensure_ascii=False)[:_LONGEST] if facts else "")))
    notes = "; ".join(call.result.notes)
    return " ".join(filter(None, (f"{call.by.tool} {arguments}: {results or 'nothing'}", notes and f"({notes})")))


def pages_read(calls: Sequence[Made]) -> bool:
    """Whether the run read pages of the web, which are no part of the video."""
    return any(call.by.tool == _WEB and not call.result.failure for call in calls)
