"""The chapters of a video over HTTP, and on the page."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from helpers.media.talk_of_topics import SECONDS
from helpers.servers.web_server import WebServer, web_server

from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture(scope="module")
def server(topics_workspace: Workspace) -> Iterator[WebServer]:
    with web_server(topics_workspace) as server:
        yield server


@pytest.fixture
def talk(topics_workspace: Workspace) -> str:
    return topics_workspace.library.resolve("topics.wav").id


def test_chapters_are_listed_once_and_again_without_work(client: httpx.Client, talk: str) -> None:
    listed = client.get(f"/api/videos/{talk}/chapters")
    chapters = listed.json()["chapters"]
    assert [(each["start"], each["end"]) for each in chapters] == [
        (number * 8 * SECONDS, (number + 1) * 8 * SECONDS) for number in range(3)
    ]
    again = client.get(f"/api/videos/{talk}/chapters", headers={"If-None-Match": listed.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(("form", "start"), [("txt", "00:00:00 "), ("vtt", "WEBVTT\n")])
def test_chapters_as_a_file(
    client: httpx.Client, talk: str, topics_workspace: Workspace, form: str, start: str
) -> None:
    got = client.get(f"/api/videos/{talk}/chapters.{form}")
    assert got.text.startswith(start)
    assert f'filename="topics.{form}"' in got.headers["content-disposition"]
    bread = topics_workspace.library.resolve("bread.wav").id
    assert client.get(f"/api/videos/{bread}/chapters").json() == {"chapters": []}
    assert client.get(f"/api/videos/{bread}/chapters.{form}").status_code == 404
