"""The chapters of a video over HTTP, and on the page."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from helpers.browser import opened, until
from helpers.media.talk_of_topics import SECONDS, TOPICS
from helpers.servers.web_server import WebServer

from longtake.preprocess.pipeline.workspace import Workspace


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


def test_the_page_shows_chapters_on_the_timeline_and_as_a_list(browser: Any, server: WebServer, talk: str) -> None:
    with opened(browser, f"{server.url}/#/new/{talk}") as page:
        lane = page.get_by_role("slider", name="Chapters")
        lane.wait_for()
        titles = page.locator(".labels > span").all_inner_texts()
        assert [title in topic for title, topic in zip(titles, TOPICS, strict=True)] == [True] * 3
        box = lane.bounding_box()
        lane.click(position={"x": box["width"] * 0.9, "y": 5})
        until(page, "document.querySelector('video').currentTime > 160")
        page.get_by_role("button", name="Chapters").click()
        rows = page.locator(".lines li")
        until(page, "document.querySelectorAll('.lines li').length === 3")
        until(page, "document.querySelector('.lines li:last-child').ariaCurrent === 'true'")
        rows.nth(1).click()
        until(page, "Math.abs(document.querySelector('video').currentTime - 64) < 5")
        with page.expect_download() as download:
            page.get_by_role("link", name="VTT").click()
        assert download.value.suggested_filename == "topics.vtt"


def test_a_video_without_chapters_has_no_such_lane(
    browser: Any, server: WebServer, topics_workspace: Workspace
) -> None:
    bread = topics_workspace.library.resolve("bread.wav").id
    with opened(browser, f"{server.url}/#/new/{bread}") as page:
        until(page, "document.querySelector('.lane.speech path[d^=M]')")
        assert page.get_by_role("slider", name="Chapters").count() == 0
        page.get_by_role("button", name="Chapters").click()
        page.get_by_text("isn’t divided into chapters").wait_for()
