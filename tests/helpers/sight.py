"""The embedded rules asked one question, with one tool that looks and finds what a test makes up."""

from __future__ import annotations

from typing import Any

from helpers.rules import drafted

from longtake.agent.claims import check_draft
from longtake.agent.rules.moves import Call
from longtake.agent.verdicts import Grounds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

Box = tuple[float, float, float, float]
WHOLE = (TimeSpan(start=0.0, end=100.0),)


def seen(content: str, start: float = 2.0, end: float = 5.0, box: Box | None = None) -> Evidence:
    """What a tool that looks finds, from one second to another."""
    span = TimeSpan(start=start, end=end)
    return Evidence(video="v", span=span, modality="visual", content=content, engine="e", box=box)


def answered(question: str, tool: str, *found: Evidence, **more: Any) -> tuple[str, list[Call]]:
    """The draft where one tool finds this, or fails, and no other finds anything; nothing of it may be struck."""
    given: dict[str, Any] = {"looked_at": WHOLE, **more}

    def result_of(call: Call) -> ToolResult:
        if call.name != tool:
            return ToolResult(tool=call.name, looked_at=WHOLE)
        return ToolResult(tool=tool, evidence=found, **given)

    draft, calls = drafted(question, result_of)
    assert tool in [call.name for call in calls]
    if not draft.startswith("NOT FOUND"):
        assert {
            claim.verdict for claim in check_draft(draft, found, Grounds(question=question, measured=True)).claims
        } == {"supported"}
    return draft, calls
