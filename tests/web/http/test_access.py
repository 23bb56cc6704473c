"""Who gets in: names, origins and tokens, over a real server."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from helpers.servers.web_server import WebServer, web_server

from longtake.errors import ConfigError
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.http.access import Access
from longtake.web.http.limits import Limits

TOKEN = "open-sesame~42-times"
WRONG = [TOKEN[:-1], TOKEN + "2", TOKEN.upper(), "x", "Schlüssel"]


@pytest.fixture(scope="module")
def locked(small_workspace: Workspace) -> Iterator[WebServer]:
    with web_server(small_workspace, token=TOKEN) as running:
        yield running


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.7", "[", ""])
def test_a_foreign_host_is_refused(server: WebServer, host: str) -> None:
    with server.client() as client:
        for path in ("/api/videos", "/", "/openapi.json"):
            answer = client.get(path, headers={"Host": host})
            assert (answer.status_code, answer.json()["error"]["type"]) == (403, "forbidden")


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "LOCALHOST"])
def test_a_loopback_name_is_ours(server: WebServer, host: str) -> None:
    with server.client() as client:
        assert client.get("/api/videos", headers={"Host": host.format(port=server.port)}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://localhost:{port}",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}.evil.com",
    ],
)
def test_a_foreign_origin_is_refused(server: WebServer, origin: str) -> None:
    with server.client() as client:
        answer = client.post("/api/threads", json={}, headers={"Origin": origin.format(port=server.port)})
        assert (answer.status_code, answer.json()["error"]["type"]) == (403, "forbidden")


def test_our_own_origin_is_not(server: WebServer) -> None:
    with server.client() as client:
        assert client.get("/api/videos", headers={"Origin": server.url}).status_code == 200


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)]
)
def test_a_picture_of_ours_is_not_shown_on_another_site(server: WebServer, site: str, status: int) -> None:
    with server.client() as client:
        assert client.get("/api/videos", headers={"Sec-Fetch-Site": site}).status_code == status
        assert client.get("/", headers={"Sec-Fetch-Site": site}).status_code != 403, "a link may lead to the page"


def test_the_document_says_where_the_token_is_wanted(locked: WebServer) -> None:
    with locked.client(headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        paths = client.get("/openapi.json").json()["paths"]
    wanted = [{"token": []}, {"cookie": []}]
    assert paths["/api/videos"]["get"]["security"] == paths["/v1/chat/completions"]["post"]["security"] == wanted
    assert "security" not in paths["/api/session"]["post"]


@pytest.mark.parametrize("path", ["/api/videos", "/openapi.json", "/api/threads", "/nothing"])
def test_without_the_token_nothing_is_reported(locked: WebServer, path: str) -> None:
    with locked.client() as client:
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]["type"]) == (401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_the_page_is_shown_without_it(locked: WebServer) -> None:
    with locked.client() as client:
        assert client.get("/").status_code != 401
        assert client.get("/page/app.js").status_code != 401


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_token_is_refused(small_workspace: Workspace, wrong: str) -> None:
    admitted = Access(token=TOKEN)
    with web_server(small_workspace, admitted=admitted) as locked, locked.client() as client:
        headers = {b"Authorization": f"Bearer {wrong}".encode()}
        assert client.get("/api/videos", headers=headers).status_code == 401
        refused = client.post("/api/session", json={"token": wrong})
        assert (refused.status_code, dict(refused.cookies)) == (401, {})
        cookie = f"{admitted.cookie_name}={wrong!a}"
        assert client.get("/api/videos", headers={"Cookie": cookie}).status_code == 401


def test_the_token_opens_everything(locked: WebServer) -> None:
    with locked.client() as client:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/videos", headers=headers).status_code == 200


def test_the_token_is_given_for_a_cookie_that_scripts_and_other_sites_do_not_get(locked: WebServer) -> None:
    with locked.client() as client:
        given = client.post("/api/session", json={"token": TOKEN})
        assert given.status_code == 204
        cookie = given.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert TOKEN not in cookie
        assert client.get("/api/videos").status_code == 200


def test_wrong_tokens_shut_out_nobody_who_has_the_right_one(small_workspace: Workspace) -> None:
    """Behind a proxy all clients have one address."""
    with web_server(small_workspace, token=TOKEN) as server, server.client() as client:
        for _ in range(20):
            assert client.post("/api/session", json={"token": "wrong"}).status_code == 401
            assert client.get("/api/videos", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/api/videos", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert client.post("/api/session", json={"token": TOKEN}).status_code == 204


def test_tokens_are_guessed_at_the_rate_of_all_requests(small_workspace: Workspace) -> None:
    limits = Limits(burst=3, per_second=0.01)
    with web_server(small_workspace, token=TOKEN, limits=limits) as server, server.client() as client:
        statuses = [client.post("/api/session", json={"token": f"wrong {number}"}).status_code for number in range(5)]
    assert statuses == [401] * 3 + [429] * 2


def test_the_cookie_of_another_server_with_the_same_token_opens_nothing(
    locked: WebServer, small_workspace: Workspace
) -> None:
    with web_server(small_workspace, token=TOKEN) as other, other.client() as client:
        [value] = client.post("/api/session", json={"token": TOKEN}).cookies.values()
        with locked.client() as elsewhere:
            [name] = elsewhere.post("/api/session", json={"token": TOKEN}).cookies
        with locked.client() as stranger:
            assert stranger.get("/api/videos", headers={"Cookie": f"{name}={value}"}).status_code == 401


def test_servers_of_one_machine_do_not_sign_each_other_out(locked: WebServer, small_workspace: Workspace) -> None:
    with web_server(small_workspace, token=TOKEN) as other, httpx.Client() as browser:
        for server in (locked, other):
            assert browser.post(f"{server.url}/api/session", json={"token": TOKEN}).status_code == 204
        for server in (locked, other):
            assert browser.get(f"{server.url}/api/videos").status_code == 200


@pytest.mark.parametrize("other", ['prefs={"theme":"dark"}', "n@me[1]=v", "y z=2", "=1", "path", "expires=Wed, 1"])
def test_cookies_of_other_programs_on_the_host_do_not_shut_the_browser_out(locked: WebServer, other: str) -> None:
    with locked.client() as client:
        ours = client.post("/api/session", json={"token": TOKEN}).headers["Set-Cookie"].partition(";")[0]
    with locked.client() as client:
        for cookies in (f"{other}; {ours}", f"{ours}; {other}"):
            assert client.get("/api/videos", headers={"Cookie": cookies}).status_code == 200


def test_nobody_else_may_open_a_session_from_another_page(locked: WebServer) -> None:
    with locked.client() as client:
        refused = client.post("/api/session", json={"token": TOKEN}, headers={"Origin": "http://evil.example"})
        assert refused.status_code == 403


def test_the_answers_forbid_what_the_page_does_not_need(server: WebServer) -> None:
    with server.client() as client:
        headers = client.get("/api/videos").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("listens", "host", "known"),
    [
        ("0.0.0.0", "192.168.0.7:8765", True),
        ("0.0.0.0", "evil.example", False),
        ("192.168.0.7", "192.168.0.7:8765", True),
        ("192.168.0.7", "192.168.0.8:8765", False),
        ("Box.lan", "box.lan", True),
        ("127.0.0.1", "192.168.0.7", False),
    ],
)
def test_the_names_of_an_address_are_those_it_can_be_reached_by(listens: str, host: str, known: bool) -> None:
    assert Access.at(listens, TOKEN).knows_host(host) is known


@pytest.mark.parametrize(
    ("host", "token"), [("0.0.0.0", None), ("192.168.0.7", ""), ("127.0.0.1", "two words"), ("::1", "a" * 15)]
)
def test_what_would_let_in_everybody_or_nobody_is_refused(host: str, token: str | None) -> None:
    with pytest.raises(ConfigError, match="token"):
        Access.at(host, token)


def test_a_proxy_serves_the_page_under_its_own_name(small_workspace: Workspace) -> None:
    admitted = Access.at("127.0.0.1", TOKEN, ["longtake.example.org", "Box.lan:8443"])
    with web_server(small_workspace, admitted=admitted) as server, server.client() as client:
        for host in ("longtake.example.org", "box.lan:8443", f"127.0.0.1:{server.port}"):  # passed on, or rewritten
            headers = {"Host": host, "Origin": "https://box.lan:8443"}
            given = client.post("/api/session", json={"token": TOKEN}, headers=headers)
            assert (given.status_code, "Secure" in given.headers["Set-Cookie"]) == (204, True)
        for origin in ("https://box.lan", "https://box.lan:8444", "https://evil.example", "null"):
            assert client.get("/api/videos", headers={"Origin": origin}).status_code == 403
        assert client.get("/api/videos", headers={"Host": "example.org"}).status_code == 403


def test_without_tls_the_cookie_is_kept_all_the_same(locked: WebServer) -> None:
    with locked.client() as client:
        given = client.post("/api/session", json={"token": TOKEN}, headers={"Origin": locked.url})
        assert "Secure" not in given.headers["Set-Cookie"]


def test_a_name_that_others_call_wants_a_token() -> None:
    with pytest.raises(ConfigError, match=r"reach longtake\.example\.org, .* without a token"):
        Access.at("127.0.0.1", None, ["longtake.example.org"])


@pytest.mark.parametrize("name", ["", "https://box.lan", "box.lan/", "me@box.lan", "box.lan:x", "[", ":80"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="isn't a host name"):
        Access.at("127.0.0.1", TOKEN, [name])


def test_an_empty_address_is_refused() -> None:
    with pytest.raises(ConfigError, match="--host is empty"):
        Access.at("", TOKEN)
