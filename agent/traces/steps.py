"""The steps of a run for display: plans, calls with their arguments, and results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import Field

from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import Query
from longtake.agent.traces.lenient_run import Lenient, LenientRun, TraceEvent
from longtake.console import counted
from longtake.memory.records import Citation, Record
from longtake.tools.core.result import ToolResult

_SOURCES: Mapping[str, str] = {
    "text": "on-screen text",
    "file": "facts of the file",
    "outside": "knowledge from outside the video",
}


class TraceStep(Record):
    """One step; times are seconds."""

    step: int
    type: str
    tool: str | None = None
    at: float = Field(description="Since the question was asked.")
    seconds: float
    text: str = Field(default="", description="What it wrote or decided.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Of a tool, after repair.")
    sent: Any = Field(default=None, description="The call as the controller sent it, if different.")
    calls: tuple[str, ...] = Field(default=(), description="The tools the controller called.")
    repairs: tuple[str, ...] = Field(default=(), description="What was repaired, shortened or requested again.")
    notes: tuple[str, ...] = Field(default=(), description="The tool's notes.")
    cached: bool = False
    failure: str | None = None
    spans: tuple[tuple[str, float, float], ...] = Field(
        default=(), description="What it looked at: video, start and end."
    )
    evidence: tuple[Citation, ...] = ()
    output: Any = Field(default=None, description="The tool's own fields.")
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    steps: tuple[TraceStep, ...] = Field(default=(), description="The steps it led to.")


class _Sent(Lenient):
    """A call as the controller wrote it."""

    tool: str = ""
    arguments: Any = None


def steps_of(run: LenientRun) -> tuple[TraceStep, ...]:
    """The steps of a run: the controller's in sequence, each with the calls and checks it led to."""
    rounds = {event.step for event in run.rounds}
    calls = {(call.parent, call.data.get("call")): call.step for call in run.calls}
    led: dict[int | None, list[TraceEvent]] = defaultdict(list)
    for event in (*run.calls, *(event for event in run.events if event.type not in ("run", "tool"))):
        of_tool = event.type == "model" and event.step not in rounds
        leader = calls.get((event.parent, event.data.get("call"))) if of_tool else None
        if leader is None and event.type in ("tool", "model", "judge") and event.step not in rounds:
            leader = event.parent if event.parent in rounds else None
        led[leader].append(event)
    return tuple(_step(run, event, led) for event in sorted(led[None], key=lambda event: event.step))


def every(steps: Iterable[TraceStep]) -> Iterator[TraceStep]:
    """Steps with the steps they led to, in reading order."""
    for step in steps:
        yield step
        yield from every(step.steps)


def _step(run: LenientRun, event: TraceEvent, led: Mapping[int | None, list[TraceEvent]]) -> TraceStep:
    data, tokens = event.data, event.usage
    return TraceStep(
        step=event.step,
        type=event.type,
        at=round(max(0.0, event.started - run.started), 4),
        seconds=event.seconds,
        input_tokens=int(tokens.get("input_tokens", 0)),
        output_tokens=int(tokens.get("output_tokens", 0)),
        cost=run.cost(event),
        repairs=tuple(str(one) for kind in ("asked_again", "shortened", "repairs") for one in _listed(data.get(kind))),
        spans=event.spans,
        steps=tuple(_step(run, each, led) for each in led.get(event.step, ())),
        **_DETAILS.get(event.type, _nothing)(run, event),
    )


def _tool(run: LenientRun, event: TraceEvent) -> dict[str, Any]:
    result = run.read(event.output, ToolResult)
    sent = run.read(event.input, _Sent)
    name, arguments = str(event.data.get("tool", "")), event.data.get("arguments")
    as_sent = sent is not None and (sent.tool, sent.arguments) != (name, arguments)
    facts: dict[str, Any] = {
        "tool": name,
        "arguments": dict(arguments) if isinstance(arguments, Mapping) else {},
        "sent": sent.model_dump() if sent and as_sent else None,
        "notes": tuple(map(str, _listed(event.data.get("notes")))),
        "cached": event.data.get("cached") is True,
        "failure": event.data.get("failure"),
    }
    if result:
        failure = result.failure
        facts |= {
            "evidence": tuple(map(Citation.of, result.evidence)),
            "output": result.output or None,
            "failure": f"{failure.kind}: {failure.message} {failure.remedy}".strip() if failure else None,
        }
    return facts


def _model(run: LenientRun, event: TraceEvent) -> dict[str, Any]:
    calls = [str(call.get("tool")) for call in _listed(event.data.get("calls")) if isinstance(call, Mapping)]
    message = run.blob(event.output)
    data = message.get("data") if isinstance(message, Mapping) else None
    text = spoken(data.get("content")) if isinstance(data, Mapping) else ""
    return {"tool": event.data.get("tool"), "calls": tuple(calls), "text": text}


def _orient(run: LenientRun, event: TraceEvent) -> dict[str, Any]:
    found = run.read(event.output, Query)
    if found is None:
        return {}
    sources = ", ".join(f"{_SOURCES.get(name, name)} {found.reading.sources[name]:.0%}" for name in found.sources)
    target = {"yesno": "yes or no"}.get(found.target, found.target)
    within = f", within {found.scope.span}" if found.scope.span else ""
    read_as = f", read as: {found.question}" if found.goes_on else ""
    chance = found.reading.targets[found.target]
    return {"text": f"expected answer: {target} ({chance:.0%}), to be found in: {sources}{within}{read_as}"}


def _brief(run: LenientRun, event: TraceEvent) -> dict[str, Any]:
    found = run.read(event.output, Gathered)
    return {"text": f"{counted(len(found.found), 'moment')} found"} if found else {}


def _judge(run: LenientRun, event: TraceEvent) -> dict[str, Any]:
    judged = run.blob(event.output)
    claims = _listed(judged.get("claims")) if isinstance(judged, Mapping) else []
    unsupported = event.data.get("unsupported", 0)
    removed = event.data.get("citations_removed", 0)
    text = f"{counted(len(claims), 'claim')}, {unsupported or 'none'} unsupported" if claims else "no claims"
    text = f"{text}; {counted(removed, 'citation')} removed" if removed else text
    return {"text": text, "failure": event.data.get("problem") or None}


def _ending(run: LenientRun, event: TraceEvent) -> dict[str, Any]:
    return {"text": str(event.data.get(event.type, ""))}


def _nothing(run: LenientRun, event: TraceEvent) -> dict[str, Any]:
    return {}


_DETAILS = {
    "tool": _tool,
    "model": _model,
    "orient": _orient,
    "brief": _brief,
    "judge": _judge,
    "guard": _ending,
    "error": _ending,
}


def spoken(content: Any) -> str:
    """The text of a message, whose content is a string or a list of parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text", "") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
