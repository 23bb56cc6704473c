"""SearXNG, played by a real HTTP server on loopback: its results, and each way in which it fails."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from helpers.servers.searxng_server import KETTLES, Reply, finds, leads_to, searxng_server

from longtake.errors import EngineError
from longtake.preprocess.engines.web.searxng import Searxng, missing_searxng
from longtake.preprocess.engines.web.web import WebResult
from longtake.settings import Settings

QUICK = 0.3


def settings(url: str, *, offline: bool = False) -> Settings:
    return Settings.model_validate({"web": {"searxng_url": url}, "offline": offline})


def failure(reply: Reply | Mapping[str, Reply], *, offline: bool = False, seconds: float = 5.0) -> str:
    with searxng_server(reply) as server, pytest.raises(EngineError) as failed:
        Searxng(settings(server.url, offline=offline)).search("kettle", 5, seconds)
    return str(failed.value)


def test_results_come_in_their_order() -> None:
    with searxng_server(KETTLES) as server:
        found = Searxng(settings(server.url)).search("copper kettle & co", 5, 5)
    assert found[0] == WebResult("Kettles", "A copper kettle costs 40 dollars.", "https://example.org/kettle")
    assert [result.title for result in found] == ["Kettles", "Herons"]
    assert server.queries == [{"q": ["copper kettle & co"], "format": ["json"]}]


def test_no_more_results_are_kept_than_were_asked_for() -> None:
    pages = [{"url": f"https://example.org/{number}", "title": str(number)} for number in range(50)]
    with searxng_server(finds(*pages)) as server:
        assert len(Searxng(settings(server.url)).search("kettle", 3, 5)) == 3


def test_the_url_may_have_a_path() -> None:
    with searxng_server({"/web/search": KETTLES}) as server:
        assert Searxng(settings(server.url + "/web/")).search("kettle", 1, 5)


def test_odd_fields_of_a_result_are_left_empty() -> None:
    with searxng_server(finds({"url": None, "title": 7, "content": ["x"]}, {})) as server:
        assert Searxng(settings(server.url)).search("kettle", 5, 5) == [WebResult("", "", "")] * 2


def test_nothing_found_is_no_failure_but_silence_of_the_engines_is() -> None:
    with searxng_server(finds()) as server:
        assert Searxng(settings(server.url)).search("kettle", 5, 5) == []
    assert "no answer from its search engines" in failure(finds(unresponsive_engines=[["google", "timeout"]]))


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><title>SearXNG</title>",
        b"",
        b"[]",
        b"7",
        b'{"results": 7}',
        b'{"results": ["x"]}',
        b'{"other": []}',
        b"\xff\xfe",
        b'{"results": ' + b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_what_is_not_its_json_is_reported_with_the_setting_to_change(body: bytes) -> None:
    assert "results in JSON: its settings.yml must list `json`" in failure(Reply((body,)))


def test_refused_json_is_reported_with_the_setting_to_change() -> None:
    assert "refused the request (403): its settings.yml must list `json`" in failure(Reply(status=403))


@pytest.mark.parametrize("status", [404, 429, 500, 503])
def test_an_error_is_reported_by_its_status(status: int) -> None:
    assert f"returned status {status}" in failure(Reply((b"{}",), status=status))


def test_a_slow_reply_is_given_up() -> None:
    assert "didn't answer within" in failure(Reply((b"{}",), delay=1.0), seconds=QUICK)


def test_a_reply_that_trickles_is_given_up() -> None:
    assert "didn't answer within" in failure(Reply([b" "] * 40, delay=QUICK / 4), seconds=QUICK)


def test_a_huge_reply_is_given_up() -> None:
    assert "sent more than 2097152 bytes" in failure(Reply([b"a" * 1_000_000] * 40))


def test_a_packed_reply_is_not_unfolded() -> None:
    import gzip

    packed = gzip.compress(json.dumps({"results": []}).encode() + b" " * 50_000_000)
    assert "results in JSON" in failure(Reply((packed,), headers={"Content-Encoding": "gzip"}))


def test_an_absence_of_people_is_reported() -> None:
    with searxng_server(KETTLES) as server:
        pass
    with pytest.raises(EngineError, match=r"couldn't be reached .*; check web\.searxng_url"):
        Searxng(settings(server.url)).search("kettle", 5, 5)


def test_a_redirect_within_the_named_server_is_followed() -> None:
    replies = {"/search": leads_to("/web/search"), "/web/search": KETTLES}
    with searxng_server(replies) as server:
        assert Searxng(settings(server.url)).search("kettle", 5, 5)
    assert server.paths == ["/search", "/web/search"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_a_redirect_to_a_private_address_is_not_followed(host: str) -> None:
    with searxng_server({"/": KETTLES}) as secret:
        port = secret.url.rpartition(":")[2]
        assert "isn't a public address" in failure(leads_to(f"http://{host}:{port}/"))
    assert secret.paths == []


def test_a_redirect_after_a_redirect_is_checked_too() -> None:
    with searxng_server({"/": KETTLES}) as secret:
        replies = {"/search": leads_to("/on"), "/on": leads_to(secret.url + "/")}
        assert "isn't a public address" in failure(replies)
    assert secret.paths == []


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[fd00::1]/"])
def test_a_redirect_into_the_network_is_not_followed(url: str) -> None:
    assert "isn't a public address" in failure(leads_to(url))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://1.1.1.1/", "gopher://127.0.0.1/"])
def test_a_redirect_to_something_else_than_http_is_not_followed(url: str) -> None:
    assert any(said in failure(leads_to(url)) for said in ("couldn't be reached", "isn't a public address"))


def test_redirects_in_a_circle_are_given_up() -> None:
    assert "redirects too often" in failure(leads_to("/search"))


def test_offline_no_redirect_leaves_the_named_server() -> None:
    assert "--offline forbids the redirect to 1.1.1.1" in failure(leads_to("http://1.1.1.1/"), offline=True)


@pytest.mark.parametrize(
    ("url", "offline", "reason"),
    [
        (None, False, "no SearXNG server is set"),
        ("http://name:secret@127.0.0.1:8888", False, "must not contain @"),
        ("127.0.0.1:8888", False, "isn't a URL"),
        ("ftp://127.0.0.1", False, "isn't a URL"),
        ("https://searx.example", True, "--offline forbids the endpoint"),
        ("https://searx.example", False, None),
        ("http://127.0.0.1:8888", True, None),
    ],
)
def test_which_url_is_taken(url: str | None, offline: bool, reason: str | None) -> None:
    said = missing_searxng(Settings.model_validate({"web": {"searxng_url": url}, "offline": offline}))
    assert (said is None) == (reason is None)
    assert (reason or "") in (said or "")
    assert "secret" not in (said or "")
