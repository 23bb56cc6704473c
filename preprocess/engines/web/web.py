"""Web: what search engines find, in their own words. None of the pages found is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WebResult:
    """A page as a search engine tells of it, letter for letter: nobody vouches for any of it."""

    title: str
    snippet: str
    url: str


class WebSearch(Protocol):
    """Asks a search engine."""

    @property
    def id(self) -> str:
        """Name and, for a library, version."""
        ...

    def search(self, query: str, count: int, seconds: float) -> list[WebResult]:
        """At most `count` results, best first, within about `seconds`.

        Raises:
            EngineError: when there is no answer, or none that could be read.
        """
        ...
