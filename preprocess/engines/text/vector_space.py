"""What every embedding says of the space its vectors lie in."""

from __future__ import annotations

from typing import Protocol


class VectorSpace(Protocol):
    """A space in which the inner product of two vectors of length 1 says how near their meanings are."""

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
        """Cosine under which two things are taken to have nothing to do with each other."""
        ...
