"""Visual questions to a vision-language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.config import Settings
from longtake.memory.timespan import clock
from longtake.preprocess.engines.endpoints.picture_endpoint import PictureEndpoint, missing_model
from longtake.preprocess.engines.endpoints.visual_question import TimedJpeg

_MAX_TOKENS = 800


def missing_endpoint(settings: Settings) -> str | None:
    """Why no endpoint can be asked about pictures, with what to do; None when one can. Nothing is sent."""
    return missing_model(settings.visual_question, "visual_question", offline=settings.offline)


class VisualQuestionEndpoint:
    """Asks the endpoint of `settings.visual_question`."""

    def __init__(self, settings: Settings) -> None:
        self._endpoint = PictureEndpoint(settings.visual_question, "visual_question")
        self.id = settings.visual_question.model or ""

    def answer(self, prompt: str, pictures: Sequence[TimedJpeg], seconds: float) -> str:
        """The answer to a prompt about pictures, each told with its time, within so many seconds.

        Raises:
            PictureRefused: when the endpoint refuses these pictures or has no word for them.
            EngineError: when it is not there, fails again and again, or sends something else than a chat completion.
        """
        parts: list[str | bytes] = [prompt]
        for picture in pictures:
            parts += [f"Picture at {clock(picture.time, decimals=2)}:", picture.jpeg]
        return self._endpoint.ask(parts, _MAX_TOKENS, seconds)
