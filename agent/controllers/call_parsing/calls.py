"""Reads the tool calls of a reply, even if a small model wrote them wrongly or as text. Every repair is reported."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from langchain_core.messages import AIMessage, ToolCall

from longtake.agent.controllers.call_parsing.arguments import fitted, read_arguments, unreadable
from longtake.agent.controllers.call_parsing.text_tool_calls import ParsedCall, calls_in_text
from longtake.agent.drafts.draft import ANSWER
from longtake.console import counted
from longtake.prompts import without_thinking
from longtake.tools.core.toolbox import Toolbox

# Where a reply keeps the original calls, by call id.
SENT = "calls_as_sent"
# Where it keeps the controller's arguments of calls that a fork changed.
PLANNED = "calls_as_planned"
# Where a reply says where its text breaks off.
CUT = "cut"
FROM_TEXT = "read from the text"  # ends the note of calls that a reply has in its text
MAX_CHARACTERS = 20_000  # read from one reply
MAX_CALLS = 16  # made from one reply


def read_reply(message: AIMessage, toolbox: Toolbox, round_number: int) -> tuple[AIMessage, list[str]]:
    """The reply with well-formed tool calls, and a sentence for each repair.

    Every call gets an id that is unique in the run: small servers omit ids or start at 0 in every round.
    """
    repairs: list[str] = []
    # The token limit cuts anywhere, and half an argument may be another valid argument.
    cut = message.response_metadata.get("finish_reason") == "length"
    text, why = _text_and_cut(message, repairs, cut=cut)
    calls = [ParsedCall(call["name"], call["args"], call["args"]) for call in message.tool_calls]
    calls += [
        ParsedCall(broken["name"] or "", _repaired(broken["name"], broken["args"], repairs, cut=cut), broken["args"])
        for broken in message.invalid_tool_calls
    ]
    if not calls:
        text, calls = calls_in_text(text, {ANSWER, *(spec.name for spec in toolbox)})
        if calls:
            repairs.append(f"{counted(len(calls), 'call')} {FROM_TEXT}")
        if cut and calls:
            calls[-1] = _whole_call(calls[-1])
    if len(calls) > MAX_CALLS:
        repairs.append(f"{len(calls) - MAX_CALLS} of {len(calls)} calls left out")
    numbered = {f"call-{round_number}-{place}": call for place, call in enumerate(calls[:MAX_CALLS])}
    made = [_checked_call(call, identity, toolbox, repairs) for identity, call in numbered.items()]
    sent = {identity: {"tool": call.name, "arguments": call.sent} for identity, call in numbered.items()}
    changed = {PLANNED: message.additional_kwargs[PLANNED]} if PLANNED in message.additional_kwargs else {}
    kept = {SENT: sent, **changed} if sent else {}
    return AIMessage(
        content=f"{text}…" if why and text and not calls else text,
        tool_calls=made,
        usage_metadata=message.usage_metadata,
        additional_kwargs=kept,
        response_metadata={CUT: why} if why else {},
    ), repairs


def _text_and_cut(message: AIMessage, repairs: list[str], *, cut: bool) -> tuple[str, str]:
    """The text of a reply without its thinking, and where it breaks off; empty if it doesn't."""
    text = without_thinking(message.text)
    if text != message.text.strip():
        repairs.append("removed the thinking")
    why = "at its limit of tokens, `controller.reply_tokens`" if cut else ""
    if len(text) > MAX_CHARACTERS:
        why = f"after {MAX_CHARACTERS:,} of its {len(text):,} letters"
    if why:
        repairs.append(f"cut off {why}")
    return text[:MAX_CHARACTERS], why


def _whole_call(call: ParsedCall) -> ParsedCall:
    """The call, or an unreadable one if it breaks off inside a value."""
    whole = call.sent.rstrip("` \n").endswith(("}", "]", ")", ">"))
    return call if whole else call._replace(arguments=unreadable(call.sent))


def _repaired(name: str | None, text: str | None, repairs: list[str], *, cut: bool) -> dict[str, Any]:
    arguments = None if cut else read_arguments(text or "{}")
    repairs.append(f"arguments of {name}: " + ("broken JSON read" if arguments is not None else "not readable"))
    return unreadable(text or "") if arguments is None else arguments


def _checked_call(call: ParsedCall, identity: str, toolbox: Toolbox, repairs: list[str]) -> ToolCall:
    """The call as it will run: with an existing tool and values of the right types."""
    name = _known_name(call.name, toolbox, repairs)
    schema = next((spec.schema() for spec in toolbox if spec.name == name), {})
    arguments, changed = fitted(call.arguments, schema)
    if changed:
        repairs.append(f"arguments of {name}: the type of {', '.join(changed)} mended")
    return ToolCall(name=name, args=arguments, id=identity, type="tool_call")


def _known_name(name: str, toolbox: Toolbox, repairs: list[str]) -> str:
    if name in toolbox or name == ANSWER:
        return name
    bare = name.rpartition(".")[2]
    close = (
        [bare]
        if bare in toolbox
        else get_close_matches(bare, [ANSWER, *(spec.name for spec in toolbox)], n=1, cutoff=0.7)
    )
    if not close:
        return name
    repairs.append(f"tool {name!r} taken for {close[0]!r}")
    return close[0]
