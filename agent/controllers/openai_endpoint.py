"""An OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a vendor) as the controller.

What can go wrong there becomes one sentence that names the endpoint; what small servers write loosely is mended.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_openai import ChatOpenAI
from openai import APIError, DefaultHttpxClient
from openai import BaseModel as OpenAIModel
from pydantic import SecretStr

from longtake.agent.controllers.calls import UNREADABLE
from longtake.agent.controllers.text_protocol import as_text
from longtake.config import ControllerSettings
from longtake.errors import EngineError

RETRIES = 1
MOST_TOLD = 300  # letters of what went wrong
# Servers on one's own machine ask for no key, but the client insists on one.
NO_KEY = "no-key-given"


class EndpointChatModel(ChatOpenAI):
    """A chat model behind a URL; its failures are `EngineError`s."""

    calls_as_text: bool = False

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model, told which tools it may call: in the request's own field, or in words."""
        return self.bind(described=list(tools)) if self.calls_as_text else super().bind_tools(tools, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        described: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> ChatResult:
        asked = as_text(messages, described) if self.calls_as_text else messages
        try:
            return super()._generate(asked, stop, run_manager, **kwargs)
        except APIError as error:
            raise EngineError(self._sentence(f"failed: {error}")) from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # The client reads a body that is no chat completion without looking, and stumbles in as many ways.
            raise EngineError(self._sentence(f"sent a reply that is no chat completion: {error}")) from error

    def _create_chat_result(
        self, response: dict[str, Any] | OpenAIModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        body = response if isinstance(response, dict) else response.model_dump(warnings=False)
        for choice in body.get("choices") or []:
            for call in choice["message"].get("tool_calls") or []:
                call["function"]["arguments"] = _arguments(call["function"].get("arguments"))
        result = super()._create_chat_result(body, generation_info)
        if not result.generations:
            raise ValueError("it has no choices")
        return result

    def _sentence(self, problem: str) -> str:
        # Some servers repeat the key they refuse.
        key = self.openai_api_key.get_secret_value() if isinstance(self.openai_api_key, SecretStr) else NO_KEY
        told = " ".join(problem.split()).replace(key, "***")[:MOST_TOLD].rstrip(".")
        return f"The controller at {self.openai_api_base} {told}. Check controller.base_url and controller.model."


def open_endpoint(
    settings: ControllerSettings, url: str, model: str, key: str | None, *, loopback: bool
) -> EndpointChatModel:
    """The controller at a URL; nothing is sent yet."""
    return EndpointChatModel(
        base_url=url,
        model=model,
        api_key=SecretStr(key or NO_KEY),
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=RETRIES,
        calls_as_text=settings.calls == "text",
        # A proxy named in the environment must not see what is said to a server on this machine.
        http_client=DefaultHttpxClient(trust_env=False, follow_redirects=False) if loopback else None,
    )


def _arguments(value: Any) -> str:
    """Arguments as the text of a JSON object: some servers send the object itself, or encode it twice."""
    if not isinstance(value, str):
        return json.dumps(value or {})
    try:
        inner = json.loads(value)
    except ValueError:
        return value
    if isinstance(inner, str):
        return _arguments(inner)
    return value if isinstance(inner, dict) else json.dumps({UNREADABLE: value})
