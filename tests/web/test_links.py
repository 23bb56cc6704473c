"""Videos that the server fetches by a link: where that is allowed, and to which addresses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.media.small_video import write_small_video
from helpers.servers.loopback import Handler, listening, site_of
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.errors import MediaError
from longtake.preprocess.media.links import fetch
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.http.access import Access
from longtake.web.links import Reach
from longtake.web.uploads import LARGEST

pytest.importorskip("yt_dlp")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """A server with a video at /talk.mp4, and the paths it was asked for."""
    (tmp_path / "site").mkdir()
    write_small_video(tmp_path / "site" / "talk.mp4")
    with site_of(tmp_path / "site") as site:
        yield site


@pytest.fixture
def library(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "library", load())


def until_over(client: httpx.Client, link: dict[str, Any]) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while (now := client.get(f"/api/links/{link['id']}").json())["state"] in ("waiting", "fetching"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return dict(now)


def test_a_link_becomes_a_video_of_the_library(site: tuple[str, list[str]], library: Workspace) -> None:
    url, _ = site
    with web_server(library, links="anywhere") as server, server.client() as client:
        assert client.get("/api/links").json() == {"allowed": True, "links": []}
        begun = client.post("/api/links", json={"link": f" {url}/talk.mp4 "})
        assert begun.status_code == 202
        done = until_over(client, begun.json())
        assert (done["state"], done["error"]) == ("done", None)
        video = client.get(f"/api/videos/{done['video']}").json()
        assert video["name"].startswith("talk")
        assert client.get(f"/api/videos/{done['video']}/file").status_code == 200
        assert [file.name for file in (library.library.root / "uploads").iterdir()] == [f"{done['video']}.mp4"]

        gone = until_over(client, client.post("/api/links", json={"link": f"{url}/gone.mp4"}).json())
        assert (gone["state"], gone["video"]) == ("failed", None)
        assert gone["error"].startswith(f"{url}/gone.mp4 can't be fetched")
        assert client.get("/api/links").json()["links"] == []


def _endless(announced: int | None) -> type[Handler]:
    """Sends a video without an end."""

    class Endless(Handler):
        def do_GET(self) -> None:
            self.send(200, {"Content-Type": "video/mp4", **({"Content-Length": str(announced)} if announced else {})})
            with suppress(OSError):  # the client goes away
                while True:
                    self.wfile.write(bytes(10_000))

        do_HEAD = do_GET

    return Endless


def test_a_link_to_more_than_an_upload_may_have_ends_before_it_is_fetched(library: Workspace) -> None:
    with (
        listening(_endless(LARGEST + 1)) as url,
        web_server(library, links="anywhere") as server,
        server.client() as client,
    ):
        state = until_over(client, client.post("/api/links", json={"link": f"{url}/film.mp4"}).json())
        assert (state["state"], state["video"]) == ("failed", None)
        assert f"more than {LARGEST / 1e9:g} GB" in state["error"]
        assert list((library.library.root / "uploads").iterdir()) == []


def test_what_comes_without_a_size_is_counted(tmp_path: Path) -> None:
    with listening(_endless(None)) as url, pytest.raises(MediaError, match="too large"):
        fetch(
            f"{url}/film.mp4", tmp_path, offline=False, progress=lambda _: None, check=lambda: None, largest=1_000_000
        )
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 20_000_000


@pytest.mark.parametrize(("links", "offline"), [(None, False), ("anywhere", True), ("public", True)])
def test_no_link_is_fetched_where_it_is_not_allowed_or_offline(
    site: tuple[str, list[str]], tmp_path: Path, links: Reach | None, offline: bool
) -> None:
    url, asked = site
    settings = load().model_copy(update={"offline": offline})
    with web_server(Workspace(tmp_path / "library", settings), links=links) as server, server.client() as client:
        assert client.get("/api/links").json()["allowed"] is False
        refused = client.post("/api/links", json={"link": f"{url}/talk.mp4"})
        assert refused.status_code == 403
        assert ("offline" if offline else "--links") in refused.json()["error"]["message"]
    assert asked == []


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433"])
def test_a_server_for_others_reaches_no_private_address(
    site: tuple[str, list[str]], library: Workspace, host: str
) -> None:
    url, asked = site
    with web_server(library, links="public") as server, server.client() as client:
        link = f"{url.replace('127.0.0.1', host)}/talk.mp4"
        state = until_over(client, client.post("/api/links", json={"link": link}).json())
        assert state["state"] == "failed"
        assert "public address" in state["error"]
    assert asked == []


@pytest.mark.parametrize(("link", "status"), [("file:///etc/passwd", 400), ("talk.mp4", 400), ("", 400)])
def test_what_is_no_link_is_refused(library: Workspace, link: str, status: int) -> None:
    with web_server(library, links="anywhere") as server, server.client() as client:
        assert client.post("/api/links", json={"link": link}).status_code == status


@pytest.mark.parametrize(
    ("host", "names", "alone"), [("127.0.0.1", (), True), ("0.0.0.0", (), False), ("127.0.0.1", ("a.example",), False)]
)
def test_only_a_server_of_this_machine_alone_reaches_every_address(
    host: str, names: tuple[str, ...], alone: bool
) -> None:
    assert Access.at(host, "0123456789abcdef", names).alone is alone


@pytest.mark.nightly
def test_the_demo_video_is_made_and_indexed(library: Workspace) -> None:
    with web_server(library) as server, server.client() as client:
        video = client.post("/api/demo").json()
        assert (video["name"], video["playable"]) == ("demo.mp4", True)
        assert client.post("/api/demo").json()["id"] == video["id"]
