"""Shortens the older parts of a conversation that is longer than the controller's context, and asks again.

Every result keeps its place and says that it was shortened and how to see all of it. Pictures and a whole transcript go
last, and that is said, too. The evidence stays with the run, and the trace lists what was shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from longtake.agent.controllers.asking import ContextFull

# Characters for each older part, and for each result of the last round; tried in this order.
ROOMS = ((1_500, 6_000), (500, 1_500), (200, 500))
Shorten = Callable[[Sequence[BaseMessage]], tuple[list[BaseMessage], list[str]]]
TRANSCRIPT = "Whole transcript:\n"  # as the first message begins it; a blank line ends it
LEFT_OUT = "The transcript is left out because the conversation was too long: search it, or ask for a span of it."
PICTURES = "The pictures are left out because the conversation was too long: look again at fewer."
TOLD = "shortened because the conversation was too long; repeat the call to see all of it"


def reply_that_fits(
    ask: Callable[[Sequence[BaseMessage]], AIMessage], messages: Sequence[BaseMessage]
) -> tuple[AIMessage, list[BaseMessage], list[str]]:
    """The reply, the conversation that was sent, and a sentence for each shortened part.

    Raises:
        ContextFull: if it is too long even with every part at its shortest.
    """
    shortened: list[str] = []
    asked = list(messages)
    steps: list[Shorten] = [partial(_compacted, older=older, last=last) for older, last in ROOMS]
    for shorten in (*steps, _without_the_largest):
        try:
            return ask(asked), asked, shortened
        except ContextFull:
            asked, changed = shorten(asked)
            shortened += changed
    return ask(asked), asked, shortened


def _compacted(messages: Sequence[BaseMessage], older: int, last: int) -> tuple[list[BaseMessage], list[str]]:
    """The messages with long parts shortened, and a sentence for each of them."""
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


def _without_the_largest(messages: Sequence[BaseMessage]) -> tuple[list[BaseMessage], list[str]]:
    """The messages without pictures and without the whole transcript, and a sentence for each kind."""
    made: list[BaseMessage] = []
    changed: list[str] = []
    for message in messages:
        content = message.content
        if isinstance(content, list):
            kept = [part for part in content if not (isinstance(part, dict) and part.get("type") == "image_url")]
            changed += ["pictures left out"] * (len(kept) < len(content))
            content = [*kept, {"type": "text", "text": f"({PICTURES})"}] if len(kept) < len(content) else content
        elif TRANSCRIPT in content:
            before, _, after = content.partition(TRANSCRIPT)
            content = f"{before}({LEFT_OUT})\n\n{after.partition(chr(10) * 2)[2]}"
            changed.append("the transcript left out")
        made.append(message if content is message.content else message.model_copy(update={"content": content}))
    return made, list(dict.fromkeys(changed))


def _shortened(message: BaseMessage, room: int) -> str | None:
    """The shortened text of a result or an earlier reply; None if it is short enough."""
    if len(message.text) <= room:
        return None
    if isinstance(message, ToolMessage):
        lines = message.text[:room].splitlines()
        whole = lines[:-1] if 2 * len(lines[-1]) < room else lines  # a long line is cut within it
        short = "\n".join([*(whole or lines), f"({TOLD})"])
    elif isinstance(message, AIMessage):
        short = f"{message.text[:room]}… ({TOLD.partition(';')[0]})"
    else:
        return None
    return short if len(short) < len(message.text) else None
