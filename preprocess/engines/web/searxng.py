"""Web search with SearXNG (github.com/searxng/searxng), a self-hosted metasearch engine, through its JSON API."""

from __future__ import annotations

import time
from typing import Any

import httpx

from longtake.errors import EngineError
from longtake.language.text import parse_json
from longtake.offline import refused_endpoint
from longtake.preprocess.engines.web.public_web import PublicTransport
from longtake.preprocess.engines.web.web import WebResult
from longtake.settings import Settings

_SETTING = "web.searxng_url"
_MAX_BYTES = 2 * 1024 * 1024  # of a reply; a page of results has 20 to 100 kB
_REDIRECTS = 3
_JSON = "its settings.yml must list `json` under search.formats"


def missing_searxng(settings: Settings) -> str | None:
    """Why SearXNG can't be used, and what to do; None if it can. Nothing is sent."""
    url = settings.web.searxng_url
    if not url:
        return f"no SearXNG server is set: give its URL with --set {_SETTING}=http://127.0.0.1:8888"
    if set(url) & set("@?#"):
        return f"{_SETTING} must not contain @, ? or #: leave out passwords, queries and fragments"
    return refused_endpoint(url, _SETTING, "", offline=settings.offline)


class Searxng:
    """Queries the SearXNG server in `settings.web`, which may be on this machine or network."""

    id = "searxng"

    def __init__(self, settings: Settings) -> None:
        """Take the server's URL; nothing is sent yet."""
        assert settings.web.searxng_url, "the engine table checks `missing_searxng` first"
        self._url = settings.web.searxng_url.rstrip("/") + "/search"
        self._offline = settings.offline

    def search(self, query: str, count: int, seconds: float) -> list[WebResult]:
        """See `WebSearch`."""
        try:
            status, body = self._get(query, seconds)
        except httpx.TooManyRedirects as error:
            raise self._failure("redirects too often") from error
        except httpx.TimeoutException as error:
            raise self._failure(f"didn't answer within {seconds:.0f} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._failure(f"couldn't be reached ({error or type(error).__name__})") from error
        if status == httpx.codes.FORBIDDEN:
            raise self._failure(f"refused the request (403): {_JSON}")
        if status != httpx.codes.OK:
            raise self._failure(f"returned status {status}")
        return self._parse_results(body)[:count]

    def _get(self, query: str, seconds: float) -> tuple[int, bytes]:
        """Status and raw body of the reply: compressed data could expand without limit."""
        deadline = time.monotonic() + seconds
        body = b""
        with (
            httpx.Client(
                transport=PublicTransport(httpx.URL(self._url), offline=self._offline),
                timeout=seconds,
                follow_redirects=True,
                max_redirects=_REDIRECTS,
                headers={"Accept": "application/json", "Accept-Encoding": "identity"},
            ) as client,
            client.stream("GET", self._url, params={"q": query, "format": "json"}) as response,
        ):
            for piece in response.iter_raw():
                body += piece
                if len(body) > _MAX_BYTES:
                    raise self._failure(f"sent more than {_MAX_BYTES} bytes")
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the reply took too long")
        return response.status_code, body

    def _parse_results(self, body: bytes) -> list[WebResult]:
        try:
            reply = parse_json(body)
            found = [_result(item) for item in reply["results"]]
            silent = reply.get("unresponsive_engines")
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise self._failure(f"didn't send results in JSON: {_JSON}") from error
        if not found and silent:
            raise self._failure("got no answer from its search engines")
        return found

    def _failure(self, problem: str) -> EngineError:
        return EngineError(f"The SearXNG server at {self._url} {problem}; check {_SETTING}.")


def _result(item: dict[str, Any]) -> WebResult:
    title, snippet, url = (item.get(name) for name in ("title", "content", "url"))
    return WebResult(*(text if isinstance(text, str) else "" for text in (title, snippet, url)))
