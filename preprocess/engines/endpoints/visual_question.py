"""Visual questions: what a model of pictures and words answers about a few pictures of a video."""

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
        """The answer, not empty, to a prompt about pictures in order of time, each of which is sent with its time.

        Raises:
            PictureRefused: when the model refuses these pictures or has no word for them.
            EngineError: when the model cannot be used.
        """
        ...
