"""Captions and visual questions by a vision-language model at an OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a
vendor).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from longtake.config import secret
from longtake.errors import EngineError
from longtake.lazy import cached_property
from longtake.memory.timespan import clock
from longtake.models.profiles import profile_named
from longtake.models.refusals import as_accepted
from longtake.offline import is_loopback, refused_endpoint
from longtake.preprocess.engines.endpoints.caption_engine import (
    Description,
    PictureRefused,
    TimedJpeg,
    read_description,
)
from longtake.prompts import prompts_hash, render, without_thinking
from longtake.redaction import without_secrets
from longtake.settings import EndpointSettings, Settings

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletionContentPartParam

_PROMPTS = "longtake.preprocess.prompts"
_CAPTION_TOKENS = 500
_ANSWER_TOKENS = 1_500  # about forty lines
_RETRIES = 3  # after 408, 409, 429, 5xx or no reply; the client waits 0.5 s, doubling each time
_MAX_PROBLEM_LENGTH = 300  # characters
_BAD_REQUEST = {400, 413, 415, 422}  # statuses that reject this request; others may still succeed


def missing_model(settings: EndpointSettings, section: str, *, offline: bool) -> str | None:
    """Why the endpoint in a section of the settings can't be used, and what to do; None if it can.

    Nothing is sent.
    """
    if not settings.base_url or not settings.model:
        return (
            "no vision-language model is set: `longtake setup` finds one, or give an OpenAI-compatible endpoint with "
            f"--set {section}.base_url=URL --set {section}.model=NAME"
        )
    return refused_endpoint(settings.base_url, f"{section}.base_url", settings.api_key_env, offline=offline)


def missing_captions(settings: Settings) -> str | None:
    """Why captions are unavailable, and what to do; None if an endpoint is set. Nothing is sent."""
    return missing_model(settings.captions, "captions", offline=settings.offline)


def missing_questions(settings: Settings) -> str | None:
    """Why visual questions are unavailable, and what to do; None if an endpoint is set. Nothing is sent."""
    return missing_model(settings.visual_question, "visual_question", offline=settings.offline)


class PictureModel(Protocol):
    """A vision-language model."""

    model: str

    def ask(self, parts: Sequence[str | bytes], max_tokens: int, seconds: float | None = None) -> str:
        """The model's non-empty reply to texts and JPEG files in order, without its thinking."""
        ...


class PictureEndpoint:
    """Sends texts and pictures to one model, with what its profile says."""

    def __init__(self, settings: EndpointSettings, section: str) -> None:
        """Prepare the endpoint; nothing is sent yet.

        Args:
            settings: must have a base URL and a model; the engine table checks with `missing_model` first.
            section: their section in the settings.
        """
        assert settings.base_url, "the engine table checks `missing_model` first"
        self._settings = settings
        self._section = section
        self._url = settings.base_url
        self.model = settings.model or ""
        self._key = secret(settings.api_key_env)

    def ask(self, parts: Sequence[str | bytes], max_tokens: int, seconds: float | None = None) -> str:
        """The model's non-empty reply to texts and JPEG files in order, without its thinking.

        `max_tokens` stops a model that repeats itself; `seconds` can only shorten the timeout in the settings.

        Raises:
            PictureRefused: if the endpoint refuses the pictures or returns no text.
            EngineError: if it can't be reached, keeps failing, or returns something other than a chat completion.
        """
        from openai import APIError, APIStatusError

        from longtake.preprocess.engines.endpoints.endpoint_client import problem_of

        try:
            text = self._reply(parts, max_tokens, min(seconds or self._settings.timeout, self._settings.timeout))
        except APIError as error:
            if isinstance(error, APIStatusError) and error.status_code in _BAD_REQUEST:
                raise PictureRefused(self._describe(f"refused the request: {error}")) from error
            raise self._failure(problem_of(error)) from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # The client doesn't validate the body, so an invalid one fails in many ways.
            raise self._failure(f"sent a reply that isn't a chat completion: {error}") from error
        if not text:
            raise PictureRefused(self._describe("sent no text"))
        return text

    def _reply(self, parts: Sequence[str | bytes], max_tokens: int, seconds: float) -> str:
        content = [_part(part) for part in parts]
        completion = as_accepted(
            self._url,
            self.model,
            profile_named(self.model).fields(max_tokens),
            lambda fields: self._client.chat.completions.create(
                model=self.model,
                messages=[{"role": "user", "content": content}],
                extra_body=fields,
                timeout=seconds,
            ),
        )
        return without_thinking(completion.choices[0].message.content or "")

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        from longtake.preprocess.engines.endpoints.endpoint_client import NO_KEY, endpoint_client

        return OpenAI(
            base_url=self._url,
            api_key=self._key or NO_KEY,
            max_retries=_RETRIES,
            http_client=endpoint_client(loopback=is_loopback(self._url), keyed=self._key is not None),
        )

    def _failure(self, problem: str) -> EngineError:
        described = self._describe(problem)
        end = "" if described.endswith("?") else "."
        return EngineError(f"{described}{end} Check {self._section}.base_url and {self._section}.model.")

    def _describe(self, problem: str) -> str:
        # Some servers repeat the key they reject.
        problem = without_secrets(" ".join(problem.split()), (self._key or "",))
        shown = problem[:_MAX_PROBLEM_LENGTH].rstrip(".")
        return f"The endpoint for {self._section.replace('_', ' ')} at {self._url} {shown}"


class CaptionEndpoint:
    """Asks the endpoint of `settings.captions` about a few pictures at a time."""

    def __init__(self, settings: Settings, endpoint: PictureModel | None = None) -> None:
        """Prepare the endpoint of the settings, unless another one is given."""
        self._endpoint = endpoint or PictureEndpoint(settings.captions, "captions")
        self.at_once = 1 if endpoint else settings.captions.at_once  # a model in this process takes one after the other
        self.id = f"{self._endpoint.model}-{prompts_hash(_PROMPTS)}"

    def describe(
        self, stills: Sequence[TimedJpeg], said: str = "", shown: str = "", known: Sequence[str] = ()
    ) -> Description:
        """See `CaptionEngine`; raises what `PictureEndpoint.ask` does."""
        several = len(stills) if len(stills) > 1 else 0
        prompt = render(_PROMPTS, "caption", several=several, said=said, shown=shown, known=list(known))
        parts: list[str | bytes] = [prompt]
        for still in stills:
            parts += [f"Picture at {clock(still.time, decimals=1)}:", still.jpeg] if several else [still.jpeg]
        return read_description(self._endpoint.ask(parts, _CAPTION_TOKENS))


class VisualQuestionEndpoint:
    """Asks the endpoint of `settings.visual_question`."""

    def __init__(self, settings: Settings, endpoint: PictureModel | None = None) -> None:
        """Prepare the endpoint of the settings, unless another one is given."""
        self._endpoint = endpoint or PictureEndpoint(settings.visual_question, "visual_question")
        self.id = self._endpoint.model

    def answer(self, prompt: str, pictures: Sequence[TimedJpeg], seconds: float) -> str:
        """See `VisualQuestionEngine`; raises what `PictureEndpoint.ask` does."""
        parts: list[str | bytes] = [prompt]
        for picture in pictures:
            parts += [f"Picture at {clock(picture.time, decimals=2)}:", picture.jpeg]
        return self._endpoint.ask(parts, _ANSWER_TOKENS, seconds)


def _part(part: str | bytes) -> ChatCompletionContentPartParam:
    """A text, or a JPEG file as a data URL."""
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}}
