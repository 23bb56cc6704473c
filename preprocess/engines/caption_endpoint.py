"""Captions by a vision-language model behind an OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a vendor)."""

from __future__ import annotations

import base64
from functools import cached_property
from typing import TYPE_CHECKING

from longtake.config import Settings, secret
from longtake.errors import EngineError
from longtake.offline import is_loopback, refused_endpoint
from longtake.preprocess.engines.captions import PictureRefused
from longtake.prompts import prompts_hash, render

if TYPE_CHECKING:
    from openai import OpenAI

_PROMPTS = "longtake.preprocess.prompts"
_RETRIES = 3  # after 408, 409, 429, 5xx or no reply; the client waits 0.5 s, and twice as long each time
_MOST_TOKENS = 300  # a model that repeats itself would go on until the timeout
_MOST_TOLD = 300  # letters of what went wrong
_OF_THE_PICTURE = {400, 413, 415, 422}  # statuses that say that this request is no good, and not that none would be
# Servers on one's own machine ask for no key, but the client insists on one.
_NO_KEY = "no-key-given"


def missing_endpoint(settings: Settings) -> str | None:
    """Why no endpoint can be asked for captions, with what to do; None when one can. Nothing is sent."""
    url, model = settings.captions.base_url, settings.captions.model
    if not url or not model:
        return (
            "captions.base_url and captions.model name no vision-language model: "
            "give an OpenAI-compatible endpoint and its model with --set"
        )
    return refused_endpoint(url, "captions.base_url", settings.captions.api_key_env, offline=settings.offline)


class CaptionEndpoint:
    """Asks the endpoint of `settings.captions` about one picture at a time, at temperature 0."""

    def __init__(self, settings: Settings) -> None:
        assert settings.captions.base_url, "the engine table asks `missing_endpoint` first"
        self._settings = settings.captions
        self._url = settings.captions.base_url
        self._key = secret(settings.captions.api_key_env) or _NO_KEY
        self.id = f"{settings.captions.model}-{prompts_hash(_PROMPTS)}"

    def describe(self, picture: bytes) -> str:
        """What a picture shows, as one line; `picture` is a JPEG file.

        Raises:
            PictureRefused: when the endpoint refuses this picture or has no word for it.
            EngineError: when it is not there, fails again and again, or sends something else than a chat completion.
        """
        from openai import APIError, APIStatusError

        try:
            text = self._reply(picture)
        except APIError as error:
            if isinstance(error, APIStatusError) and error.status_code in _OF_THE_PICTURE:
                raise PictureRefused(self._told(f"refused it: {error}")) from error
            raise self._failure(f"failed: {error}") from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # The client reads a body that is no chat completion without looking, and stumbles in as many ways.
            raise self._failure(f"sent a reply that is no chat completion: {error}") from error
        if not text:
            raise PictureRefused(self._told("sent no text"))
        return text

    def _reply(self, picture: bytes) -> str:
        data = base64.b64encode(picture).decode("ascii")
        completion = self._client.chat.completions.create(
            model=self._settings.model or "",
            temperature=0,
            max_tokens=_MOST_TOKENS,
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": render(_PROMPTS, "caption")},
                        {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}},
                    ],
                }
            ],
        )
        said = completion.choices[0].message.content or ""
        # Some models think aloud first.
        return " ".join(said.rpartition("</think>")[2].split())

    @cached_property
    def _client(self) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI

        return OpenAI(
            base_url=self._url,
            api_key=self._key,
            timeout=self._settings.timeout,
            max_retries=_RETRIES,
            # A proxy named in the environment must not see what is sent to a server on this machine.
            http_client=DefaultHttpxClient(trust_env=False, follow_redirects=False) if is_loopback(self._url) else None,
        )

    def _failure(self, problem: str) -> EngineError:
        return EngineError(f"{self._told(problem)}; check captions.base_url and captions.model.")

    def _told(self, problem: str) -> str:
        # Some servers repeat the key they refuse.
        told = " ".join(problem.split()).replace(self._key, "***")[:_MOST_TOLD].rstrip(".")
        return f"The endpoint for captions at {self._url} {told}"
