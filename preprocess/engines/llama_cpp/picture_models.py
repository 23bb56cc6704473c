"""Pictures to a vision-language model in a GGUF file: captions and questions, through llama.cpp on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from longtake.lazy import cached_property
from longtake.models.folder import installed
from longtake.preprocess.engines.endpoints.picture_endpoint import (
    CaptionEndpoint,
    PictureEndpoint,
    VisualQuestionEndpoint,
)
from longtake.preprocess.engines.llama_cpp.server import missing_gguf, projector_of, shared_server
from longtake.settings import EndpointSettings, Settings

if TYPE_CHECKING:
    from openai import OpenAI

URL = "http://llama.cpp/v1"  # the transport puts the real address in its place


class GgufPictures(PictureEndpoint):
    """Sends texts and pictures to a model that the first of them loads."""

    def __init__(self, settings: Settings, section: str, own: EndpointSettings) -> None:
        """Prepare the model of a section of the settings; `missing_gguf` has checked it."""
        super().__init__(own.model_copy(update={"base_url": URL}), section)
        self._server = shared_server(settings, _model(own) or "")
        self.model = self._server.file.name

    def ask(self, parts: Sequence[str | bytes], max_tokens: int, seconds: float | None = None) -> str:
        """As `PictureEndpoint.ask`; loads the model first, which doesn't count towards the time.

        Raises:
            PictureRefused: if the model refuses the pictures or returns no text.
            EngineError: if it can't be loaded, or fails.
        """
        self._server.ready()
        return super().ask(parts, max_tokens, seconds)

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        from longtake.preprocess.engines.endpoints.endpoint_client import NO_KEY

        client: Any = self._server.client()  # an httpx client, which newer releases of openai take but don't declare
        return OpenAI(base_url=URL, api_key=NO_KEY, max_retries=1, http_client=client)


class GgufCaptions(CaptionEndpoint):
    """Describes a few pictures at a time with the model of `settings.captions`."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, GgufPictures(settings, "captions", settings.captions))


class GgufVisualQuestions(VisualQuestionEndpoint):
    """Asks the model of `settings.visual_question`, or else the best one in the models folder."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, GgufPictures(settings, "visual_question", settings.visual_question))


def _missing(section: str, settings: Settings) -> str | None:
    """Why the model of a section can't be used, and what to do; None if it can. Nothing is loaded."""
    own: EndpointSettings = getattr(settings, section)
    if own.base_url:
        return f"{section}.base_url names an endpoint: leave it out to use a GGUF file"
    model = _model(own)
    if model is None:
        return "no model: fetch one with `longtake models pull qwen3-vl-2b`"
    if projector_of(settings, model) is None:
        return "no projector is set: give the model's with --set gguf.mmproj=FILE.gguf"
    return missing_gguf(settings, model, f"{section}.model")


missing_caption_model = partial(_missing, "captions")
missing_question_model = partial(_missing, "visual_question")


def _model(own: EndpointSettings) -> str | None:
    """The file that the settings name, or else the best one in the models folder."""
    fetched = installed("pictures")
    return own.model or (str(fetched[0].path) if fetched else None)
