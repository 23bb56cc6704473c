"""The plain-text protocol: describes, calls and answers tools in words, for endpoints without a field for calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    merge_message_runs,
)

from longtake.agent.prompts.render import render


def as_text(
    messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], prompt: str = "text_calls"
) -> list[BaseMessage]:
    """The conversation with calls and results in words, and the tools described after the system prompt.

    `prompt` is the name of the prompt that describes them.
    Consecutive results become one message, because many chat templates require alternating roles.
    """
    spoken = [_spoken(message) for message in messages]
    if not tools:
        return merge_message_runs(spoken)
    functions = [tool["function"] for tool in tools]
    instructions = render(
        prompt, tools=[function | {"schema": json.dumps(function["parameters"])} for function in functions]
    )
    place = 1 if spoken and isinstance(spoken[0], SystemMessage) else 0
    return merge_message_runs([*spoken[:place], SystemMessage(instructions), *spoken[place:]])


def _spoken(message: BaseMessage) -> BaseMessage:
    if isinstance(message, ToolMessage):
        return HumanMessage(f"RESULT of {message.name}: {message.text}")
    if isinstance(message, AIMessage):
        lines = [f"CALL {call['name']} {json.dumps(call['args'])}" for call in message.tool_calls]
        return AIMessage("\n".join([message.text, *lines]).strip())
    return type(message)(content=message.content)
