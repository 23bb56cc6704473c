"""Text embedding: texts to vectors whose inner product says how near two meanings are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longtake.memory.index import Vectors


class TextEmbedding(Protocol):
    """A model of text."""

    @property
    def id(self) -> str:
        """Model and version: names the space its vectors live in."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def floor(self) -> float:
        """Cosine under which two texts are taken to have nothing to do with each other."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, (texts, dimensions) float32; a text without a known word is all zero.

        Raises:
            EngineError: when the model cannot be loaded.
        """
        ...
