"""Visual questions to a vision-language model at an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.memory.timespan import clock
from longtake.preprocess.engines.endpoints.caption_engine import TimedJpeg
from longtake.preprocess.engines.endpoints.picture_endpoint import PictureEndpoint, PictureModel, missing_model
from longtake.settings import Settings

_MAX_TOKENS = 1_500  # about forty lines


def missing_endpoint(settings: Settings) -> str | None:
    """Why visual questions are unavailable, and what to do; None if an endpoint is set. Nothing is sent."""
    return missing_model(settings.visual_question, "visual_question", offline=settings.offline)


class VisualQuestionEndpoint:
    """Asks the endpoint of `settings.visual_question`."""

    def __init__(self, settings: Settings, endpoint: PictureModel | None = None) -> None:
        """Prepare the endpoint of the settings, unless another one is given."""
        self._endpoint = endpoint or PictureEndpoint(settings.visual_question, "visual_question")
        self.id = self._endpoint.model

    def answer(self, prompt: str, pictures: Sequence[TimedJpeg], seconds: float) -> str:
        """The answer to a prompt about pictures, each sent with its time, within `seconds`.

        Raises:
            PictureRefused: if the endpoint refuses these pictures or returns no text.
            EngineError: if it can't be reached, keeps failing, or returns something other than a chat completion.
        """
        parts: list[str | bytes] = [prompt]
        for picture in pictures:
            parts += [f"Picture at {clock(picture.time, decimals=2)}:", picture.jpeg]
        return self._endpoint.ask(parts, _MAX_TOKENS, seconds)
