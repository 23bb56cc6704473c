"""The protocol of caption engines, which describe pictures in words."""

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
        """Describe a picture in one non-empty line; `picture` is a JPEG file.

        Raises:
            PictureRefused: if the model doesn't describe this picture; it may describe others.
            EngineError: if the model can't be used.
        """
        ...
