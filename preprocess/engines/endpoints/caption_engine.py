"""The protocol of caption engines, which describe pictures in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from longtake.errors import EngineError


class PictureRefused(EngineError):
    """The engine works, but has no description of these pictures."""


class Still(NamedTuple):
    """A picture of a video: its time in seconds, and a JPEG file."""

    time: float
    jpeg: bytes


class CaptionEngine(Protocol):
    """A model that describes pictures."""

    at_once: int  # requests that may be under way together

    @property
    def id(self) -> str:
        """Model and version of its prompt."""
        ...

    def describe(self, stills: Sequence[Still], said: str = "", shown: str = "") -> str:
        """Describe a part of a video in one non-empty line.

        Args:
            stills: pictures of it in order, at least one.
            said: the words that are spoken meanwhile.
            shown: the text on screen.

        Raises:
            PictureRefused: if the model doesn't describe these pictures; it may describe others.
            EngineError: if the model can't be used.
        """
        ...
