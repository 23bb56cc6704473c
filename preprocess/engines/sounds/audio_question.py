"""The protocol of audio-question engines, which answer questions about a stretch of sound."""

from __future__ import annotations

from typing import Protocol

from longtake.preprocess.media.audio import Samples


class AudioQuestionEngine(Protocol):
    """A model that answers in words."""

    id: str
    rate: int  # samples per second
    seconds: float  # the longest stretch

    def answer(self, prompt: str, samples: Samples, seconds: float) -> str:
        """The answer to a prompt about mono samples, float32 of shape (n,), within `seconds`; it may be empty.

        Raises:
            EngineError: if the model can't be loaded, or fails.
        """
        ...
