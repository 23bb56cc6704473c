"""Requests to keep, find and forget notes. A note proves nothing of a video: it is told as a note."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longtake.agent.errands import FIND_NOTES, FORGET_NOTE, KEEP_NOTE
from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, not_found

TOOL = "memory_tool"


def asks_notes(orientation: Orientation) -> bool:
    """Whether a request is about notes, not about a video."""
    return any(form.match(orientation.own_words) for form in (KEEP_NOTE, FIND_NOTES, FORGET_NOTE))


def keep_notes(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Keep, find or forget, and say what was done; to forget, exactly one note has to be meant."""
    asked = orientation.own_words
    last = done[-1].result if done else None
    if last and last.failure:
        return not_found(f"{last.failure.message} {last.failure.remedy}".strip())
    if match := FIND_NOTES.match(asked):
        return listed(last.output["output"]) if last else _call("search", match["text"].strip())
    if match := FORGET_NOTE.match(asked):
        return _forget(match["text"], done)
    match = KEEP_NOTE.match(asked)
    assert match is not None, "asked only where one of the three fits"
    if last is None:
        return _call("add", match["text"].strip())
    if not last.output["success"]:
        return not_found(str(last.output["output"]))
    return not_found(f"Nothing of the video was asked. Kept as note {last.output['output']['id']}.")


def _forget(text: str, done: Sequence[Done]) -> Move:
    if not done:
        return _call("delete", text.strip()) if text.isdecimal() else _call("search", text.strip())
    last = done[-1]
    if last.call.arguments["func"] == "search":
        found = last.result.output["output"]
        return _call("delete", str(found[0]["id"])) if len(found) == 1 else listed(found)
    outcome = last.result.output
    return not_found(f"Note {outcome['output']['deleted']} is forgotten." if outcome["success"] else outcome["output"])


def listed(notes: Sequence[dict[str, Any]]) -> str:
    """The notes in their own words, as what proves nothing of a video."""
    if not notes:
        return not_found("There is no such note in this conversation.")
    told = " ".join(f"Note {note['id']}: “{note['text']}”." for note in notes)
    return not_found(f"{told} Notes prove nothing of the video.")


def _call(func: str, data: str) -> list[Call]:
    return [Call(TOOL, {"func": func, "data": data})]
