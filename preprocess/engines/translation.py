"""Translation of written words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Translator(Protocol):
    """A translator between some languages, which are named by code: `es`, `pt-BR`."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether its words may prove a claim, or only lead to a place."""
        ...

    def missing(self, source: str, target: str) -> str | None:
        """Why it does not translate from `source` into `target`, with what to do; None when it does."""
        ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Each text, of one paragraph and not empty, in the other language.

        Raises:
            EngineError: when the translator fails.
        """
        ...
