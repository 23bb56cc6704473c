"""The page in a real browser: upload, index, ask, play what is cited, stop, reload, two chats at once."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.asking import endpoint_asker
from helpers.browser import ask, opened, player_time, until
from helpers.media.small_video import SUBTITLES, write_small_video
from helpers.servers.openai_server import openai_server, says
from helpers.servers.web_server import WebServer, web_server
from helpers.unsure import KETTLE, TEXT, always_unsure

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace

pytestmark = pytest.mark.slow

COST = "What does the blue kettle cost?"
SAID = "What does the speaker say from 0:04 to 0:06?"
ROOM = "Is any writing visible?"
INDEXED = 120_000  # milliseconds
TIME = "document.querySelector('video').currentTime"


@pytest.fixture
def talk(server: WebServer, small_workspace: Workspace) -> str:
    """The address of a new chat about the small video."""
    return f"{server.url}/#/new/{small_workspace.library.resolve('talk.mp4').id}"


@pytest.fixture
def slow(small_workspace: Workspace) -> Iterator[str]:
    """The same, of a server whose controller thinks for a minute."""
    with openai_server([replace(says("NOT FOUND: nothing."), delay=60)]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with web_server(small_workspace, agent=agent) as server:
            yield f"{server.url}/#/new/{small_workspace.library.resolve('talk.mp4').id}"


def test_an_uploaded_video_is_indexed_asked_about_played_where_it_is_cited_and_deleted(
    browser: Any, tmp_path: Path
) -> None:
    clip = write_small_video(tmp_path / "my clip.mp4")
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.get_by_text("No videos yet").wait_for()
        page.locator("#files").set_input_files(clip)
        page.locator("#indexing").get_by_text("Steps").click()
        layers = page.get_by_role("list", name="Layers of my clip.mp4")
        layers.get_by_text("On-screen text").wait_for()
        page.locator("#indexing").get_by_text("Indexed").wait_for(timeout=INDEXED)
        assert layers.locator("li.done", has_text="On-screen text").count() == 1
        card = page.locator("li.card", has_text="my clip.mp4")
        card.get_by_text("Indexed").wait_for()
        assert card.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") == 320

        page.get_by_role("link", name="Ask about my clip.mp4").click()
        turn = ask(page, ROOM)
        turn.locator(".answer").wait_for()
        assert "4417" in turn.locator(".answer .text").inner_text()
        turn.get_by_text("Details").click()
        assert turn.get_by_role("log", name="Steps").locator("li").count() > 0
        assert turn.get_by_text("Supported").count() == 1
        page.evaluate("document.querySelector('video').currentTime = 7")
        turn.locator(".answer .chip").first.click()
        until(page, "document.querySelector('video').currentTime < 5")
        until(page, "!document.querySelector('video').paused")

        page.get_by_role("link", name="Library").click()
        page.get_by_role("button", name="Delete my clip.mp4").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_text("No videos yet").wait_for()
        with server.client() as client:
            assert client.get("/api/videos").json() == {"videos": []}


@pytest.mark.nightly
def test_an_upload_that_a_reload_broke_off_goes_on_where_it_was(browser: Any, tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "long.mp4")
    chunk = 8 * 1024 * 1024
    clip.write_bytes(clip.read_bytes() + bytes(2 * chunk))  # a player reads none of it
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.route("**/api/uploads/*", lambda route: route.abort() if _offset(route) else route.continue_())
        page.locator("#files").set_input_files(clip)
        page.get_by_text("Connection lost").wait_for()
        page.unroute("**/api/uploads/*")
        page.on("dialog", lambda dialog: dialog.accept())  # an upload is under way: leave nevertheless?
        page.reload()
        page.get_by_text("Choose the file again to resume.").wait_for()
        sent: list[int] = []
        page.on("request", lambda request: sent.append(_offset(request)) if request.method == "PATCH" else None)
        page.locator("#files").set_input_files(clip)
        page.locator("#indexing").get_by_text("long.mp4").wait_for()
        assert sent == [chunk, 2 * chunk]
        assert page.locator("#uploads > li").count() == 0


@pytest.mark.nightly
def test_a_last_answer_that_was_lost_costs_no_second_upload(browser: Any, tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "talk.mp4")
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.route("**/api/uploads/*", lambda route: (route.fetch(), route.abort()), times=1)
        sent: list[int] = []
        page.on("request", lambda request: sent.append(_offset(request)) if request.method == "PATCH" else None)
        page.locator("#files").set_input_files(clip)
        page.locator("#uploads > li").wait_for(state="detached")
        assert sent == [0, clip.stat().st_size]
        assert [video.name for video in server.service.library.videos()] == ["talk.mp4"]


@pytest.mark.nightly
def test_a_full_disk_is_reported_and_waited_for(browser: Any, tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "talk.mp4")
    full = {"error": {"message": "The disk is full.", "type": "unavailable"}, "offset": 0}
    with web_server(Workspace(tmp_path / "library", load())) as server, opened(browser, server.url) as page:
        page.route("**/api/uploads/*", lambda route: route.fulfill(status=507, json=full), times=1)
        page.locator("#files").set_input_files(clip)
        page.get_by_text("The disk is full. Retrying in 1 s.").wait_for()
        page.locator("#uploads > li").wait_for(state="detached")
        assert [video.name for video in server.service.library.videos()] == ["talk.mp4"]


def _offset(request: Any) -> int:
    """Where the chunk of a request, or of a route's request, begins."""
    return int(getattr(request, "request", request).headers.get("upload-offset", "0"))


def test_a_reload_keeps_the_chat_and_what_its_answer_looked_at(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        turn = ask(page, SAID)
        turn.locator(".answer").wait_for()
        text = turn.locator(".answer .text").inner_text()
        assert "249 dollars" in text
        calls = page.get_by_role("group", name="What the answer looked at").get_by_role("slider")
        looked_at = calls.evaluate_all("tracks => tracks.map(track => track.ariaLabel)")
        assert any("Speech" in call for call in looked_at)
        rows = page.locator(".calls .name").all_inner_texts()
        assert sorted(rows) == sorted(set(rows))  # one for each tool, however often it was called
        page.reload()
        assert page.locator(".answer .text").inner_text() == text
        until(page, f"document.querySelectorAll('.calls [role=slider]').length === {len(looked_at)}")
        assert calls.evaluate_all("tracks => tracks.map(track => track.ariaLabel)") == looked_at
        assert page.get_by_role("navigation").get_by_role("link", name=SAID).first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_unsure_answer_says_so_and_its_closest_lines_are_played_also_after_a_reload(
    browser: Any, talk: str, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    always_unsure(monkeypatch)
    with opened(browser, talk, color_scheme=scheme) as page:
        ask(page, COST)
        for _ in ("as it comes", "again from the thread"):
            answer = page.locator(".answer")
            answer.wait_for()
            assert answer.locator(".badge").all_inner_texts() == ["Not sure"]
            assert answer.locator(".text").inner_text() == TEXT
            assert page.locator(".answer .problem, #notice:visible").count() == 0
            lines = answer.get_by_role("region", name="Closest lines").get_by_role("listitem")
            assert lines.locator("q").all_inner_texts() == ["Room 4417"]  # the text above has the other one
            answer.get_by_text("Details").click()
            for line, start, end in ((lines.nth(0), 4, 6), (lines.nth(1), 1, 3)):
                line.get_by_role("button", name=f"Play talk.mp4 0:0{start}").click()
                until(page, f"{start} <= {TIME} && {TIME} < {end}")
            assert answer.get_by_role("link", name="Evidence pack").count() == 1
            assert answer.get_by_role("link", name="Chapters").count() == 0
            page.reload()


@pytest.mark.nightly
def test_an_answer_comes_first_and_prints_no_sentence_three_times(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        turn = ask(page, COST)
        turn.locator(".answer").wait_for()
        details = turn.locator("details")
        assert details.get_attribute("open") is None
        assert turn.locator(".answer > *").first.get_attribute("class") == "text"
        assert turn.locator(".answer .text .chip").first.is_visible()
        for hidden in (".log", ".proof", ".coverage", ".receipt", "a"):
            assert details.locator(hidden).count() > 0
            assert turn.locator(hidden).first.is_hidden()
        details.locator("summary").click()
        assert turn.inner_text().count(KETTLE) < 3


@pytest.mark.nightly
def test_one_line_says_what_is_being_done(browser: Any, slow: str) -> None:
    with opened(browser, slow) as page:
        turn = ask(page, COST)
        turn.locator(".doing").get_by_text("Searches for evidence").wait_for()
        assert turn.locator(".log, .details").count() == 0
        turn.get_by_role("button", name="Stop").click()
        turn.locator(".answer").wait_for()
        assert turn.locator(".doing").count() == 0


def test_a_run_survives_a_reload_and_stops_when_told_to(browser: Any, slow: str) -> None:
    with opened(browser, slow) as page:
        ask(page, COST)
        page.get_by_role("button", name="Stop").wait_for()
        page.wait_for_url("**/#/thread/*")
        page.reload()
        page.locator("article.turn", has_text=COST).wait_for()
        page.get_by_role("button", name="Stop").click()
        page.locator(".answer").wait_for(timeout=5_000)
        assert page.get_by_role("button", name="Ask", exact=True).is_visible()
        assert page.get_by_role("button", name="Stop").is_hidden()


@pytest.mark.nightly
def test_two_chats_at_once_do_not_mix(browser: Any, slow: str) -> None:
    with opened(browser, slow) as page:
        for question in (COST, ROOM):
            page.goto(slow)
            ask(page, question)
            page.wait_for_url("**/#/thread/*")
        running = page.get_by_role("navigation").get_by_role("link", name="(being answered)")
        until(page, "document.querySelectorAll('#threads .running').length === 2")
        for number, (here, elsewhere) in enumerate(((COST, ROOM), (ROOM, COST))):
            running.filter(has_text=here).click()
            page.locator("article.turn", has_text=here).wait_for()
            assert page.locator("article.turn", has_text=elsewhere).count() == 0
            page.get_by_role("button", name="Stop").click()
            page.locator(".answer").wait_for()
            until(page, f"document.querySelectorAll('#threads .running').length === {1 - number}")


@pytest.mark.nightly
def test_the_trace_of_an_answer_is_opened_from_it(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        turn = ask(page, COST)
        turn.get_by_text("Details").click()
        with page.expect_popup() as popup:
            turn.get_by_role("link", name="Trace").click()
        popup.value.locator("video").wait_for()
        events = page.request.get(f"{popup.value.url}.jsonl").text()
        assert '"type":"brief"' in events


@pytest.mark.nightly
def test_an_answer_about_two_videos_plays_each_in_its_own_place(browser: Any, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    talk, trip = (write_small_video(tmp_path / name) for name in ("talk.mp4", "my trip.mp4"))
    trip.write_bytes(trip.read_bytes() + b"\0")
    trip.with_suffix(".vtt").write_text(SUBTITLES.replace("249", "99"), encoding="utf-8")
    ids = [workspace.add(video).video.id for video in (talk, trip)]
    with web_server(workspace) as server, opened(browser, f"{server.url}/#/new/{','.join(ids)}") as page:
        turn = ask(page, COST)
        for name in ("talk.mp4", "my trip.mp4"):
            turn.locator(".answer .text").get_by_role("button", name=f"Play {name}").first.click()
            until(page, "document.querySelector('video').currentTime >= 4")
            assert (
                page.get_by_role("group", name="Videos of this chat")
                .get_by_role("button", name=name, pressed=True)
                .is_visible()
            )
            assert page.locator("video").get_attribute("aria-label") == name


def test_the_timeline_is_walked_with_the_keyboard(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        speech = page.get_by_role("slider", name="Speech")
        until(page, "document.querySelector('.lane.speech path[d^=M]')")
        page.locator("#player video").focus()
        page.get_by_role("button", name="Zoom in").focus()
        page.keyboard.press("Tab")
        assert page.get_by_role("slider", name="Shots").evaluate("track => track === document.activeElement")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        assert "The blue kettle costs 249 dollars." in (speech.get_attribute("aria-valuetext") or "")
        preview = page.locator("#preview")
        assert "The blue kettle costs 249 dollars." in preview.inner_text()
        until(page, "document.querySelector('#preview img').naturalWidth > 0")
        page.keyboard.press("Enter")
        until(page, "document.querySelector('video').currentTime >= 4")
        page.keyboard.press("Tab")
        assert preview.is_hidden()


def test_hovering_shows_the_words_and_a_click_seeks(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        until(page, "document.querySelector('.lane.speech path[d^=M]')")
        track = page.get_by_role("slider", name="Speech")
        box = track.bounding_box()
        page.mouse.move(box["x"] + box["width"] * 5 / 8, box["y"] + 5)
        assert "249 dollars" in page.locator("#preview").inner_text()
        track.click(position={"x": box["width"] * 5 / 8, "y": 5})
        assert 4.5 < player_time(page) < 6.5


@pytest.mark.nightly
def test_an_answer_is_copied_with_its_places(browser: Any, talk: str) -> None:
    with opened(browser, talk, permissions=["clipboard-read", "clipboard-write"]) as page:
        ask(page, COST).get_by_role("button", name="Copy").click()
        page.get_by_text("Answer copied.").wait_for()
        question, _, answer, *places = page.evaluate("navigator.clipboard.readText()").split("\n")
        assert question == COST
        assert "249 dollars" in answer
        assert places == ["  talk.mp4 0:04–0:06  speech  The blue kettle costs 249 dollars."]


@pytest.mark.nightly
def test_what_is_asked_in_another_tab_is_shown_here_too(browser: Any, talk: str) -> None:
    with opened(browser, talk) as page:
        ask(page, COST).locator(".answer").wait_for()
        other = page.context.new_page()
        other.goto(page.url)
        other.locator("article.turn", has_text=COST).locator(".answer").wait_for()
        ask(page, ROOM).locator(".answer").wait_for()
        other.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as when a tab comes to the front
        other.locator("article.turn", has_text=ROOM).locator(".answer").wait_for()
        ask(other, "When is it mentioned?").locator(".answer").wait_for()
        assert other.locator("article.turn h2").all_inner_texts() == [COST, ROOM, "When is it mentioned?"]


@pytest.mark.nightly
def test_a_chat_that_is_gone_leads_to_the_library(browser: Any, server: WebServer, talk: str) -> None:
    with opened(browser, talk) as page:
        ask(page, COST).locator(".answer").wait_for()
        page.goto(f"{server.url}/#/thread/gone")
        page.get_by_text("This chat was deleted").wait_for()
        page.get_by_role("heading", name="Library").wait_for()
        assert page.title() == "Library · Longtake"


def test_what_is_typed_or_named_is_never_markup(browser: Any, tmp_path: Path) -> None:
    name = "<img src=x onerror=document.title=1>.mp4"
    workspace = Workspace(tmp_path / "library", load())
    video = workspace.add(write_small_video(tmp_path / name)).video.id
    with web_server(workspace) as server, opened(browser, server.url) as page:
        page.get_by_role("heading", name=name).wait_for()
        page.goto(f"{server.url}/#/new/{video}")
        turn = ask(page, "Where is <b>ROOM</b> <script>document.title=1</script>?")
        turn.locator(".answer").wait_for()
        assert page.locator("main [onerror], #turns b, #turns script, nav b").count() == 0
        assert page.title() != "1"


@pytest.mark.nightly
def test_shortcuts_reach_the_question_and_can_be_switched_off(browser: Any, talk: str) -> None:
    question = "document.activeElement.id"
    with opened(browser, talk) as page:
        until(page, f"{question} === 'question'")
        page.keyboard.press("Escape")
        assert page.evaluate(question) != "question"
        page.keyboard.press("/")
        assert page.evaluate(question) == "question"
        assert page.get_by_label("Your question").input_value() == ""
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        page.get_by_label("Enable single-key shortcuts").uncheck()
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("/")
        assert page.evaluate(question) != "question"


@pytest.mark.nightly
def test_the_model_that_answers_can_be_chosen(browser: Any, small_workspace: Workspace) -> None:
    workspace = copy.copy(small_workspace)
    with openai_server([says("The blue kettle costs 249 dollars [00:00:07].")]) as endpoint:
        endpoint.models = ("large", "small")
        workspace.settings = load(
            overrides=("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=large")
        )
        video = workspace.library.resolve("talk.mp4").id
        with web_server(workspace) as server, opened(browser, f"{server.url}/#/new/{video}") as page:
            page.get_by_role("button", name="Settings").click()
            assert page.get_by_label("openai/large").is_checked()
            page.get_by_label("openai/small").check()
            page.get_by_role("button", name="Close").click()
            page.reload()
            ask(page, COST)
            page.locator(".answer").get_by_text("249 dollars").first.wait_for()
            assert {request["model"] for request in endpoint.requests} == {"small"}
