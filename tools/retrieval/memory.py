"""`memory_tool`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from longtake.memory.layers import canonical_json
from longtake.memory.notes import MAX_NOTE_LENGTH, MAX_NOTES, Notes
from longtake.tools.core.registry import tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext

MAX_FOUND = 20

Data = str | bool | int | float | list[Any] | dict[str, Any]


@tool(cached=False)
def memory_tool(
    context: ToolContext,
    func: Annotated[Literal["add", "delete", "search"], Field(description="What to do.")],
    data: Annotated[
        Data,
        Field(
            description="add: the note, text or JSON. search: words; empty lists the newest notes. "
            "delete: the id of a note, or its exact text."
        ),
    ],
) -> ToolResult:
    """Notes for later questions of this conversation: add, delete, search.

    A note alone proves nothing.
    """
    if context.notes is None:
        raise ToolError(
            "unavailable", "No library is open, so there is nowhere to store notes.", "Ask about a video of a library."
        )
    text = _text(data["id"] if func == "delete" and isinstance(data, dict) and "id" in data else data)
    if func != "search" and not text:
        raise ToolError("bad_arguments", f"data: it is empty; there is nothing to {func}.")
    act = {"add": _add, "delete": _delete, "search": _search}[func]
    success, output = act(context.notes, context.thread, text)
    return ToolResult(tool="memory_tool", output={"success": success, "output": output})


def _text(data: Data) -> str:
    try:
        text = (data if isinstance(data, str) else canonical_json(data)).strip()
        text.encode()
    except ValueError as error:  # NaN or a lone surrogate
        raise ToolError("bad_arguments", f"data: it is neither text nor JSON ({error}).") from error
    if len(text) > MAX_NOTE_LENGTH:
        problem = f"data: it has {len(text):,} characters, and a note at most {MAX_NOTE_LENGTH:,}."
        raise ToolError("bad_arguments", problem, "Shorten it, or split it into several notes.")
    return text


def _add(notes: Notes, thread: str, text: str) -> tuple[bool, Any]:
    number = notes.add(thread, text)
    if number is None:
        return False, f"The {MAX_NOTES:,} notes of this conversation are used up: delete some."
    return True, {"id": number}


def _delete(notes: Notes, thread: str, text: str) -> tuple[bool, Any]:
    deleted = notes.delete(thread, text)
    return (True, {"deleted": deleted}) if deleted else (False, "No note of this conversation has this id or text.")


def _search(notes: Notes, thread: str, text: str) -> tuple[bool, Any]:
    return True, [note._asdict() for note in notes.search(thread, text, MAX_FOUND)]
