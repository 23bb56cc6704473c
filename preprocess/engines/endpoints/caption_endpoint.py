"""Captions by a vision-language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from longtake.preprocess.engines.endpoints.picture_endpoint import PictureEndpoint, PictureModel, missing_model
from longtake.prompts import prompts_hash, render
from longtake.settings import Settings

_PROMPTS = "longtake.preprocess.prompts"
_MAX_TOKENS = 300


def missing_endpoint(settings: Settings) -> str | None:
    """Why captions are unavailable, and what to do; None if an endpoint is set. Nothing is sent."""
    return missing_model(settings.captions, "captions", offline=settings.offline)


class CaptionEndpoint:
    """Asks the endpoint of `settings.captions` about one picture at a time."""

    def __init__(self, settings: Settings, endpoint: PictureModel | None = None) -> None:
        """Prepare the endpoint of the settings, unless another one is given."""
        self._endpoint = endpoint or PictureEndpoint(settings.captions, "captions")
        self.id = f"{self._endpoint.model}-{prompts_hash(_PROMPTS)}"

    def describe(self, picture: bytes) -> str:
        """Describe a picture in one line; `picture` is a JPEG file.

        Raises:
            PictureRefused: if the endpoint refuses this picture or returns no text.
            EngineError: if it can't be reached, keeps failing, or returns something other than a chat completion.
        """
        reply = self._endpoint.ask([render(_PROMPTS, "caption"), picture], _MAX_TOKENS)
        return " ".join(reply.split())
