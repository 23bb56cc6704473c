"""A conversation that is longer than what the controller reads is asked again with its older parts shortened.

Nothing is dropped: every result keeps its place, says that it was shortened and how to see it whole; the evidence
behind it stays with the run, and the trace names what was shortened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from longtake.agent.controllers.asking import ContextFull
from longtake.tools.core.result import ToolResult

# Letters left to each older part, and to each result of the last round; tried in this order.
ROOMS = ((1_500, 6_000), (500, 1_500), (200, 500))
TOLD = "shortened because the conversation was too long; make the same call again to see it whole"


def reply_that_fits(
    ask: Callable[[Sequence[BaseMessage]], AIMessage], messages: Sequence[BaseMessage]
) -> tuple[AIMessage, list[BaseMessage], list[str]]:
    """The reply, the conversation as it was asked, and a sentence for each part that had to be shortened for it.

    Raises:
        ContextFull: when it is too long with every part at its shortest.
    """
    shortened: list[str] = []
    asked = list(messages)
    for older, last in ROOMS:
        try:
            return ask(asked), asked, shortened
        except ContextFull:
            asked, changed = _compacted(asked, older, last)
            shortened += changed
    return ask(asked), asked, shortened


def _compacted(messages: Sequence[BaseMessage], older: int, last: int) -> tuple[list[BaseMessage], list[str]]:
    """The messages with what is longer than its room shortened, and a sentence for each."""
    newest = max((place for place, message in enumerate(messages) if isinstance(message, AIMessage)), default=0)
    made: list[BaseMessage] = []
    changed: list[str] = []
    for place, message in enumerate(messages):
        short = _shortened(message, older if place < newest else last)
        made.append(message if short is None else message.model_copy(update={"content": short}))
        if short is not None:
            what = f"result of {message.name}" if isinstance(message, ToolMessage) else "reply"
            changed.append(f"{what} shortened from {len(message.text):,} to {len(short):,} letters")
    return made, changed


def _shortened(message: BaseMessage, room: int) -> str | None:
    """The shorter text of a result or of an earlier reply; None where it is short enough."""
    if len(message.text) <= room:
        return None
    if isinstance(message, ToolMessage):
        result = json.loads(ToolResult.model_validate(message.artifact).for_controller(room))
        short = json.dumps({"note": TOLD, **result}, ensure_ascii=False)
    elif isinstance(message, AIMessage):
        short = f"{message.text[:room]}… ({TOLD.partition(';')[0]})"
    else:
        return None
    return short if len(short) < len(message.text) else None
