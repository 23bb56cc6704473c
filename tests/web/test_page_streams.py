"""The streams of the page in a real browser: in many tabs, where the server refuses, and without the cookie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.asking import endpoint_asker
from helpers.browser import ask, faults, opened, until
from helpers.doubted import NOT_SHOWN, doubted_script, doubting
from helpers.media.small_video import write_small_video
from helpers.servers.openai_server import openai_server, says
from helpers.servers.web_server import WebServer, web_server

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace

pytestmark = pytest.mark.nightly

COST = "What does the blue kettle cost?"
CONNECTIONS = 6  # that chromium opens to one server, for all tabs together


def _seen(page: Any, seen: bool) -> None:
    """Tell a page that it is seen, or is not: without a screen, chromium takes every tab for seen."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        not seen,
    )


def test_tabs_that_nobody_sees_hold_no_stream_and_go_on_when_they_are_seen(
    browser: Any, small_workspace: Workspace
) -> None:
    video = small_workspace.library.resolve("talk.mp4").id
    with openai_server([replace(says("NOT FOUND: nothing."), delay=120)]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with (
            web_server(small_workspace, agent=agent) as server,
            opened(browser, f"{server.url}/#/new/{video}") as first,
        ):
            ask(first, COST)
            first.wait_for_url("**/#/thread/*")
            until(first, "document.querySelectorAll('.doing-words')[0]?.textContent.startsWith('Searches')")
            _seen(first, False)
            for _ in range(CONNECTIONS):
                tab = first.context.new_page()
                tab.goto(first.url, wait_until="commit")
                tab.locator("article.turn", has_text=COST).wait_for(timeout=20_000)
                _seen(tab, False)
            _seen(first, True)
            first.get_by_role("button", name="Stop").click()
            first.locator(".answer").wait_for()
            reported = first.locator(".log li").count()
            assert reported > 0
            first.reload()
            first.locator(".answer").wait_for()
            until(first, f"document.querySelectorAll('.log li').length === {reported}")


def test_progress_that_was_refused_is_followed_again_and_goes_with_its_video(browser: Any, tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "talk.mp4")
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.route("**/api/videos/*/progress", lambda route: route.fulfill(status=404), times=1)
        page.locator("#files").set_input_files(clip)
        page.locator("#indexing").get_by_text("Indexed").wait_for(timeout=120_000)
        page.get_by_role("button", name="Delete talk.mp4").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_text("No videos yet").wait_for()
        until(page, "!document.querySelector('#indexing > li')")


def test_a_token_that_leaves_no_cookie_is_not_asked_for_again(browser: Any, small_workspace: Workspace) -> None:
    with web_server(small_workspace, token="open-sesame") as server, opened(browser, server.url) as page:
        page.route("**/api/session", lambda route: route.fulfill(status=204))  # as where cookies are blocked
        page.get_by_label("Token", exact=True).fill("open-sesame")
        page.keyboard.press("Enter")
        page.get_by_text("allow cookies").wait_for()
        assert page.get_by_role("dialog").count() == 0


def test_an_answer_is_seen_while_it_is_written_and_then_with_its_verdicts(
    browser: Any, small_workspace: Workspace, video: str
) -> None:
    with openai_server(doubted_script(pause=0.15), doubting) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with (
            web_server(small_workspace, agent=agent) as server,
            opened(browser, f"{server.url}/#/new/{video}", color_scheme="dark") as page,
        ):
            turn = ask(page, COST)
            turn.locator(".writing").get_by_text("99 dollars").wait_for()
            turn.locator(".writing").get_by_text("249 dollars").wait_for()
            assert "99 dollars" not in turn.locator(".writing").inner_text()
            turn.locator(".writing").get_by_role("button", name="Play talk.mp4 0:04").wait_for()
            turn.locator(".answer").wait_for()
            assert turn.locator(".writing").count() == 0
            [flag] = turn.locator(".answer .text .flag").all()
            assert (flag.inner_text(), flag.get_attribute("title")) == ("not shown", NOT_SHOWN)
            turn.get_by_text("Details").click()
            turn.locator(".proof").get_by_text(NOT_SHOWN).wait_for()
            assert turn.locator(".proof .verdict").all_inner_texts() == ["Supported", "Not shown"]
            assert faults(page) == []
            page.reload()
            page.locator(".answer .text .flag").wait_for()


def test_options_in_a_question_are_shown_as_a_list_with_what_is_proven(
    browser: Any, server: WebServer, video: str
) -> None:
    with opened(browser, f"{server.url}/#/new/{video}") as page:
        ask(page, f"{COST} A. 99 dollars B. 249 dollars")
        page.locator(".answer").wait_for()
        assert page.locator("article.turn h2").inner_text() == COST
        assert page.locator(".options li").all_inner_texts() == ["99 dollars", "249 dollars"]
        assert page.locator(".chosen-option").inner_text().split() == ["B.", "249", "dollars", "proven"]
