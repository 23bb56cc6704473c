"""The protocol of web search engines. They return results without fetching the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WebResult:
    """A page as a search engine describes it, verbatim and untrusted."""

    title: str
    snippet: str
    url: str


class WebSearch(Protocol):
    """Queries a search engine."""

    @property
    def id(self) -> str:
        """Name and, for a library, version."""
        ...

    def search(self, query: str, count: int, seconds: float) -> list[WebResult]:
        """At most `count` results, best first, within about `seconds`.

        Raises:
            EngineError: if there is no readable answer.
        """
        ...
