"""Twenty chats at once over HTTP: none fails, and none sees anything of another."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import httpx
import numpy as np
import pytest
from helpers.servers.server_events import Sent, ask, begin, events
from helpers.servers.web_server import WebServer, web_server

from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace

CHATS = 20
THINGS = ("kettle", "lantern", "barrel", "violin", "anchor")


def _thing(number: int) -> str:
    return THINGS[number % len(THINGS)]


def _price(number: int) -> str:
    return f"{300 + 7 * number} dollars"


def _write_talk(path: Path, number: int) -> None:
    """Six seconds of a tone of its own, and subtitles with a price that no other talk has."""
    tone = 0.3 * np.sin(np.arange(6 * 8_000) * (0.1 + number / 100))
    with wave.open(str(path), "wb") as stream:
        stream.setparams((1, 2, 8_000, 0, "NONE", ""))
        stream.writeframes((tone * 32767).astype("<i2").tobytes())
    cue = f"00:00:01.000 --> 00:00:04.000\nThe {_thing(number)} costs {_price(number)}.\n"
    path.with_suffix(".vtt").write_text(f"WEBVTT\n\n{cue}", encoding="utf-8")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebServer, list[str]]]:
    """A server for twenty talks, and their ids."""
    folder = tmp_path_factory.mktemp("talks")
    workspace = Workspace(folder / "library", load())
    videos = []
    for number in range(CHATS):
        _write_talk(folder / f"talk-{number}.wav", number)
        videos.append(workspace.add(folder / f"talk-{number}.wav").video.id)
    with web_server(workspace) as server:
        yield server, videos


def _chat(server: WebServer, video: str, questions: list[str], together: Barrier) -> tuple[str, list[list[Sent]]]:
    """Ask one question after the other in a new thread, as a browser of its own."""
    with server.client() as client:
        thread = begin(client, video)
        together.wait()
        return thread, [events(client, ask(client, thread, question)) for question in questions]


def _thread(client: httpx.Client, thread: str) -> dict[str, Any]:
    shown: dict[str, Any] = client.get(f"/api/threads/{thread}").json()
    return shown


@pytest.mark.nightly
def test_twenty_chats_at_once_know_nothing_of_each_other(server: tuple[WebServer, list[str]]) -> None:
    web, videos = server
    # The price stands in the chat's own video only, and what "it" is in its own thread only.
    asked = [[f"What does the {_thing(number)} cost?", "When is it mentioned?"] for number in range(CHATS)]
    together = Barrier(CHATS)
    with ThreadPoolExecutor(CHATS) as pool:
        chats = list(pool.map(_chat, [web] * CHATS, videos, asked, [together] * CHATS))
    assert len({thread for thread, _ in chats}) == CHATS
    with web.client() as client:
        for number, (thread, runs) in enumerate(chats):
            for reported in runs:
                assert [event.number for event in reported] == list(range(len(reported)))
                assert [event.data["step"] for event in reported[:-1]] == list(range(len(reported) - 1))
                looked_at = {span[0] for event in reported[:-1] for span in event.data["spans"]}
                assert looked_at == {videos[number]}
            answers = [reported[-1].data["answer"] for reported in runs]
            assert [(reported[-1].kind, reported[-1].data["number"]) for reported in runs] == [
                ("answer", 0),
                ("answer", 1),
            ]
            assert {answer["status"] for answer in answers} <= {"answered", "uncertain"}
            assert _price(number) in answers[0]["answer"]
            trace = RecordedTrace(web.service.library.trace_root, answers[1]["trace"])
            understood = trace.blob(trace.event(1, "orient")["output"])
            assert _thing(number) in understood["question"]
            assert understood["earlier"] == [f"Q: {asked[number][0]}\nA: {answers[0]['answer']}"]
            assert [turn["answer"] for turn in _thread(client, thread)["turns"]] == answers
