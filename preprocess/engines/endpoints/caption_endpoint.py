"""Captions by a vision-language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.memory.timespan import clock
from longtake.preprocess.engines.endpoints.caption_engine import Description, Still, read_description
from longtake.preprocess.engines.endpoints.picture_endpoint import PictureEndpoint, PictureModel, missing_model
from longtake.prompts import prompts_hash, render
from longtake.settings import Settings

_PROMPTS = "longtake.preprocess.prompts"
_MAX_TOKENS = 500


def missing_endpoint(settings: Settings) -> str | None:
    """Why captions are unavailable, and what to do; None if an endpoint is set. Nothing is sent."""
    return missing_model(settings.captions, "captions", offline=settings.offline)


class CaptionEndpoint:
    """Asks the endpoint of `settings.captions` about a few pictures at a time."""

    def __init__(self, settings: Settings, endpoint: PictureModel | None = None) -> None:
        """Prepare the endpoint of the settings, unless another one is given."""
        self._endpoint = endpoint or PictureEndpoint(settings.captions, "captions")
        self.at_once = 1 if endpoint else settings.captions.at_once  # a model in this process takes one after the other
        self.id = f"{self._endpoint.model}-{prompts_hash(_PROMPTS)}"

    def describe(
        self, stills: Sequence[Still], said: str = "", shown: str = "", known: Sequence[str] = ()
    ) -> Description:
        """See `CaptionEngine`.

        Raises:
            PictureRefused: if the endpoint refuses these pictures or returns no text.
            EngineError: if it can't be reached, keeps failing, or returns something other than a chat completion.
        """
        several = len(stills) if len(stills) > 1 else 0
        prompt = render(_PROMPTS, "caption", several=several, said=said, shown=shown, known=list(known))
        parts: list[str | bytes] = [prompt]
        for still in stills:
            parts += [f"Picture at {clock(still.time, decimals=1)}:", still.jpeg] if several else [still.jpeg]
        return read_description(self._endpoint.ask(parts, _MAX_TOKENS))
