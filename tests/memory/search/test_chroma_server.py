"""Documents on a Chroma server: a search finds what it finds without one, and a lost server is no damage."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.data.search_index import axes, batch, documents
from helpers.servers.chroma_server import chroma_server

from longtake.errors import LibraryError, LibraryUnavailable
from longtake.memory.search import chroma_server as documents_there
from longtake.memory.search.chroma_server import ChromaDocuments
from longtake.memory.search.hybrid_search import HybridIndex
from longtake.memory.search.search_index import SearchFilter


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("server")) as address:
        yield address


def fill(index: HybridIndex) -> None:
    index.replace("a", [batch(documents("a", "A dragon flies.", "The price is $249."), axes(0, 1))])
    index.replace("b", [batch(documents("b", "Dragon tattoo parlour"), axes(2))])


def found(index: HybridIndex, query: str = "dragon") -> list[str]:
    return [hit.document.text for hit in index.search(query, {}, SearchFilter(), 5) if not hit.weak]


def test_a_server_keeps_the_documents_of_each_library_apart(tmp_path: Path, server: str) -> None:
    for name in ("one", "two"):
        index = HybridIndex(tmp_path / name, chroma=f"{server}/{name}")
        fill(index)
        without = HybridIndex(tmp_path / f"without-{name}")
        fill(without)
        assert index.search("dragon", {}, SearchFilter(), 5) == without.search("dragon", {}, SearchFilter(), 5)
        assert not (tmp_path / name / "documents.sqlite").exists()
    HybridIndex(tmp_path / "one", chroma=f"{server}/one").delete("a")
    assert found(HybridIndex(tmp_path / "one", chroma=f"{server}/one")) == ["Dragon tattoo parlour"]
    assert len(found(HybridIndex(tmp_path / "two", chroma=f"{server}/two"))) == 2


def test_documents_that_the_server_lost_return_from_the_layers(tmp_path: Path, server: str) -> None:
    address = f"{server}/lost"
    fill(HybridIndex(tmp_path / "index", chroma=address))
    ChromaDocuments(address).clear()
    again = HybridIndex(tmp_path / "index", chroma=address, refill=lambda: fill(other))
    other = HybridIndex(tmp_path / "index", chroma=address)
    with pytest.raises(LibraryError):
        found(other)
    assert len(found(again)) == 2
    assert len(found(other)) == 2


def test_a_server_that_is_gone_empties_nothing(tmp_path: Path) -> None:
    with chroma_server(tmp_path / "server") as address:
        index = HybridIndex(tmp_path / "index", chroma=f"{address}/name", refill=lambda: pytest.fail("no damage"))
        fill(index)
    for reader in (index, HybridIndex(tmp_path / "index", chroma=f"{address}/name")):
        with pytest.raises(LibraryError, match="Chroma server") as refused:
            found(reader)
        assert "Connection refused" in str(refused.value)
        assert "Errno" not in str(refused.value)
        assert reader.holds("a")
    with chroma_server(tmp_path / "server") as moved:
        assert len(found(HybridIndex(tmp_path / "index", chroma=f"{moved}/name"))) == 2


class Proxy(BaseHTTPRequestHandler):
    """Passes requests on to a server, and refuses those that write documents."""

    server_address: str
    refusal: tuple[int, bytes]

    def _pass_on(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.endswith("/upsert"):
            status, body = self.refusal
        else:
            headers = {"content-type": "application/json"}
            answer = httpx.request(self.command, self.server_address + self.path, content=content, headers=headers)
            status, body = answer.status_code, answer.content
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = _pass_on

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    "refusal",
    [(500, b'{"error": "InternalError", "message": "database or disk is full"}'), (502, b"<html>Bad gateway</html>")],
)
def test_a_refused_write_empties_nothing(tmp_path: Path, server: str, refusal: tuple[int, bytes]) -> None:
    name = f"refused-{refusal[0]}"
    index = HybridIndex(tmp_path / "index", chroma=f"{server}/{name}")
    fill(index)
    handler = type("Refusing", (Proxy,), {"server_address": server, "refusal": refusal})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        refused = HybridIndex(tmp_path / "index", chroma=f"http://127.0.0.1:{proxy.server_port}/{name}")
        with pytest.raises(LibraryUnavailable, match="Chroma server"):
            refused.replace("c", [batch(documents("c", "A third dragon"), axes(3))])
        proxy.shutdown()
    assert [index.holds(video) for video in "abc"] == [True, True, False]
    assert len(found(HybridIndex(tmp_path / "index", chroma=f"{server}/{name}"))) == 2


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_there, "_ANSWERS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(LibraryUnavailable, match=address):
            ChromaDocuments(f"{address}/name")
