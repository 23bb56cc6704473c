"""Summary: which sentences of a text stand for the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Summarizer(Protocol):
    """An extractive summariser: it chooses, and adds nothing."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def summarize(self, sentences: Sequence[str], count: int) -> list[int]:
        """Indices of at most `count` sentences, in the order of the text."""
        ...
