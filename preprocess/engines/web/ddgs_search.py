"""Web search with ddgs (github.com/deedy5/ddgs), which queries public search engines as a browser would, without a key.

It connects through a Rust library, which Python's audit hooks can't see, so `--offline` is enforced here.
"""

from __future__ import annotations

import math
from importlib.metadata import version

from longtake.errors import EngineError
from longtake.preprocess.engines.web.web import WebResult
from longtake.settings import Settings

_NOTHING = "No results found."  # the library's message


def missing_network(settings: Settings) -> str | None:
    """Why public search engines can't be used; None if they can."""
    return "--offline forbids public search engines" if settings.offline else None


class Ddgs:
    """Queries the engines that the library chooses."""

    def __init__(self, settings: Settings) -> None:
        """Take no settings; nothing is sent yet."""
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
                f"The public search engines didn't answer ({' '.join(str(error).split())}): "
                "try again later, or use a SearXNG server with --set web.searxng_url=URL."
            ) from error
        return [WebResult(*(str(item.get(name) or "") for name in ("title", "body", "href"))) for item in found]
