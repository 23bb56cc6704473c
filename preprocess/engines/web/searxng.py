"""SearXNG (github.com/searxng/searxng): a metasearch engine that people run themselves, asked for JSON."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx

from longtake.config import Settings
from longtake.errors import EngineError
from longtake.offline import refused_endpoint
from longtake.preprocess.engines.web.public_web import PublicTransport
from longtake.preprocess.engines.web.web import WebResult

_SETTING = "web.searxng_url"
_LARGEST = 2 * 1024 * 1024  # bytes of a reply; a page of results has 20 to 100 kB
_REDIRECTS = 3
_JSON = "its settings.yml must list `json` under search.formats"


def missing_searxng(settings: Settings) -> str | None:
    """Why no SearXNG can be asked, with what to do; None when one can. Nothing is sent."""
    url = settings.web.searxng_url
    if not url:
        return f"{_SETTING} names no SearXNG: give its URL, such as http://127.0.0.1:8888, with --set"
    if set(url) & set("@?#"):
        return f"{_SETTING} must not hold @, ? or #, as passwords, queries and fragments do"
    return refused_endpoint(url, _SETTING, "", offline=settings.offline)


class Searxng:
    """Asks the SearXNG of `settings.web`, which may stand on this machine or in this network: its owner named it."""

    id = "searxng"

    def __init__(self, settings: Settings) -> None:
        """Nothing is sent."""
        assert settings.web.searxng_url, "the engine table asks `missing_searxng` first"
        self._url = settings.web.searxng_url.rstrip("/") + "/search"
        self._offline = settings.offline

    def search(self, query: str, count: int, seconds: float) -> list[WebResult]:
        """See `WebSearch`."""
        try:
            status, body = self._get(query, seconds)
        except httpx.TooManyRedirects as error:
            raise self._failure("redirects in a circle") from error
        except httpx.TimeoutException as error:
            raise self._failure(f"did not answer within {seconds:.0f} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._failure(f"cannot be reached ({error or type(error).__name__})") from error
        if status == httpx.codes.FORBIDDEN:
            raise self._failure(f"refuses the request (403): {_JSON}")
        if status != httpx.codes.OK:
            raise self._failure(f"answers with the status {status}")
        return self._read(body)[:count]

    def _get(self, query: str, seconds: float) -> tuple[int, bytes]:
        """Status and body of the reply, as it came: packed data could unfold without end."""
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
                if len(body) > _LARGEST:
                    raise self._failure(f"sends more than {_LARGEST} bytes")
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the reply goes on")
        return response.status_code, body

    def _read(self, body: bytes) -> list[WebResult]:
        try:
            reply = json.loads(body)
            found = [_result(item) for item in reply["results"]]
            silent = reply.get("unresponsive_engines")
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise self._failure(f"sends something else than its results in JSON: {_JSON}") from error
        if not found and silent:
            raise self._failure("got no answer from the search engines that it asks")
        return found

    def _failure(self, problem: str) -> EngineError:
        return EngineError(f"The SearXNG at {self._url} {problem}; check {_SETTING}.")


def _result(item: dict[str, Any]) -> WebResult:
    title, snippet, url = (item.get(name) for name in ("title", "content", "url"))
    return WebResult(*(text if isinstance(text, str) else "" for text in (title, snippet, url)))
