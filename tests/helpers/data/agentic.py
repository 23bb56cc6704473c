"""Samples with tool calls, and tools, as the files of LongShOT v1 have them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longtake.evalharness.items import Item
from longtake.evalharness.suites.agentic import load_agentic

TOOLS: list[dict[str, Any]] = [
    {"name": "transcribe", "inputs": ["timestamp", "language?"], "outputs": {"text": "str"}, "description": "Hears."},
    {"name": "count_things", "inputs": ["timestamp", "thing", "limit?"], "outputs": "count", "description": "Counts."},
    {"name": "find", "inputs": ["query", "modalities[]", "k?"], "outputs": "spans", "description": "Finds."},
    {"name": "compute", "inputs": ["expression"], "outputs": "value", "description": "Computes."},
]
Call = tuple[str, dict[str, Any], str]  # tool, parameters, gold result


def turn(question: str, answer: str, *calls: Call) -> list[dict[str, Any]]:
    """A question and its answer with gold calls."""
    rows = [{"tool": tool, "parameters": given, "expected_response": found} for tool, given, found in calls]
    called = {"tool_calls": rows} if rows else {}
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer, **called}]


def sample(name: str, conversation: Sequence[dict[str, Any]], video: str = "v") -> dict[str, Any]:
    """A sample."""
    return {"sample_id": name, "video_id": video, "task": "agentic_task", "conversations": list(conversation)}


def load(folder: Path, *samples: Any, tools: Any = TOOLS, media: Path | None = None) -> tuple[list[Item], list[str]]:
    """The items of samples written to a file, and what was told of it."""
    file = folder / "bench.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in samples))
    if tools is not None:
        (folder / "tools.json").write_text(json.dumps(tools))
    reported: list[str] = []
    items = load_agentic(file, media, reported.append)
    return items, [text.replace(str(folder), "DIR") for text in reported]
