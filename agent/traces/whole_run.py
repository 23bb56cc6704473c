"""Reads a complete run from its trace: the question, the known facts, and the replies of models and tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, messages_from_dict

from longtake.agent.controllers.tool_text import CHECK
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.graph.known_videos import Known
from longtake.agent.graph.state import Question, Turn
from longtake.agent.query.query import Query, Reading
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.verification.judge import NO_VERDICTS
from longtake.errors import LibraryError
from longtake.memory.records import Moment
from longtake.settings import Settings
from longtake.tools.core.result import ToolResult


class RecordedReply(NamedTuple):
    """A reply in which the controller planned a round, and its step."""

    step: int
    message: AIMessage
    max_characters: int | None  # of the conversation it accepted, if it had refused a longer one


class RecordedCall(NamedTuple):
    """A tool call: the step that requested it, its result, and its prompts to the text model."""

    step: int
    asked_at: int
    name: str
    arguments: Mapping[str, Any]
    result: ToolResult
    prompts: tuple[tuple[str, AIMessage], ...]


@dataclass(frozen=True)
class WholeRun:
    """A run with a complete trace, which can be replayed; `LenientRun` reads any trace, to be shown."""

    trace: RecordedTrace
    asked: Question
    known: Known
    settings: Settings
    replies: tuple[RecordedReply, ...]
    calls: Mapping[str, RecordedCall]  # by their ids in the run
    checks: tuple[tuple[str, AIMessage], ...]  # the judge's prompts, and the replies
    problems: tuple[str, ...]  # why the judge couldn't be asked, each time that it couldn't
    beside: Mapping[str, tuple[Moment, ...]]  # what lies beside the cited moments, by their ids, and at named times
    reading: Reading
    gathered: Gathered
    events: tuple[Mapping[str, Any], ...] = field(repr=False)

    @classmethod
    def of(cls, trace: RecordedTrace) -> WholeRun:
        """Read a trace.

        Raises:
            LibraryError: when a blob is missing or changed, or the trace holds too little to be replayed.
        """
        events = tuple(trace.events())
        inputs = trace.blob(events[0]["input"]) if events and events[0]["type"] == "run" else {}
        old = {event["type"] for event in events} & {"gather", "verify"}
        if "known" not in inputs or old:
            raise LibraryError(
                f"Trace {trace.run!r} was written by an older version and lacks what a replay needs: "
                "ask its question again, and replay that run."
            )
        oriented = [trace.blob(event["input"]) for event in events if event["type"] == "orient"]
        turns = [Turn.model_validate(turn) for each in oriented for turn in each["turns"]]
        return cls(
            trace,
            Question(inputs["question"], tuple(inputs["videos"]), tuple(inputs["options"]), turns),
            Known.model_validate(inputs["known"]),
            Settings.model_validate(trace.blob(events[0]["output"])),
            tuple(_reply(trace, event) for event in events if plans(event)),
            {event["data"]["call"]: _call(trace, event, events) for event in events if event["type"] == "tool"},
            _prompts(trace, CHECK, events),
            tuple(
                event["data"]["problem"]
                for event in events
                if event["type"] == "judge" and event["data"]["problem"] not in ("", NO_VERDICTS)
            ),
            _judge_neighbours(trace, events),
            *_reading_and_gathered(trace, events),
            events,
        )

    def last(self, *kinds: str) -> Mapping[str, Any] | None:
        """The last event of one of these types."""
        return next((event for event in reversed(self.events) if event["type"] in kinds), None)


def plans(event: Mapping[str, Any]) -> bool:
    """Whether an event is the controller's reply in a round, not to a tool's prompt."""
    return event["type"] == "model" and "call" not in event["data"]


def characters(messages: Sequence[BaseMessage]) -> int:
    """The length of a conversation in characters."""
    return sum(len(message.text) for message in messages)


def conversation(trace: RecordedTrace, event: Mapping[str, Any]) -> list[BaseMessage]:
    """The messages sent to the model, in an event of type `model`."""
    return messages_from_dict(trace.blob(event["input"])["messages"])


def reply_in(trace: RecordedTrace, event: Mapping[str, Any]) -> AIMessage:
    """The model's reply."""
    (message,) = messages_from_dict([trace.blob(event["output"])])
    return AIMessage.model_validate(message.model_dump())


def _reply(trace: RecordedTrace, event: Mapping[str, Any]) -> RecordedReply:
    max_characters = characters(conversation(trace, event)) if event["data"].get("shortened") else None
    return RecordedReply(event["step"], reply_in(trace, event), max_characters)


def _reading_and_gathered(trace: RecordedTrace, events: Sequence[Mapping[str, Any]]) -> tuple[Reading, Gathered]:
    """How the question was read, and what was gathered for it; empty if the run ended before."""
    outputs = {event["type"]: trace.blob(event["output"]) for event in events if event["type"] in ("orient", "brief")}
    oriented, gathered = outputs.get("orient"), outputs.get("brief")
    reading = Query.model_validate(oriented).reading if oriented else Reading(sources={}, targets={})
    return reading, Gathered.model_validate(gathered) if gathered else Gathered()


def _judge_neighbours(trace: RecordedTrace, events: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Moment, ...]]:
    """What the judge was shown beside each cited moment."""
    found: dict[str, tuple[Moment, ...]] = {}
    for event in events:
        if event["type"] == "judge":
            for name, near in trace.blob(event["input"])["beside"].items():
                found[name] = tuple(map(Moment.model_validate, near))
    return found


def _prompts(trace: RecordedTrace, call: str, events: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, AIMessage], ...]:
    """The model's prompts and replies for a call."""
    asked = [each for each in events if each["type"] == "model" and each["data"].get("call") == call]
    return tuple((conversation(trace, each)[-1].text, reply_in(trace, each)) for each in asked)


def _call(trace: RecordedTrace, event: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> RecordedCall:
    data = event["data"]
    result = ToolResult.model_validate(trace.blob(event["output"]))
    return RecordedCall(
        event["step"], event["parent"], data["tool"], data["arguments"], result, _prompts(trace, data["call"], events)
    )
