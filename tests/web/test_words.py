"""What is said and shown: its routes, and the panel of the page."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from helpers.browser import opened, player_time, until
from helpers.servers.web_server import WebServer

SAID = ["Welcome to the workshop.", "The blue kettle costs 249 dollars."]


def test_the_lines_of_a_video(client: httpx.Client, video: str) -> None:
    said = client.get(f"/api/videos/{video}/words").json()["lines"]
    assert [(line["start"], line["text"], line["trusted"]) for line in said] == [
        (0.5, SAID[0], True),
        (4.0, SAID[1], True),
    ]
    (shown,) = client.get(f"/api/videos/{video}/words", params={"track": "text"}).json()["lines"]
    assert shown["text"].upper() == "ROOM 4417"


@pytest.mark.parametrize(("form", "start"), [("srt", "1\n00:00:00,500"), ("vtt", "WEBVTT\n"), ("txt", SAID[0])])
def test_the_lines_as_a_file(client: httpx.Client, video: str, form: str, start: str) -> None:
    got = client.get(f"/api/videos/{video}/words.{form}")
    assert got.text.startswith(start)
    assert f'filename="talk.{form}"' in got.headers["content-disposition"]
    assert client.get(f"/api/videos/{video}/words.exe").status_code == 400


def test_the_panel_is_searched_seeks_and_follows(browser: Any, server: WebServer, video: str) -> None:
    with opened(browser, f"{server.url}/#/new/{video}") as page:
        panel = page.get_by_role("region", name="What is said and shown")
        lines = panel.get_by_role("listitem")
        until(page, "document.querySelectorAll('.lines li').length === 2")
        lines.nth(1).click()
        until(page, "document.querySelector('video').currentTime >= 4")
        until(page, "document.querySelector('.lines [aria-current]')?.innerText.includes('kettle')")
        page.evaluate("document.querySelector('video').pause()")
        panel.get_by_role("searchbox").fill("WORKSHOP")
        assert [line.inner_text().split("\n")[-1] for line in lines.all() if line.is_visible()] == [SAID[0]]
        panel.get_by_role("searchbox").fill("nothing like it")
        panel.get_by_text("No line has these words.").wait_for()
        panel.get_by_role("searchbox").fill("")
        panel.get_by_role("button", name="On screen").click()
        panel.get_by_text("ROOM 4417").wait_for()
        with page.expect_download() as download:
            panel.get_by_role("link", name="SRT").click()
        assert download.value.suggested_filename == "talk.srt"
        assert player_time(page) >= 4
