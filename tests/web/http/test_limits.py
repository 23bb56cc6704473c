"""What is sent too often, too large or too slowly, over a real server."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from helpers.servers.web_server import WebServer, web_server

from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.http import limits
from longtake.web.http.limits import MIB, Bucket, Limits
from longtake.web.uploads import CHUNK

SMALL = Limits(burst=10_000, body=1_000, chat_body=2_000, body_grace=0.4, body_rate=1_000.0)


@pytest.fixture(scope="module")
def server(small_workspace: Workspace) -> Iterator[WebServer]:
    with web_server(small_workspace, limits=SMALL) as running:
        yield running


@contextmanager
def connected(server: WebServer) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(20)
        yield connection


def head(server: WebServer, path: str, length: int, method: str = "POST") -> bytes:
    lines = (f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", f"Content-Length: {length}")
    return "\r\n".join((*lines, "Content-Type: application/json", "", "")).encode()


def trickle(connection: socket.socket, data: bytes) -> bytes:
    """Send a byte now and then until the server answers or hangs up, and return what it says until it does."""
    said = b""
    connection.settimeout(0.05)
    for byte in data:
        try:
            connection.sendall(bytes([byte]))
            received = connection.recv(65_536)
        except TimeoutError:
            continue
        except ConnectionError:
            return said
        if not received:
            return said
        said += received
    pytest.fail(f"all was taken, as slowly as it came; said was {said!r}")


def test_a_body_that_trickles_is_cut_off(server: WebServer) -> None:
    with connected(server) as connection:
        connection.sendall(head(server, "/api/threads", 900))
        said = trickle(connection, b" " * 900)
    assert said.startswith(b"HTTP/1.1 408")
    assert b"too slowly" in said


def test_an_upload_that_trickles_is_cut_off_and_can_go_on(server: WebServer) -> None:
    with server.client() as client:
        upload = client.post("/api/uploads", json={"name": "talk.mp4", "size": 5_000}).json()["id"]
        with connected(server) as connection:
            lines = head(server, f"/api/uploads/{upload}", 5_000, "PATCH")
            connection.sendall(lines.replace(b"\r\n\r\n", b"\r\nUpload-Offset: 0\r\n\r\n"))
            said = trickle(connection, b"x" * 5_000)
        assert said.startswith(b"HTTP/1.1 408")
        assert client.get(f"/api/uploads/{upload}").json()["offset"] == 0
        sent = client.patch(f"/api/uploads/{upload}", content=b"abc", headers={"Upload-Offset": "0"})
        assert sent.json()["offset"] == 3
        client.delete(f"/api/uploads/{upload}")


def test_a_steady_body_may_take_its_time(server: WebServer) -> None:
    body = json.dumps({"videos": ["no such video"]}).encode()
    with connected(server) as connection:
        connection.sendall(head(server, "/api/threads", len(body)) + body[:-1])
        time.sleep(0.2)
        connection.sendall(body[-1:])
        assert connection.recv(65_536).startswith(b"HTTP/1.1 404")


def test_a_head_that_trickles_is_cut_off(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.3)
    with connected(server) as connection:
        assert trickle(connection, head(server, "/api/videos", 0, "GET")) == b""


def test_the_head_of_a_second_request_has_no_more_time(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.3)
    with connected(server) as connection:
        connection.sendall(head(server, "/api/videos", 0, "GET"))
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
        assert b"HTTP" not in trickle(connection, head(server, "/api/videos", 0, "GET"))


def test_what_goes_on_after_its_answer_is_cut_off(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.3)
    with connected(server) as connection:
        connection.sendall(head(server, "/nothing", 900))
        assert connection.recv(65_536).startswith(b"HTTP/1.1 404")
        assert b"HTTP" not in trickle(connection, b" " * 900)


@pytest.mark.parametrize(("path", "size"), [("/api/threads", 1_001), ("/v1/chat/completions", 2_001)])
def test_a_body_that_is_too_large_is_refused_by_its_length(server: WebServer, path: str, size: int) -> None:
    with connected(server) as connection:
        connection.sendall(head(server, path, size))
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413"), "before a byte of it was sent"


def test_a_video_in_a_question_is_bounded_by_what_its_copies_take_of_memory(small_workspace: Workspace) -> None:
    with web_server(small_workspace) as ordinary, connected(ordinary) as connection:
        connection.sendall(head(ordinary, "/v1/chat/completions", 32 * MIB + 1))
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413")


def test_a_body_that_does_not_say_its_length_is_counted(server: WebServer) -> None:
    with server.client() as client:
        answer = client.post("/api/threads", content=iter([b" " * 600, b" " * 600]))
    assert (answer.status_code, answer.json()["error"]["type"]) == (413, "too_large")


def test_a_chunk_of_an_upload_may_be_as_large_as_is_said() -> None:
    assert Limits().largest_body("/api/uploads/0123") == CHUNK
    assert Limits().largest_body("/api/uploads") < CHUNK


def test_too_many_requests_are_told_when_to_retry(small_workspace: Workspace) -> None:
    with web_server(small_workspace, limits=Limits(burst=3, per_second=0.1)) as server, server.client() as client:
        answers = [client.get("/api/session") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [405, 405, 405, 429, 429]
    assert answers[-1].json()["error"]["type"] == "too_many"
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 11


def test_a_bucket_fills_again_and_belongs_to_one_client() -> None:
    now = [0.0]
    bucket = Bucket(burst=2, per_second=0.5, clock=lambda: now[0])
    assert [bucket.take("ada") for _ in range(3)] == [0.0, 0.0, 2.0]
    assert bucket.take("ben") == 0.0
    now[0] = 2.0
    assert [bucket.take("ada") for _ in range(2)] == [0.0, 2.0]
    now[0] = 1_000.0
    assert [bucket.take("ada") for _ in range(3)] == [0.0, 0.0, 2.0]
