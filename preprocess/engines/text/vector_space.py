"""The properties common to all embeddings."""

from __future__ import annotations

from typing import Protocol


class EmbeddingSpace(Protocol):
    """A space in which the inner product of two vectors of length 1 measures similarity of meaning."""

    @property
    def id(self) -> str:
        """Model and version; vectors of different spaces are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def floor(self) -> float:
        """Cosine below which two things count as unrelated."""
        ...
