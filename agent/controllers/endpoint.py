"""Ask a controller for one reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage


def reply(
    controller: BaseChatModel,
    messages: Sequence[BaseMessage],
    schemas: Sequence[dict[str, Any]],
    *,
    seconds: float | None = None,
) -> AIMessage:
    """One reply to the messages, with the tools bound, awaited for at most `seconds`.

    Raises:
        EngineError: when the endpoint does not answer or refuses; it names the endpoint.
    """
    # Endpoints refuse an empty list of tools.
    model = controller.bind_tools(list(schemas)) if schemas else controller
    limit: dict[str, Any] = {} if seconds is None else {"timeout": seconds}
    answered = model.invoke(list(messages), **limit)
    return answered if isinstance(answered, AIMessage) else AIMessage(content=answered.content)


def tokens(message: AIMessage) -> dict[str, int]:
    """What a reply cost in tokens; empty when the endpoint does not say."""
    usage = message.usage_metadata
    return {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]} if usage else {}
