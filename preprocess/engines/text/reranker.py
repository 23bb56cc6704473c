"""The protocol of rerankers, which read a query and a text together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores how well texts answer a query: slower than vectors, and better."""

    @property
    def id(self) -> str:
        """Model and version."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number for each text; a higher one is better.

        Raises:
            EngineError: if the model can't be loaded, is no reranker, or doesn't know the language.
        """
        ...
