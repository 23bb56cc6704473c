"""Threads over HTTP, against a real server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from helpers.asking import endpoint_asker
from helpers.media.small_video import write_small_video
from helpers.servers.openai_server import openai_server, says
from helpers.servers.server_events import answer, ask, begin, events, follow, sent, wait_for_end
from helpers.servers.web_server import WebServer, web_server

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.errors import Cancelled
from longtake.memory.library import file_id
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.workspace import Workspace

SERVING = Path(__file__).resolve().parents[2] / "docs" / "serving.md"
COST = "What does the blue kettle cost?"
SLOW = replace(says("NOT FOUND: nothing."), delay=60)


@pytest.fixture
def slow(small_workspace: Workspace) -> Iterator[httpx.Client]:
    """A client of a server whose controller thinks for a minute."""
    with openai_server([SLOW]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with web_server(small_workspace, agent=agent) as server, server.client() as client:
            yield client


def _refused(response: httpx.Response, status: int, kind: str, words: str) -> None:
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert error["type"] == kind
    assert words in error["message"]


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_example_of_the_page_about_the_api_works(small_workspace: Workspace, video: str) -> None:
    [example] = re.findall(r"```bash\n(SERVER=.*?)```", SERVING.read_text(encoding="utf-8"), re.DOTALL)
    with web_server(small_workspace) as server:
        script = example.replace("http://127.0.0.1:8765", server.url.rstrip("/")).replace("f9ddd8535a4ab439", video)
        bash = ["bash", "-e", "-o", "pipefail"]
        done = subprocess.run(bash, input=script, capture_output=True, text=True, check=True, timeout=120)
    assert "event: answer" in done.stdout
    *_, thread = done.stdout.splitlines()
    assert json.loads(thread)["questions"] == 1


def test_a_question_is_answered_step_by_step_and_stands_in_its_thread(client: httpx.Client, video: str) -> None:
    thread = begin(client, video)
    reported = events(client, ask(client, thread, COST))
    assert [event.number for event in reported] == list(range(len(reported)))
    assert {event.kind for event in reported[:-1]} == {"step"}
    assert [event.data["type"] for event in reported[:2]] == ["run", "orient"]
    assert reported[-1].kind == "answer"
    assert reported[-1].data["number"] == 0
    assert "249 dollars" in reported[-1].data["answer"]["answer"]
    shown = client.get(f"/api/threads/{thread}").json()
    assert (shown["title"], shown["videos"], shown["questions"], shown["running"]) == (COST, [video], 1, None)
    assert [(turn["number"], turn["answer"]) for turn in shown["turns"]] == [(0, reported[-1].data["answer"])]
    listed = next(each for each in client.get("/api/threads").json()["threads"] if each["id"] == thread)
    assert listed == {name: value for name, value in shown.items() if name != "turns"}


def test_the_next_question_knows_the_one_before(client: httpx.Client, server: WebServer, video: str) -> None:
    def understood(thread: str) -> str:
        reported = answer(client, thread, "When is it mentioned?")["answer"]
        trace = RecordedTrace(server.service.library.trace_root, reported["trace"])
        return str(trace.blob(trace.event(1, "orient")["output"])["question"])

    thread = begin(client, video)
    answer(client, thread, COST)
    assert understood(thread) == "When is it mentioned? What does the blue kettle cost?"
    assert understood(begin(client, video)) == "When is it mentioned?"


def test_a_broken_stream_goes_on_after_the_last_event_that_came(client: httpx.Client, video: str) -> None:
    run = ask(client, begin(client, video), COST)
    with follow(client, run) as response:
        first = next(sent(response))
    rest = events(client, run, after=first.number)
    assert [event.number for event in rest] == list(range(1, len(rest) + 1))
    assert rest[-1].kind == "answer"
    with follow(client, run, after=rest[-1].number) as response:
        assert response.status_code == 204


def test_a_question_whose_client_goes_away_is_answered_all_the_same(
    client: httpx.Client, server: WebServer, video: str
) -> None:
    thread = begin(client, video)
    run = ask(client, thread, COST)
    with follow(client, run) as response:
        next(sent(response))
    wait_for_end(server.service.runs.get(run))
    turns = client.get(f"/api/threads/{thread}").json()["turns"]
    assert "249 dollars" in turns[0]["answer"]["answer"]


def test_a_thread_says_what_runs_and_a_stop_ends_it(slow: httpx.Client, video: str) -> None:
    thread = begin(slow, video)
    run = ask(slow, thread, COST)
    assert slow.get(f"/api/threads/{thread}").json()["running"] == run
    _refused(
        slow.post(f"/api/threads/{thread}/questions", json={"question": COST}), 409, "conflict", "still being answered"
    )
    _refused(slow.delete(f"/api/threads/{thread}"), 409, "conflict", "stop it first")
    stopped = slow.post(f"/api/runs/{run}/stop")
    assert (stopped.status_code, stopped.json()) == (202, {"run": run})
    last = events(slow, run)[-1]
    assert (last.kind, last.data["answer"]["status"]) == ("answer", "partial")
    assert slow.get(f"/api/threads/{thread}").json()["running"] is None


def test_another_thread_is_asked_meanwhile(slow: httpx.Client, video: str) -> None:
    runs = [ask(slow, begin(slow, video), COST) for _ in range(2)]
    listed = slow.get("/api/threads").json()["threads"]
    assert {each["running"] for each in listed} >= set(runs)
    for run in runs:
        slow.post(f"/api/runs/{run}/stop")


def test_the_last_question_may_be_about_other_videos(client: httpx.Client, video: str) -> None:
    thread = begin(client, video)
    _refused(
        client.post(f"/api/threads/{thread}/questions", json={"question": COST, "videos": ["0" * 16]}),
        404,
        "not_found",
        "no video with this id",
    )
    assert answer(client, thread, COST, videos=[video, video])["answer"]["citations"][0]["video"] == video
    assert client.get(f"/api/threads/{thread}").json()["videos"] == [video]


@pytest.mark.nightly
def test_a_video_is_asked_about_while_it_is_indexed(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    file = write_small_video(tmp_path / "talk.mp4")
    with web_server(workspace) as server, server.client() as client:
        with workspace.library.lock(file_id(file)):  # nobody can begin to index it
            video = server.service.add(file).id
            thread = begin(client, video)
            reported = events(client, ask(client, thread, COST))
        [state] = [event.data for event in reported if event.kind == "indexing"]
        assert (state["video"], state["state"] in ("queued", "indexing")) == (video, True)
        assert reported[-1].data["answer"]["status"] == "partial"
        assert "talk.mp4" in reported[-1].data["answer"]["answer"]  # which of the videos isn't whole
        job = server.service.indexing.job(video)
        while job and not job.progress().over:
            time.sleep(0.05)
        reported = events(client, ask(client, thread, COST))
        assert "indexing" not in {event.kind for event in reported}
        assert "249 dollars" in reported[-1].data["answer"]["answer"]


def test_a_question_leaves_indexing_to_its_queue(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    begun = workspace.add(write_small_video(tmp_path / "talk.mp4"), Watcher(check_cancelled=_stop)).video
    indexed_elsewhere = workspace.library.lock(begun.id)
    with indexed_elsewhere, web_server(workspace) as server, server.client() as client:
        reported = answer(client, begin(client, begun.id), COST)["answer"]
    assert reported["status"] == "partial"
    kept = workspace.library.get(begun.id)
    assert kept is not None
    assert (kept.layers, kept.complete) == (begun.layers, False)


def _stop() -> None:
    raise Cancelled("The work was stopped.")


def test_options_are_chosen_among(client: httpx.Client, video: str) -> None:
    reported = answer(client, begin(client, video), COST, options=["99 dollars", "249 dollars"])
    assert reported["answer"]["option"] == {"letter": "B", "text": "249 dollars", "supported": True}


@pytest.mark.parametrize(
    "given",
    [
        {"question": ""},
        {"question": " \n"},
        {"question": "x" * 4_001},
        {"question": "\ud800"},
        {"question": COST, "options": ["one"]},
        {"question": COST, "options": [str(number) for number in range(11)]},
        {"question": COST, "options": ["", "two"]},
        {"question": COST, "videos": []},
        {"videos": ["0" * 16]},
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(client: httpx.Client, video: str, given: dict[str, object]) -> None:
    thread = begin(client, video)
    response = client.post(
        f"/api/threads/{thread}/questions",
        content=json.dumps(given),
        headers={"Content-Type": "application/json"},
    )
    _refused(response, 400, "invalid_request", "")
    assert client.get(f"/api/threads/{thread}").json()["questions"] == 0


def test_what_is_not_there_is_not_found(client: httpx.Client, video: str) -> None:
    thread = begin(client, video)
    for path in ("/api/threads/none", f"/api/threads/{thread}/turns/0/pack", f"/api/threads/{thread}/turns/0/chapters"):
        _refused(client.get(path), 404, "not_found", "")
    _refused(client.post("/api/threads/none/questions", json={"question": COST}), 404, "not_found", "no such thread")
    _refused(client.delete("/api/threads/none"), 404, "not_found", "no such thread")
    _refused(client.get("/api/runs/none/events"), 404, "not_found", "no such run")
    _refused(client.post("/api/runs/none/stop"), 404, "not_found", "no such run")
    for wrong in ("none", "../library.json", "0" * 16):
        _refused(client.post("/api/threads", json={"videos": [wrong]}), 404, "not_found", "no video with this id")


def test_a_deleted_thread_is_gone_with_what_it_knew(client: httpx.Client, server: WebServer, video: str) -> None:
    thread = begin(client, video)
    answer(client, thread, COST)
    assert client.delete(f"/api/threads/{thread}").status_code == 204
    assert client.get(f"/api/threads/{thread}").status_code == 404
    assert server.service.conversations.exchanges(thread) == []


def test_what_another_program_answers_is_neither_deleted_nor_asked(
    client: httpx.Client, small_workspace: Workspace, video: str
) -> None:
    thread = begin(client, video)

    def meddle(event: Mapping[str, Any]) -> None:
        if event["type"] == "run":
            _refused(client.delete(f"/api/threads/{thread}"), 409, "conflict", "is being answered elsewhere")
            last = events(client, ask(client, thread, "Which room is it?"))[-1]
            assert (last.kind, "is being answered elsewhere" in last.data["message"]) == ("failed", True)

    Agent(small_workspace).ask([video], COST, thread=thread, watch=meddle)
    turns = client.get(f"/api/threads/{thread}").json()["turns"]
    assert [(turn["number"], turn["answer"]["question"]) for turn in turns] == [(0, COST)]
    assert client.delete(f"/api/threads/{thread}").status_code == 204


def test_of_a_question_that_was_never_begun_there_is_no_pack(
    client: httpx.Client, server: WebServer, video: str
) -> None:
    thread = begin(client, video)
    failed = Answer(question=COST, status="failed", answer="", error="The question was stopped before it started.")
    server.service.conversations.add(thread, [video], failed)
    _refused(client.get(f"/api/threads/{thread}/turns/0/pack"), 404, "not_found", "was never started")


def test_a_thread_of_the_terminal_is_there_whatever_its_name(
    client: httpx.Client, small_workspace: Workspace, video: str
) -> None:
    name = f"bridge/repair? {uuid4().hex}"
    Agent(small_workspace).ask([video], COST, thread=name)
    shown = client.get(f"/api/threads/{quote(name, safe='')}").json()
    assert (shown["id"], shown["questions"]) == (name, 1)
    assert answer(client, quote(name, safe=""), COST)["number"] == 1


def test_chapters_are_given_as_lines_and_as_vtt(client: httpx.Client, server: WebServer, video: str) -> None:
    thread = begin(client, video)
    answer(client, thread, COST)
    lines = client.get(f"/api/threads/{thread}/turns/0/chapters")
    assert lines.headers["content-type"] == "text/plain; charset=utf-8"
    assert lines.text.startswith("00:00:00 talk.mp4\n00:00:04 ")
    vtt = client.get(f"/api/threads/{thread}/turns/0/chapters", params={"format": "vtt"})
    assert vtt.headers["content-type"] == "text/vtt; charset=utf-8"
    assert vtt.text.startswith("WEBVTT\n\n00:00:00.000 --> 00:00:04.000\ntalk.mp4\n\n00:00:04.000 --> 00:00:08.")
    nowhere = Answer(question="Who painted the ceiling?", status="abstained", answer="Nobody says.")
    server.service.conversations.add(thread, (video,), nowhere)
    _refused(client.get(f"/api/threads/{thread}/turns/1/chapters"), 404, "not_found", "cites nothing")


@pytest.mark.slow
def test_a_thread_goes_on_with_the_videos_that_are_left(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    kept = workspace.add(write_small_video(tmp_path / "talk.mp4")).video
    gone = kept.model_copy(update={"id": "0" * 16, "name": "gone.mp4"})
    workspace.library.save(gone)
    with web_server(workspace) as server, server.client() as client:
        both, alone = begin(client, kept.id, gone.id), begin(client, gone.id)
        assert client.delete(f"/api/videos/{gone.id}").status_code == 204
        assert "249 dollars" in answer(client, both, COST)["answer"]["answer"]
        assert client.get(f"/api/threads/{both}").json()["videos"] == [kept.id]
        _refused(
            client.post(f"/api/threads/{alone}/questions", json={"question": COST}),
            409,
            "conflict",
            "The videos of this thread were deleted",
        )
        named = {"question": COST, "videos": [gone.id]}
        _refused(client.post(f"/api/threads/{both}/questions", json=named), 404, "not_found", "no video with this id")
