"""ddgs (github.com/deedy5/ddgs): asks public search engines as a browser would; needs no key.

It connects by a library in Rust, of which Python's audit hooks learn nothing: `--offline` is kept here.
"""

from __future__ import annotations

import math
from importlib.metadata import version

from longtake.config import Settings
from longtake.errors import EngineError
from longtake.preprocess.engines.web.web import WebResult

_NOTHING = "No results found."  # how the library words that


def missing_network(settings: Settings) -> str | None:
    """Why public search engines may not be asked; None when they may."""
    return "--offline forbids to ask public search engines" if settings.offline else None


class Ddgs:
    """Asks the engines that the library chooses."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is sent."""
        self.id = f"ddgs-{version('ddgs')}"

    def search(self, query: str, count: int, seconds: float) -> list[WebResult]:
        """See `WebSearch`."""
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException

        try:
            found = DDGS(timeout=math.ceil(seconds)).text(query, max_results=count)
        except DDGSException as error:
            if str(error) == _NOTHING:
                return []
            raise EngineError(
                f"The public search engines gave no answer ({' '.join(str(error).split())}): "
                "ask later, or name a SearXNG with web.searxng_url."
            ) from error
        return [WebResult(*(str(item.get(name) or "") for name in ("title", "body", "href"))) for item in found]
