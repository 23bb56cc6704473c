"""Captions by a vision-language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from longtake.config import Settings
from longtake.preprocess.engines.endpoints.picture_endpoint import PictureEndpoint, missing_model
from longtake.prompts import prompts_hash, render

_PROMPTS = "longtake.preprocess.prompts"
_MAX_TOKENS = 300


def missing_endpoint(settings: Settings) -> str | None:
    """Why no endpoint can be asked for captions, with what to do; None when one can. Nothing is sent."""
    return missing_model(settings.captions, "captions", offline=settings.offline)


class CaptionEndpoint:
    """Asks the endpoint of `settings.captions` about one picture at a time."""

    def __init__(self, settings: Settings) -> None:
        self._endpoint = PictureEndpoint(settings.captions, "captions")
        self.id = f"{settings.captions.model}-{prompts_hash(_PROMPTS)}"

    def describe(self, picture: bytes) -> str:
        """What a picture shows, as one line; `picture` is a JPEG file.

        Raises:
            PictureRefused: when the endpoint refuses this picture or has no word for it.
            EngineError: when it is not there, fails again and again, or sends something else than a chat completion.
        """
        said = self._endpoint.ask([render(_PROMPTS, "caption"), picture], _MAX_TOKENS)
        return " ".join(said.split())
