"""The protocol of translators of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Translator(Protocol):
    """Translates between some languages, given as codes: `es`, `pt-BR`."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether its translations may prove a claim, or only lead to a place."""
        ...

    def missing(self, source: str, target: str) -> str | None:
        """Why it can't translate from `source` into `target`, and what to do; None if it can."""
        ...

    def sources(self, target: str) -> list[str]:
        """Codes of the languages that it can distinguish from `target` and translate into it."""
        ...

    def foreign(self, texts: Sequence[str], source: str, target: str) -> list[bool] | None:
        """Which of the texts are in `source` rather than in `target`; None if it can't distinguish them."""
        ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate texts, each one non-empty paragraph.

        Raises:
            EngineError: if the translator fails.
        """
        ...
