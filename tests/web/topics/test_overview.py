"""What a video is about, to begin with: over HTTP and in a new chat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from helpers.browser import opened, until
from helpers.media.talk_of_topics import TOPICS, write_talk
from helpers.servers.openai_server import openai_server, says
from helpers.servers.web_server import WebServer, web_server

from longtake.agent.graph.agent import Agent
from longtake.config import load
from longtake.exports.overview import suggested_questions
from longtake.preprocess.pipeline.workspace import Workspace

TITLES = ["Bread", "Volcanoes", "Chess"]
LINES = {line for topic in TOPICS for line in topic}


def test_the_overview_quotes_lines_with_their_seconds_and_is_made_once(
    client: httpx.Client, server: WebServer, talk: str
) -> None:
    got = client.get(f"/api/videos/{talk}/overview")
    lines = got.json()["lines"]
    assert {line["text"] for line in lines} <= LINES
    assert sorted(lines, key=lambda line: line["start"]) == lines
    assert len(lines) >= 3
    made = server.service.overviews[talk]
    assert client.get(f"/api/videos/{talk}/overview").json() == got.json()
    assert server.service.overviews[talk] is made
    tag = {"If-None-Match": got.headers["etag"]}
    assert client.get(f"/api/videos/{talk}/overview", headers=tag).status_code == 304


def test_each_suggested_question_is_about_another_part_and_is_answered(topics_workspace: Workspace, talk: str) -> None:
    video = topics_workspace.library.get(talk)
    assert video is not None
    questions = suggested_questions(topics_workspace.library, video)
    assert len(questions) == len(TOPICS)
    agent = Agent(topics_workspace)
    for question, topic in zip(questions, TOPICS, strict=True):
        answer = agent.ask([talk], question)
        assert answer.status == "answered", question
        assert {cited.quote for cited in answer.citations} <= set(topic), question


def test_nothing_is_suggested_about_a_video_of_which_nothing_is_read(topics_workspace: Workspace, talk: str) -> None:
    video = topics_workspace.library.get(talk)
    assert video is not None
    assert suggested_questions(topics_workspace.library, video.model_copy(update={"layers": {}})) == []


def test_a_new_chat_shows_the_overview_until_something_is_asked(browser: Any, server: WebServer, talk: str) -> None:
    with opened(browser, f"{server.url}/#/new/{talk}") as page:
        overview = page.get_by_role("region", name="Overview")
        overview.wait_for()
        overview.get_by_role("button", name="Play topics.wav").nth(1).click()
        until(page, "document.querySelector('video').currentTime > 40")
        question = overview.locator(".suggested button").first
        asked = question.inner_text()
        question.click()
        page.locator("article.turn", has_text=asked).locator(".answer").wait_for()
        assert overview.is_hidden()


def test_what_the_model_says_comes_first(browser: Any, tmp_path: Path) -> None:
    told = [says(f"{name}\nThis is about {name}.") for name in TITLES]
    with openai_server([*told, says("A talk about three things.")]) as endpoint:
        controller = ("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=scripted")
        workspace = Workspace(tmp_path / "library", load(overrides=controller))
        video = workspace.add(write_talk(tmp_path / "talk.wav", *TOPICS)).video.id
        with web_server(workspace) as server, opened(browser, f"{server.url}/#/new/{video}") as page:
            with server.client() as client:
                got = client.get(f"/api/videos/{video}/overview").json()
                chapters = client.get(f"/api/videos/{video}/chapters").json()["chapters"]
            assert (got["text"], got["sections"], got["lines"]) == ("A talk about three things.", chapters, [])
            overview = page.get_by_role("region", name="Overview")
            overview.get_by_text("A talk about three things.").wait_for()
            assert sorted(overview.locator(".places li > span").all_inner_texts()) == sorted(TITLES)
            page.get_by_role("button", name="Chapters").click()
            chapter = page.get_by_role("list", name="Chapters").get_by_role("listitem").filter(has_text=TITLES[1])
            assert chapter.locator(".about").inner_text() == f"This is about {TITLES[1]}."


def test_captions_are_switched_on_and_stay_on(browser: Any, server: WebServer, talk: str) -> None:
    showing = "document.querySelector('video').textTracks[0].mode"
    with opened(browser, f"{server.url}/#/new/{talk}") as page:
        switch = page.get_by_role("button", name="Captions")
        switch.wait_for()
        assert page.evaluate(showing) == "disabled"
        switch.click()
        until(page, "document.querySelector('button[aria-pressed=true][title^=Captions]')")
        until(page, f"document.querySelector('video').textTracks[0].cues?.length === {len(LINES)}")
        page.get_by_label("Your question").press("Escape")
        page.keyboard.press("c")
        until(page, f"{showing} === 'disabled'")
        until(page, "document.querySelector('button[aria-pressed=false][title^=Captions]')")
