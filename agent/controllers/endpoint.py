"""Ask a controller for one reply; what can go wrong at an endpoint becomes one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from longtake.errors import EngineError


def reply(controller: BaseChatModel, messages: Sequence[BaseMessage], schemas: Sequence[dict[str, Any]]) -> AIMessage:
    """One reply to the messages, with the tools bound.

    Raises:
        EngineError: when the endpoint does not answer or refuses; it names the endpoint.
    """
    from openai import APIError

    try:
        answered = controller.bind_tools(list(schemas)).invoke(list(messages))
    except APIError as error:
        raise EngineError(f"The controller at {_where(controller)} failed: {_sentence(error)}") from error
    if not isinstance(answered, AIMessage):
        raise EngineError(f"The controller at {_where(controller)} sent a {type(answered).__name__}, not a reply.")
    return answered


class ControllerText:
    """The controller as a plain text model, for the tools that may use one."""

    def __init__(self, controller: BaseChatModel) -> None:
        self._controller = controller

    def complete(self, prompt: str) -> str:
        """The reply to one prompt."""
        return reply(self._controller, [HumanMessage(prompt)], []).text.strip()


def _where(controller: BaseChatModel) -> str:
    return str(getattr(controller, "openai_api_base", None) or type(controller).__name__)


def _sentence(error: Exception) -> str:
    return f"{' '.join(str(error).split()) or type(error).__name__}. Check controller.base_url and controller.model."
