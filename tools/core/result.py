"""The result of a tool, also for a failure: a value. Nothing is ever raised into the graph."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from longtake.memory.records import Evidence, Record
from longtake.memory.timespan import TimeSpan, clock

SHORTEST = 8  # characters; a shorter rest would be meaningless
TOO_LONG = "too long to show completely: ask for a shorter span"

FailureKind = Literal["bad_arguments", "unavailable", "timeout", "engine_failed", "refused"]


class ToolFailure(Record):
    """Why a call failed: the kind, one sentence, and the remedy."""

    kind: FailureKind
    message: str
    remedy: str = ""


class ToolResult(Record):
    """The output fields of the contract, the evidence behind them, and what was examined."""

    tool: str
    output: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    looked_at: tuple[TimeSpan, ...] = ()
    notes: tuple[str, ...] = Field(
        default=(), description="Changes to the arguments; what was examined for an empty result."
    )
    failure: ToolFailure | None = None
    seconds: float = 0.0
    cached: bool = False

    @property
    def facts(self) -> dict[str, Any]:
        """The single values of the output, such as a count, without texts that only repeat the evidence."""
        said = [item.content for item in self.evidence]
        return {
            name: value
            for name, value in self.output.items()
            if not (
                value is None
                or isinstance(value, list | dict)
                or (isinstance(value, str) and any(text in value for text in said))
            )
        }

    def for_controller(self, limit: int) -> str:
        """JSON text of at most `limit` characters: the output, the notes and the places of the evidence.

        A long result is cut, the evidence first. The whole result stays in the trace.
        """
        if self.failure:
            return _fitted({"error": self.failure.model_dump()}, limit)
        evidence = [
            {"at": clock(item.span.start), "to": clock(item.span.end), "found": item.content}
            | ({} if item.trusted else {"doubtful": True})
            for item in self.evidence
            if item.video  # web pages are in the output already and have no time
        ]
        parts: dict[str, Any] = {"data": self.output, "notes": list(self.notes), "evidence": evidence}
        while len(_json(parts)) > limit and parts["evidence"]:
            parts["evidence"] = parts["evidence"][: len(parts["evidence"]) // 2]
            parts["cut"] = f"{len(parts['evidence'])} of {len(evidence)} pieces of evidence shown"
        return _fitted(parts, limit)


def _fitted(parts: dict[str, Any], limit: int) -> str:
    """JSON of the parts, with texts and lists shortened until it fits."""
    text, room = _json(parts), limit
    while len(text) > limit and room > SHORTEST:
        room //= 2
        text = _json({**_cut(parts, room), "cut": TOO_LONG})
    return text if len(text) <= limit else _json({"cut": TOO_LONG})


def _cut(value: Any, room: int) -> Any:
    match value:
        case str() if len(value) > room:
            return value[:room] + "…"
        case list():
            # A span keeps both bounds.
            return [_cut(item, room) for item in value[: max(2, room // 20)]]
        case dict():
            return {name: _cut(item, room) for name, item in value.items()}
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class ToolError(Exception):
    """Raised inside a tool to end a call with a failure. The toolbox turns it into a value."""

    def __init__(self, kind: FailureKind, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.failure = ToolFailure(kind=kind, message=message, remedy=remedy)
