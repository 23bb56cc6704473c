"""An OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a vendor) as the controller.

Every failure becomes one sentence that names the endpoint. Its type says whether to retry (`Busy`, and
`Unanswered` if nobody waits) or to shorten the conversation (`ContextFull`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from email.utils import mktime_tz, parsedate_tz
from typing import Any

import httpx
import httpx2
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_openai.chat_models.base import BaseChatOpenAI
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
)
from openai import BaseModel as OpenAIModel
from pydantic import PrivateAttr, SecretStr

from longtake.agent.controllers.asking import CONTROLLER, Busy, ContextFull, Role, Unanswered
from longtake.agent.controllers.call_parsing.text_tool_calls import as_text
from longtake.agent.controllers.streaming import EXTRA, Heard, assembled, mended
from longtake.errors import Cancelled, EngineError
from longtake.language.text import words_of
from longtake.models.profiles import ModelProfile, profile_of
from longtake.models.refusals import CONTEXT_FULL, TOKEN_FIELDS, as_accepted
from longtake.offline import is_loopback
from longtake.preprocess.engines.endpoints.endpoint_client import NO_KEY, endpoint_client, problem_of
from longtake.redaction import without_secrets
from longtake.settings import ControllerSettings

MAX_PROBLEM_LENGTH = 300  # characters of an error message
_MAX_EXTRAS = 1_000  # calls whose additional content is kept
# Ollama, vLLM and LM Studio word this differently.
_NO_TOOLS = ("not support tool", "not support function", "tool choice requires", "tools are not supported")


class EndpointChatModel(BaseChatOpenAI):
    """A chat model behind a URL. Its failures are `EngineError`s."""

    profile_in_use: ModelProfile
    role: Role = CONTROLLER
    _extras: dict[str, Any] = PrivateAttr(default_factory=dict)  # by call

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with the tools it may call, in the request's field or in words."""
        return self.bind(described=list(tools)) if self.calls_as_text else super().bind_tools(tools, **kwargs)

    @property
    def calls_as_text(self) -> bool:
        """Whether calls are written as text."""
        return self.profile_in_use.calls == "text"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        described: Sequence[dict[str, Any]] = (),
        timeout: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
        on_text: Callable[[str], None] | None = None,
        field: str | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """One reply. With `on_text`, it is streamed, and `field` is that of JSON which holds the text."""
        asked = as_text(messages, described) if self.calls_as_text else messages
        body = self._body(self._get_request_payload(asked, stop=stop, **kwargs))
        heard = None
        if on_text:
            heard = Heard(on_text, thinks=self.profile_in_use.thinking is True, field=field)
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        try:
            completion = as_accepted(
                str(self.openai_api_base),
                self.model_name,
                body,
                lambda accepted: self._completion(accepted, timeout, stopped, heard),
            )
            return self._create_chat_result(completion)
        except APIError as error:
            raise self._failure(error) from error
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            # Nothing checks the body, and reading one that isn't a chat completion fails in many ways.
            full = CONTEXT_FULL.search(str(error))
            sentence = self._sentence(f"sent a reply that isn't a chat completion: {error}")
            raise (ContextFull if full else Unanswered)(sentence) from error

    def _body(self, payload: dict[str, Any]) -> dict[str, Any]:
        """The fields of a request: LangChain's, under those that the profile and the caller give."""
        extra = {**(payload.pop("extra_body", None) or {})}
        limit = next((extra.pop(name) for name in TOKEN_FIELDS if name in extra), None)
        profile = self.profile_in_use
        body = {**payload, **profile.fields(), **extra}
        if limit is not None:
            body[profile.token_field or TOKEN_FIELDS[0]] = limit
        if body.get("tools") and not profile.parallel_calls:
            body["parallel_tool_calls"] = False
        for message in body["messages"]:
            for call in message.get("tool_calls") or ():
                if extras := self._extras.get(_call_key(call)):
                    call[EXTRA] = extras
        return body

    def _completion(
        self, body: Mapping[str, Any], timeout: float | None, stopped: Callable[[], bool], heard: Heard | None
    ) -> Any:
        """The body of the reply, put together if it is streamed."""
        given = {} if timeout is None else {"timeout": timeout}
        named = {name: body[name] for name in ("model", "messages", "stream")}
        rest = {name: value for name, value in body.items() if name not in named}
        with self.client.with_streaming_response.create(**named, extra_body=rest, **given) as reply:
            request = reply.http_response.request
            try:
                if "text/event-stream" not in reply.headers.get("content-type", ""):
                    return json.loads(reply.read())
                return assembled(_until(stopped, reply.iter_lines()), request, heard or (lambda message: None))
            # A connection that breaks inside a reply is told as one that breaks before it.
            except (httpx.TimeoutException, httpx2.TimeoutException) as error:
                raise APITimeoutError(request) from error
            except (httpx.HTTPError, httpx2.HTTPError) as error:
                raise APIConnectionError(request=request) from error

    def _create_chat_result(
        self, response: dict[str, Any] | OpenAIModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        body = response if isinstance(response, dict) else response.model_dump(warnings=False)
        body = mended(body, self.role.name)
        for choice in body.get("choices") or []:
            for call in choice["message"]["tool_calls"]:
                if EXTRA in call:
                    self._extras[_call_key(call)] = call[EXTRA]
        while len(self._extras) > _MAX_EXTRAS:
            del self._extras[next(iter(self._extras))]
        result = super()._create_chat_result(body, generation_info)
        if not result.generations:
            raise ValueError("it has no choices")
        return result

    def _failure(self, error: APIError) -> EngineError:
        sentence = self._sentence(problem_of(error), self._place(error))
        if CONTEXT_FULL.search(str(error)):
            return ContextFull(sentence)
        if isinstance(error, APITimeoutError):
            return Unanswered(sentence)
        return Busy(sentence, _named_wait(error)) if _may_pass(error) else EngineError(sentence)

    def _place(self, error: APIError) -> str:
        """What to check; empty for the place of the endpoint."""
        if isinstance(error, AuthenticationError):
            return f"the key, which was refused: {self.role.key}"
        if isinstance(error, APITimeoutError):
            return f"whether it is overloaded, or raise {self.role.timeout}"
        if any(each in words_of(str(error)) for each in _NO_TOOLS) and not self.calls_as_text:
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
    role: Role = CONTROLLER,
) -> EndpointChatModel:
    """The model at a URL, by default the controller. Nothing is sent yet."""
    return kind(
        base_url=url,
        model=model,
        api_key=SecretStr(key or NO_KEY),
        timeout=settings.timeout,
        max_retries=0,  # the caller sets the time limit
        use_responses_api=False,
        profile_in_use=profile_of(settings.model_copy(update={"model": model})),
        role=role,
        http_client=endpoint_client(loopback=is_loopback(url), keyed=key is not None),
        extra_body=thinking_field(settings),
    )


def thinking_field(settings: ControllerSettings) -> dict[str, Any]:
    """The field of a request that makes the chat template open or skip the thinking (vLLM, SGLang, llama.cpp)."""
    return {} if settings.thinking is None else {"chat_template_kwargs": {"enable_thinking": settings.thinking}}


def _call_key(call: Mapping[str, Any]) -> str:
    """What stays the same of a call between a reply and the next request: not its id."""
    arguments = call["function"]["arguments"]
    with suppress(ValueError):
        arguments = json.dumps(json.loads(arguments), sort_keys=True)
    return f"{call['function']['name']} {arguments}"


def _until(stopped: Callable[[], bool], lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if stopped():
            raise Cancelled("The reply was stopped.")
        yield line


def _may_pass(error: APIError) -> bool:
    """Whether a retry may succeed."""
    if isinstance(error, APIStatusError):
        hint = error.response.headers.get("x-should-retry")
        return hint == "true" if hint else error.status_code in (408, 409, 429) or error.status_code >= 500
    return isinstance(error, APIConnectionError)


def _named_wait(error: APIError) -> float | None:
    """Seconds until the endpoint wants a retry: a number or a date (RFC 9110)."""
    headers = error.response.headers if isinstance(error, APIStatusError) else {}
    with suppress(ValueError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers.get("retry-after", "")))
    date = parsedate_tz(headers.get("retry-after", ""))
    return max(0.0, mktime_tz(date) - time.time()) if date else None
