"""The protocol of extractive summarisers, which choose the sentences that represent a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Summarizer(Protocol):
    """An extractive summariser: it chooses sentences and adds nothing."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def summarize(self, sentences: Sequence[str], count: int) -> list[int]:
        """Indices of at most `count` sentences, in text order."""
        ...
