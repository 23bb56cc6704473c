"""An OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a vendor) as the controller.

Every failure becomes one sentence that names the endpoint. Its type says whether to retry (`Busy`) or to shorten the
conversation (`ContextFull`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from email.utils import mktime_tz, parsedate_tz
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_openai import ChatOpenAI
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
)
from openai import BaseModel as OpenAIModel
from pydantic import SecretStr

from longtake.agent.controllers.asking import CONTROLLER, Busy, ContextFull, Role
from longtake.agent.controllers.call_parsing.text_protocol import as_text
from longtake.agent.controllers.completions import mended
from longtake.errors import EngineError
from longtake.preprocess.engines.endpoints.endpoint_client import NO_KEY, endpoint_client, problem_of
from longtake.redaction import without_secrets
from longtake.settings import ControllerSettings

MAX_PROBLEM_LENGTH = 300  # characters of an error message
# OpenAI, vLLM, SGLang, llama.cpp, LM Studio, LiteLLM and Gemini word this differently.
_CONTEXT_FULL = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:model|context|input) length|prompt is too long"
    r"|maximum number of tokens",
    re.IGNORECASE,
)
# Ollama, vLLM and LM Studio word this differently, too.
_NO_TOOLS = re.compile(r"not support \W*(?:tool|function)|tool choice requires|tools are not supported", re.IGNORECASE)


class EndpointChatModel(ChatOpenAI):
    """A chat model behind a URL. Its failures are `EngineError`s."""

    calls_as_text: bool = False
    role: Role = CONTROLLER

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with the tools it may call, in the request's field or in words."""
        return self.bind(described=list(tools)) if self.calls_as_text else super().bind_tools(tools, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        described: Sequence[dict[str, Any]] = (),
        stopped: Callable[[], bool] | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        asked = as_text(messages, described) if self.calls_as_text else messages
        try:
            return super()._generate(asked, stop, run_manager, **kwargs)
        except APIError as error:
            raise self._failure(error) from error
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            # The client doesn't check the body, and fails in many ways on one that isn't a chat completion.
            full = _CONTEXT_FULL.search(str(error))
            sentence = self._sentence(f"sent a reply that isn't a chat completion: {error}")
            raise (ContextFull if full else EngineError)(sentence) from error

    def _create_chat_result(
        self, response: dict[str, Any] | OpenAIModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        body = response if isinstance(response, dict) else response.model_dump(warnings=False)
        result = super()._create_chat_result(mended(body, self.role.name), generation_info)
        if not result.generations:
            raise ValueError("it has no choices")
        return result

    def _failure(self, error: APIError) -> EngineError:
        sentence = self._sentence(problem_of(error), self._place(error))
        if isinstance(error, ContextOverflowError) or _CONTEXT_FULL.search(str(error)):
            return ContextFull(sentence)
        return Busy(sentence, _named_wait(error)) if _may_pass(error) else EngineError(sentence)

    def _place(self, error: APIError) -> str:
        """What to check; empty for the place of the endpoint."""
        if isinstance(error, AuthenticationError):
            return f"the key, which was refused: {self.role.key}"
        if isinstance(error, APITimeoutError):
            return f"whether it is overloaded, or raise {self.role.timeout}"
        if _NO_TOOLS.search(str(error)) and not self.calls_as_text:
            return "whether the model calls tools: controller.calls=text is for one that doesn't"
        return ""

    def _sentence(self, problem: str, place: str = "") -> str:
        key = self.openai_api_key.get_secret_value() if isinstance(self.openai_api_key, SecretStr) else NO_KEY
        # Some endpoints repeat the rejected key.
        shown = without_secrets(" ".join(problem.split()), (key,))[:MAX_PROBLEM_LENGTH].rstrip(".")
        end = "" if shown.endswith("?") else "."
        return f"{self.role.name} at {self.openai_api_base} {shown}{end} Check {place or self.role.place}."


def open_endpoint(
    kind: type[EndpointChatModel],
    settings: ControllerSettings,
    url: str,
    model: str,
    key: str | None,
    *,
    loopback: bool,
    role: Role = CONTROLLER,
) -> EndpointChatModel:
    """The model at a URL, by default the controller. Nothing is sent yet."""
    return kind(
        base_url=url,
        model=model,
        api_key=SecretStr(key or NO_KEY),
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=0,  # the caller sets the time limit
        calls_as_text=settings.calls == "text",
        role=role,
        http_client=endpoint_client(loopback=loopback, keyed=key is not None),
        extra_body=thinking_field(settings),
    )


def thinking_field(settings: ControllerSettings) -> dict[str, Any]:
    """The field of a request that makes the chat template open or skip the thinking (vLLM, SGLang, llama.cpp)."""
    return {} if settings.thinking is None else {"chat_template_kwargs": {"enable_thinking": settings.thinking}}


def _may_pass(error: APIError) -> bool:
    """Whether a retry may succeed; not after a time-out."""
    if isinstance(error, APIStatusError):
        hint = error.response.headers.get("x-should-retry")
        return hint == "true" if hint else error.status_code in (408, 409, 429) or error.status_code >= 500
    return isinstance(error, APIConnectionError) and not isinstance(error, APITimeoutError)


def _named_wait(error: APIError) -> float | None:
    """Seconds until the endpoint wants a retry: a number or a date (RFC 9110)."""
    headers = error.response.headers if isinstance(error, APIStatusError) else {}
    with suppress(ValueError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers.get("retry-after", "")))
    date = parsedate_tz(headers.get("retry-after", ""))
    return max(0.0, mktime_tz(date) - time.time()) if date else None
