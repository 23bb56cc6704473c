"""The state of a run, the part of it that a thread keeps, and the calls of tools in it with their results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic import Field

from longtake.agent.drafts.draft import Draft
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.gathering.moments import facts_beside
from longtake.agent.query.query import Query
from longtake.agent.verification.judge import Judged
from longtake.console import counted
from longtake.memory.records import Answer, Citation, FoundBy, Moment, Record
from longtake.settings import PriceSettings
from longtake.tools.core.result import ToolResult

_LONGEST = 600  # characters of a result that a judge reads
_WEB = "web_search"


class FinishedCall(Record):
    """A call of a tool that has ended, and its result."""

    by: FoundBy
    result: ToolResult = Field(description="With its evidence.")


def calls_made(messages: Sequence[BaseMessage]) -> list[FinishedCall]:
    """The calls of a run, in order, with their results."""
    asked: dict[str | None, FoundBy] = {}
    made: list[FinishedCall] = []
    for message in messages:
        if isinstance(message, AIMessage):
            asked |= {
                call["id"]: FoundBy(tool=call["name"], call=call["id"], arguments=call["args"])
                for call in message.tool_calls
            }
        elif isinstance(message, ToolMessage) and message.artifact and message.tool_call_id in asked:
            made.append(
                FinishedCall(by=asked[message.tool_call_id], result=ToolResult.model_validate(message.artifact))
            )
    return made


def told(call: FinishedCall) -> str:
    """A call in one line, as a judge reads it: its arguments, and what it computed, printed, translated or found."""
    arguments = json.dumps(call.by.arguments, ensure_ascii=False)
    if call.result.failure:
        return f"{call.by.tool} {arguments} failed: {call.result.failure.message}"
    moments = [item for item in call.result.evidence if item.video]
    facts = facts_beside(call.result.output, " ".join(item.text for item in moments))
    found = counted(len(moments), "moment") if moments else ""
    results = ", ".join(filter(None, (found, json.dumps(facts, ensure_ascii=False)[:_LONGEST] if facts else "")))
    notes = "; ".join(call.result.notes)
    return " ".join(filter(None, (f"{call.by.tool} {arguments}: {results or 'nothing'}", notes and f"({notes})")))


def pages_read(calls: Sequence[FinishedCall]) -> bool:
    """Whether the run read pages of the web, which are no part of the video."""
    return any(call.by.tool == _WEB and not call.result.failure for call in calls)


class Turn(Record):
    """One question of a thread and its answer."""

    question: str
    answer: str
    proof: Citation | None = None  # the first of its citations or, if it is unsure, of its closest lines


REMEMBERED = 20  # earlier questions that the next one of a thread knows; few, as every step of a run writes them all


def latest(turns: list[Turn], more: list[Turn]) -> list[Turn]:
    """The last turns of a thread."""
    return [*turns, *more][-REMEMBERED:]


class Progress(Record):
    """How much a run has used so far, and the guard (a limit) that ended it, if one did."""

    rounds: int = 0
    rounds_before: int = 0  # rounds of the language model, if the extractive controller stands in for it
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    checks: int = 0  # drafts that were judged
    compacted: bool = False  # whether a part of the conversation was shortened
    unread: int = 0  # replies in a row that were empty or couldn't be read
    guard: str | None = None
    model_step: int | None = None  # the trace's step of the controller's last reply

    def spending(self, tokens: Mapping[str, int], price: PriceSettings) -> Progress:
        """The same with these tokens added, at their model's price: `input_tokens`, `output_tokens`."""
        more = {name: getattr(self, name) + tokens.get(name, 0) for name in ("input_tokens", "output_tokens")}
        return self.model_copy(update={**more, "cost": round(self.cost + price.of(tokens), 6)})


@dataclass(slots=True)
class Question:
    """The caller's input."""

    question: str
    videos: tuple[str, ...]
    options: tuple[str, ...] = ()
    turns: Annotated[list[Turn], latest] = field(default_factory=list)


@dataclass(slots=True)
class AgentState(Question):
    """The whole state. `turns` grows over a thread; `orient` resets everything else for each question."""

    query: Query | None = None
    gathered: Gathered | None = None
    messages: list[BaseMessage] = field(default_factory=list)
    evidence: list[Moment] = field(default_factory=list)
    moments: dict[str, Moment] = field(default_factory=dict)  # what the controller was shown, by id
    found_by: dict[str, FoundBy] = field(default_factory=dict)  # the step that found each moment, by id
    results: list[str] = field(default_factory=list)
    # Video, start and end in seconds of what was examined completely; a search examines only its best hits.
    examined: list[tuple[str, float, float]] = field(default_factory=list)
    progress: Progress = field(default_factory=Progress)
    draft: Draft | None = None
    judged: Judged | None = None  # the draft, judged
    stands_in: str | None = None  # why the extractive controller took over
    answer: Answer | None = None
