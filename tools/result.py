"""What a tool returns: a value, also when it fails. Nothing is ever raised into the graph."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from longtake.memory.records import Evidence, Record
from longtake.memory.timespan import TimeSpan, clock

FailureKind = Literal["bad_arguments", "unavailable", "timeout", "engine_failed", "refused"]


class ToolFailure(Record):
    """Why a call came to nothing: the kind, one sentence, and what would make it work."""

    kind: FailureKind
    message: str
    remedy: str = ""


class ToolResult(Record):
    """The contract's output fields, the evidence behind them, and what was looked at."""

    tool: str
    output: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    looked_at: tuple[TimeSpan, ...] = ()
    notes: tuple[str, ...] = Field(default=(), description="What was changed in the arguments; what an empty result saw.")
    failure: ToolFailure | None = None
    seconds: float = 0.0
    cached: bool = False

    def for_controller(self, limit: int) -> str:
        """JSON text of at most about `limit` characters: the outputs, the notes and where the evidence lies."""
        if self.failure:
            return json.dumps({"error": self.failure.model_dump()}, ensure_ascii=False)
        evidence = [{"at": clock(item.span.start), "to": clock(item.span.end), "found": item.content} for item in self.evidence]
        parts: dict[str, Any] = {"data": self.output, "notes": self.notes, "evidence": evidence}
        text = json.dumps(parts, ensure_ascii=False)
        while len(text) > limit and parts["evidence"]:
            parts["evidence"] = parts["evidence"][: len(parts["evidence"]) // 2]
            parts["cut"] = f"{len(parts['evidence'])} of {len(evidence)} pieces of evidence shown"
            text = json.dumps(parts, ensure_ascii=False)
        return text if len(text) <= limit else text[:limit] + "... (cut)"


class ToolError(Exception):
    """Raised inside a tool to end a call with a failure; the toolbox turns it into a value."""

    def __init__(self, kind: FailureKind, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.failure = ToolFailure(kind=kind, message=message, remedy=remedy)
