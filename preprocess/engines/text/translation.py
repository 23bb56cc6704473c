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

    def sources(self, target: str) -> list[str]:
        """Codes of the languages that it tells from `target` and translates into it; none where it tells none."""
        ...

    def foreign(self, texts: Sequence[str], source: str, target: str) -> list[bool] | None:
        """Which of the texts are in `source` rather than in `target`; None where it cannot tell."""
        ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Each text, of one paragraph and not empty, in the other language.

        Raises:
            EngineError: when the translator fails.
        """
        ...
