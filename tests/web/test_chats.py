"""Chats over HTTP: renamed, searched, and asked again from an earlier question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest
from helpers.asking import endpoint_asker
from helpers.servers.openai_server import openai_server, says
from helpers.servers.server_events import answer, ask, begin
from helpers.servers.web_server import WebServer, web_server

from longtake.agent.traces.trace import RecordedTrace
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"
ROOM = "Which room number is written on the slide?"
WHEN = "When is it mentioned?"
SLOW = replace(says("NOT FOUND: nothing."), delay=60)


def _turns(client: httpx.Client, thread: str) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = client.get(f"/api/threads/{thread}").json()["turns"]
    assert [turn["number"] for turn in turns] == list(range(len(turns)))
    return turns


def _found(client: httpx.Client, words: str) -> set[str]:
    return {each["id"] for each in client.get("/api/threads", params={"words": words}).json()["threads"]}


def test_a_renamed_chat_keeps_its_name(client: httpx.Client, video: str) -> None:
    thread = begin(client, video)
    answer(client, thread, COST)
    renamed = client.patch(f"/api/threads/{thread}", json={"title": "  Kettle\nprices "})
    assert (renamed.status_code, renamed.json()["title"]) == (200, "Kettle prices")
    answer(client, thread, ROOM)
    assert client.get(f"/api/threads/{thread}").json()["title"] == "Kettle prices"
    for title in (" ", "x" * 81):
        assert client.patch(f"/api/threads/{thread}", json={"title": title}).status_code == 400
    assert client.patch("/api/threads/none", json={"title": "A"}).status_code == 404


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("KETTLE", True),
        ("249 dollars", True),  # in the answer
        ("kettle umbrella", False),
        ("straße", True),
        ("100%", True),
        ("status", False),  # a name in the stored answer, not its text
        ("'", False),
    ],
)
def test_chats_are_found_by_title_question_and_answer(
    client: httpx.Client, video: str, words: str, found: bool
) -> None:
    thread = begin(client, video)
    answer(client, thread, COST)
    client.patch(f"/api/threads/{thread}", json={"title": "STRASSE 100%"})
    assert (thread in _found(client, words)) is found


def test_a_question_asked_again_replaces_its_answer_and_those_after_it(
    client: httpx.Client, server: WebServer, video: str
) -> None:
    thread = begin(client, video)
    for question in (COST, ROOM, WHEN):
        answer(client, thread, question)
    first = _turns(client, thread)[0]
    again = answer(client, thread, WHEN, again=1)
    assert again["number"] == 1
    turns = _turns(client, thread)
    assert turns[0] == first
    assert [turn["answer"]["question"] for turn in turns] == [COST, WHEN]
    trace = RecordedTrace(server.service.library.trace_root, turns[1]["answer"]["trace"])
    assert (
        trace.blob(trace.event(1, "orient")["output"])["question"]
        == "When is it mentioned? What does the blue kettle cost?"
    )
    refused = client.post(f"/api/threads/{thread}/questions", json={"question": WHEN, "again": 2})
    assert refused.status_code == 404
    assert _turns(client, thread) == turns


def test_what_is_asked_again_in_vain_loses_no_answer(client: httpx.Client, video: str) -> None:
    thread = begin(client, video)
    answer(client, thread, COST)
    answer(client, thread, ROOM)
    before = _turns(client, thread)
    beyond = answer(client, thread, "What is said at 5:00?", again=0)
    assert (beyond["number"], beyond["answer"]["status"]) == (None, "failed")
    assert _turns(client, thread) == before
    assert answer(client, thread, WHEN)["number"] == 2
    assert _turns(client, thread)[:2] == before


def test_a_chat_says_which_question_is_asked_again(small_workspace: Workspace, video: str) -> None:
    with openai_server([says("The blue kettle costs 249 dollars [00:00:07]."), SLOW]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with web_server(small_workspace, agent=agent) as server, server.client() as client:
            thread = begin(client, video)
            answer(client, thread, COST)
            ask(client, thread, ROOM, again=0)
            shown = client.get(f"/api/threads/{thread}").json()
            assert (shown["asking"], shown["again"], len(shown["turns"])) == (ROOM, 0, 1)


def test_a_chat_is_exported_under_its_title(client: httpx.Client, video: str) -> None:
    thread = begin(client, video)
    answer(client, thread, COST)
    client.patch(f"/api/threads/{thread}", json={"title": "Prices / Küche"})
    for form, start in (("markdown", "# Prices / Küche"), ("html", "<!doctype html>")):
        exported = client.get(f"/api/threads/{thread}/export", params={"format": form})
        assert exported.text.startswith(start)
        assert "249 dollars" in exported.text
        assert "Prices%20%2F%20K%C3%BCche." in exported.headers["content-disposition"]
    assert client.get("/api/threads/none/export").status_code == 404
