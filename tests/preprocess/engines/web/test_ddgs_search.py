"""ddgs with its own parsers and connections, of which all end at a server on loopback."""

from __future__ import annotations

import pytest
from helpers.servers.searxng_server import Reply, searxng_server

from longtake.errors import EngineError
from longtake.preprocess.engines.web.ddgs_search import Ddgs, missing_network
from longtake.preprocess.engines.web.web import WebResult
from longtake.settings import Settings

pytest.importorskip("ddgs", reason="needs the extra `web`")


def test_offline_it_is_never_asked() -> None:
    assert missing_network(Settings()) is None
    assert missing_network(Settings(offline=True)) == "--offline forbids public search engines"


def test_what_an_engine_finds_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"""<ul class="results"><li><h2><a href="https://example.org/kettle">Kettles</a></h2>
      <p class="s">A copper kettle.</p></li></ul>"""
    with searxng_server(Reply((page,))) as server:
        only_mojeek(server.url + "/search", monkeypatch)
        found = Ddgs(Settings()).search("copper kettle", 5, 5)
    assert found == [WebResult("Kettles", "A copper kettle.", "https://example.org/kettle")]
    assert server.queries[0]["q"] == ["copper kettle"]


def test_nothing_found_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    with searxng_server(Reply((b"<html></html>",))) as server:
        only_mojeek(server.url + "/search", monkeypatch)
        assert Ddgs(Settings()).search("copper kettle", 5, 5) == []


def test_a_network_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with searxng_server(Reply()) as server:
        pass
    only_mojeek(server.url + "/search", monkeypatch)
    with pytest.raises(EngineError, match=r"didn't answer .*web\.searxng_url"):
        Ddgs(Settings()).search("copper kettle", 5, 2)


def only_mojeek(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the library one of its engines, and tell it another address."""
    from ddgs import ddgs
    from ddgs.engines.mojeek import Mojeek

    monkeypatch.setattr(Mojeek, "search_url", url)
    monkeypatch.setattr(ddgs, "ENGINES", {"text": {"mojeek": Mojeek}})
