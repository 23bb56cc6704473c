"""Chats in a real browser: renamed, searched, exported, asked again, linked to, and two videos side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.asking import endpoint_asker
from helpers.browser import LAPTOP, PHONE, ask, faults, opened, player_time, until
from helpers.media.small_video import SUBTITLES, write_small_video
from helpers.servers.openai_server import openai_server, says
from helpers.servers.server_events import answer, begin
from helpers.servers.web_server import WebServer, web_server

from longtake.config import load
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace

pytestmark = pytest.mark.slow

COST = "What does the blue kettle cost?"
ROOM = "Which room number is written on the slide?"
WELCOME = "What does the speaker say from 0:00 to 0:02?"


@pytest.fixture
def talk(server: WebServer, video: str) -> str:
    """The address of a new chat about the small video."""
    return f"{server.url}/#/new/{video}"


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebServer, list[str]]]:
    """A server of two videos that name different prices, and their ids."""
    folder = tmp_path_factory.mktemp("two")
    workspace = Workspace(folder / "library", load())
    talk, trip = (write_small_video(folder / name) for name in ("talk.mp4", "my trip.mp4"))
    trip.write_bytes(trip.read_bytes() + b"\0")
    trip.with_suffix(".vtt").write_text(SUBTITLES.replace("249", "99"), encoding="utf-8")
    ids = [workspace.add(file).video.id for file in (talk, trip)]
    with web_server(workspace) as server:
        yield server, ids


def _menu(page: Any, item: str, role: str = "button") -> Any:
    page.locator("#chat-menu summary").click()
    return page.locator("#chat-menu").get_by_role(role, name=item)


def _questions(page: Any) -> list[str]:
    asked: list[str] = page.locator("article.turn h2").all_inner_texts()
    return asked


@pytest.mark.nightly
def test_a_chat_is_renamed_and_found_by_its_words(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        ask(page, COST).locator(".answer").wait_for()
        _menu(page, "Rename").click()
        page.get_by_label("Title").fill("Copper pans")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Copper pans").wait_for()
        chats = page.locator("#threads a")
        page.get_by_label("Search chats").fill("copper 249")
        until(page, "[...document.querySelectorAll('#threads a')].every(each => each.textContent === 'Copper pans')")
        page.get_by_label("Search chats").fill("zeppelin")
        page.get_by_text("No chat has these words.").wait_for()
        assert chats.count() == 0
        page.get_by_label("Search chats").fill("")
        chats.filter(has_text="Copper pans").first.wait_for()
        page.reload()
        page.get_by_role("heading", name="Copper pans").wait_for()


@pytest.mark.nightly
def test_an_answer_is_asked_for_again_and_a_question_is_edited(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        for question in (COST, ROOM):
            ask(page, question).locator(".answer").wait_for()
        last = page.locator("article.turn").last
        last.get_by_role("button", name="Ask again").click()
        until(page, "!document.querySelector('#send').disabled")
        assert _questions(page) == [COST, ROOM]
        first = page.locator("article.turn").first
        first.get_by_role("button", name="Edit question").click()
        page.keyboard.press("Escape")
        assert _questions(page) == [COST, ROOM]
        first.get_by_role("button", name="Edit question").click()
        first.get_by_label("Edit the question").fill(WELCOME)
        page.keyboard.press("Enter")
        page.get_by_role("dialog").get_by_text("the 1 question after it").wait_for()
        page.get_by_role("dialog").get_by_role("button", name="Ask again").click()
        page.locator("article.turn", has_text=WELCOME).locator(".answer").get_by_text("Welcome").first.wait_for()
        assert _questions(page) == [WELCOME]
        page.reload()
        page.locator(".answer").wait_for()
        assert _questions(page) == [WELCOME]


@pytest.mark.nightly
def test_a_multiple_choice_question_keeps_its_options(browser: Any, server: WebServer, video: str) -> None:
    def choice() -> str:
        page.locator(".answer").wait_for()
        [turn] = client.get(f"/api/threads/{thread}").json()["turns"]
        assert turn["answer"]["options"] == page.locator(".options li").all_inner_texts()
        return str(turn["answer"]["option"]["letter"])

    with server.client() as client:
        thread = begin(client, video)
        answer(client, thread, COST, options=["99 dollars", "249 dollars"])
        with opened(browser, f"{server.url}/#/thread/{thread}") as page:
            assert choice() == "B"
            page.get_by_role("button", name="Ask again").click()
            until(page, "!document.querySelector('#send').disabled")
            assert choice() == "B"
            page.get_by_role("button", name="Edit question").click()
            page.get_by_label("Options, one per line").fill("249 dollars\n\n99 dollars\n15 dollars")
            page.get_by_role("button", name="Ask again").first.click()
            page.locator(".options li").nth(2).wait_for()
            until(page, "!document.querySelector('#send').disabled")
            assert choice() == "A"


@pytest.mark.nightly
def test_what_is_asked_again_in_vain_comes_back(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        ask(page, COST).locator(".answer").wait_for()
        page.get_by_role("button", name="Edit question").click()
        page.get_by_label("Edit the question").fill("What is said at 5:00?")
        page.get_by_role("button", name="Ask again").first.click()
        page.get_by_text("The earlier answer was kept.").wait_for()
        page.locator(".answer").get_by_text("249 dollars").first.wait_for()
        assert _questions(page) == [COST]


@pytest.mark.nightly
def test_a_question_that_is_edited_stays_while_another_is_asked_elsewhere(
    browser: Any, server: WebServer, talk: str
) -> None:
    with opened(browser, talk) as page, server.client() as client:
        ask(page, COST).locator(".answer").wait_for()
        page.get_by_role("button", name="Edit question").click()
        page.get_by_label("Edit the question").fill("What is said?")
        answer(client, page.url.rpartition("/")[2], ROOM)
        with page.expect_response(lambda response: response.url.endswith("/api/threads")):
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.locator("#threads .faint").first.wait_for()
        assert page.get_by_label("Edit the question").input_value() == "What is said?"
        page.get_by_role("button", name="Cancel").click()
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.get_by_text(ROOM).first.wait_for()


@pytest.mark.nightly
def test_a_reload_while_a_question_is_asked_again_shows_the_new_one(
    browser: Any, small_workspace: Workspace, video: str
) -> None:
    slow = replace(says("NOT FOUND: nothing."), delay=60)
    with openai_server([says("The blue kettle costs 249 dollars [00:00:04]."), slow]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with web_server(small_workspace, agent=agent) as server, opened(browser, f"{server.url}/#/new/{video}") as page:
            ask(page, COST).locator(".answer").wait_for()
            page.get_by_role("button", name="Ask again").click()
            page.locator(".doing").wait_for()
            page.reload()
            page.locator(".doing").wait_for()
            assert _questions(page) == [COST]
            page.get_by_role("button", name="Stop").click()
            page.locator(".answer").wait_for()


@pytest.mark.nightly
def test_a_link_to_a_moment_opens_the_video_there(browser: Any, server: WebServer, talk: str) -> None:
    with opened(browser, talk, permissions=["clipboard-read", "clipboard-write"]) as page:
        until(page, "document.querySelector('video')?.readyState > 0")
        page.evaluate("document.querySelector('video').currentTime = 5.4")
        page.get_by_role("button", name="Copy link to this moment").click()
        page.get_by_text("Link copied").wait_for()
        link = page.evaluate("navigator.clipboard.readText()")
        assert link == f"{talk}?t=5"
    with opened(browser, link) as page:
        until(page, "document.querySelector('video')?.readyState > 0")
        assert player_time(page) == 5
        assert page.evaluate("document.querySelector('video').paused")
        ask(page, COST).locator(".answer").wait_for()
    with opened(browser, f"{server.url}/#/new/0123456789abcdef?t=5") as page:
        page.get_by_text("The library no longer has that video.").wait_for()
        page.get_by_text("The recording is no longer in the library.").wait_for()  # where its words would stand


@pytest.mark.nightly
def test_a_chat_is_downloaded_with_its_clips(browser: Any, talk: str, tmp_path: Path) -> None:
    with opened(browser, talk) as page:
        ask(page, COST).locator(".answer").wait_for()
        for item, ending in (("Export as Markdown", "md"), ("Export as a page with clips", "html")):
            with page.expect_download() as download:
                _menu(page, item, "link").click()
            assert download.value.suggested_filename == f"{COST}.{ending}".replace("?", "_")
            download.value.save_as(tmp_path / f"chat.{ending}")
            assert "249 dollars" in (tmp_path / f"chat.{ending}").read_text(encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "chat.html").as_uri())
    page.locator("video").evaluate("video => video.play()")
    until(page, "document.querySelector('video').currentTime > 0")
    assert faults(page) == []
    page.close()


@pytest.mark.nightly
def test_every_citation_names_its_video_and_the_player_follows(browser: Any, two: tuple[WebServer, list[str]]) -> None:
    server, ids = two
    with opened(browser, f"{server.url}/#/new/{','.join(ids)}") as page:
        chips = ask(page, COST).locator(".answer .text .chip")
        chips.first.wait_for()
        names = {re.sub(r" \d.*", "", text) for text in chips.all_inner_texts()}
        assert names == {"talk.mp4", "my trip.mp4"}
        # Later the chat is about one video only; the answer still leads to both.
        page.get_by_role("button", name="Videos of this chat").click()
        page.get_by_role("checkbox", name="my trip.mp4").uncheck()
        page.get_by_role("button", name="Done").click()
        ask(page, ROOM).locator(".answer").wait_for()
        page.reload()
        for name in ("my trip.mp4", "talk.mp4"):
            page.locator("article.turn").first.locator(".text").get_by_role("button", name=f"Play {name}").click()
            until(page, f"document.querySelector('#player video').ariaLabel === '{name}'")
            until(page, "document.querySelector('#player video').currentTime >= 4")


@pytest.mark.nightly
@pytest.mark.parametrize(("size", "scheme"), [(LAPTOP, "light"), (PHONE, "dark")])
def test_two_videos_are_compared_at_the_moments_of_one_question(
    browser: Any, two: tuple[WebServer, list[str]], size: dict[str, int], scheme: str
) -> None:
    server, ids = two
    with opened(browser, f"{server.url}/#/new/{','.join(ids)}", viewport=size, color_scheme=scheme) as page:
        ask(page, COST).get_by_role("button", name="Compare").click()
        dialog = page.get_by_role("dialog", name=COST)
        left, right = dialog.get_by_role("region", name="Left"), dialog.get_by_role("region", name="Right")
        for side, price in ((left, "249"), (right, "99")):
            side.get_by_text(f"costs {price} dollars").wait_for()
            assert side.locator("video").evaluate("video => video.currentTime") >= 4
        assert faults(page) == []
        dialog.get_by_role("button", name="Play both").click()
        until(page, "[...document.querySelectorAll('#compare video')].every(video => video.currentTime > 4.2)")
        right.get_by_label("Video on the right").select_option("talk.mp4")
        right.get_by_text("costs 249 dollars").wait_for()
        page.keyboard.press("Escape")
        until(page, "!document.querySelector('#compare video')")


def test_a_chat_that_was_left_while_its_video_was_indexed_is_answered_again(
    browser: Any, server: WebServer, video: str
) -> None:
    early = Answer(question=COST, status="partial", answer="Nothing found so far.", coverage={"subtitles": 0.1})
    server.service.conversations.add("early", [video], early)
    with opened(browser, f"{server.url}/#/thread/early") as page:
        page.locator(".answer", has_text="249").wait_for()
        assert page.locator("article.turn").count() == 1
