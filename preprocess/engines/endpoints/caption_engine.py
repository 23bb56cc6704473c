"""Captions: what a picture shows, in words."""

from __future__ import annotations

from typing import Protocol

from longtake.errors import EngineError


class PictureRefused(EngineError):
    """The engine works, but has no description of this one picture."""


class CaptionEngine(Protocol):
    """A model that describes pictures."""

    @property
    def id(self) -> str:
        """Model and version of its prompt."""
        ...

    def describe(self, picture: bytes) -> str:
        """What a picture shows, in one line of text that is not empty; `picture` is a JPEG file.

        Raises:
            PictureRefused: when this picture is not described; others may be.
            EngineError: when the model cannot be used.
        """
        ...
