"""Slides and speech made up by a test, the embedded rules asked about them, and their draft held against the two."""

from __future__ import annotations

from collections.abc import Sequence

from helpers.rules import drafted

from longtake.agent.claims import NOT_FOUND, check_draft
from longtake.agent.rules.moves import Call
from longtake.agent.verdicts import Grounds
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.calculator import evaluate
from longtake.tools.result import ToolFailure, ToolResult

TOOLS: dict[str, tuple[Modality, ...]] = {
    "extract_scene_text": ("scene_text",),
    "transcribe_speech": ("speech",),
    "cross_modal_search": ("scene_text", "speech"),
    "summarize_segment": ("scene_text", "speech"),
}


def text(content: str, start: float, end: float, top: float = 0.1, left: float = 0.1) -> Evidence:
    span, box = TimeSpan(start=start, end=end), (left, top, 0.2, 0.08)
    return Evidence(video="v", span=span, modality="scene_text", content=content, engine="e", box=box)


def slide(start: float, end: float, *lines: str) -> tuple[Evidence, ...]:
    """A title and lines below it."""
    return tuple(text(line, start, end, 0.1 + 0.15 * number) for number, line in enumerate(lines))


def table(start: float, end: float, *rows: Sequence[str]) -> tuple[Evidence, ...]:
    """Rows of cells, below where a title stands."""
    return tuple(
        text(cell, start, end, 0.25 + 0.15 * number, 0.05 + 0.3 * place)
        for number, row in enumerate(rows)
        for place, cell in enumerate(row)
    )


def said(content: str, start: float) -> Evidence:
    """A line of speech that lasts two seconds."""
    span = TimeSpan(start=start, end=start + 2)
    return Evidence(video="v", span=span, modality="speech", content=content, engine="e")


def answered(question: str, *held: Evidence) -> str:
    """The draft about a video of 100 s that holds this, of which nothing may be struck."""
    draft, _ = drafted(question, lambda call: _result(call, held))
    if not draft.startswith(NOT_FOUND):
        checked = check_draft(draft, held, Grounds(question=question, measured=True))
        struck = [claim.text for claim in checked.claims if claim.verdict != "supported"]
        assert not struck, f"the evidence does not carry {struck}"
    return draft


def _result(call: Call, held: Sequence[Evidence]) -> ToolResult:
    if call.name == "calculator":
        return ToolResult(tool=call.name, output={"result": evaluate(call.arguments["expression"])})
    if call.name not in TOOLS:
        return ToolResult(tool=call.name, failure=ToolFailure(kind="unavailable", message="Not here."))
    start, end = call.arguments.get("timestamp", (0.0, 100.0))
    senses = call.arguments.get("modalities", TOOLS[call.name])
    there = TimeSpan(start=start, end=end)
    found = (item for item in held if item.modality in TOOLS[call.name] and item.modality in senses)
    return ToolResult(tool=call.name, evidence=tuple(item for item in found if item.span.overlaps(there)))
