"""The protocol of visual-question engines, which answer questions about a few pictures of a video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TimedJpeg:
    """A frame as a JPEG file, and its time in seconds."""

    time: float
    jpeg: bytes


class VisualQuestionEngine(Protocol):
    """A model that answers in words."""

    @property
    def id(self) -> str:
        """The model's name."""
        ...

    def answer(self, prompt: str, pictures: Sequence[TimedJpeg], seconds: float) -> str:
        """The non-empty answer to a prompt about pictures in time order, each sent with its time.

        Raises:
            PictureRefused: if the model refuses these pictures or returns no text.
            EngineError: if the model can't be used.
        """
        ...
