"""Kills `serve` with SIGKILL at random moments: while it answers, and while a file is uploaded."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from longtake.benchmarks.faults.ground import QUESTION, Ground, Trial, is_right, kill
from longtake.benchmarks.processes import client_of, follow, send, serving
from longtake.memory.library import file_id

_CHUNKS = 40  # of an upload
_PAUSE = 0.02  # seconds between them, so that most kills fall in between
_QUESTION_SECONDS = 2.0  # after this an answer is long told


def kill_serve(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Kill the server after it took a question; the thread must stay, and its question be answered when asked again."""
    moment = chance.uniform(0, _QUESTION_SECONDS)
    with _server(ground, library) as (process, client):
        video = client.get("/api/videos").json()["videos"][0]["id"]
        thread = client.post("/api/threads", json={"videos": [video]}).json()["id"]
        client.post(f"/api/threads/{thread}/questions", json={"question": QUESTION}).raise_for_status()
        time.sleep(moment)
        kill(process)
    with _server(ground, library) as (_process, client):
        return Trial(f"serve killed {moment:.2f} s after a question", _asked_again(client, thread))


def _asked_again(client: httpx.Client, thread: str) -> str:
    if thread not in [each["id"] for each in client.get("/api/threads").json()["threads"]]:
        return "the thread is gone"
    asked = client.post(f"/api/threads/{thread}/questions", json={"question": QUESTION})
    if asked.status_code != 202:
        return f"asked again: {asked.status_code} {asked.text[:200]}"
    follow(client, f"/api/runs/{asked.json()['run']}/events")
    last = client.get(f"/api/threads/{thread}").json()["turns"][-1]["answer"]
    return "" if is_right(last["answer"]) else f"{last['status']}: {last['error'] or last['answer']}"


def kill_upload(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Kill the server while a file is uploaded; what it said it has must be there, and the rest is sent again."""
    data = ground.video.read_bytes()
    moment = chance.uniform(0, _CHUNKS * _PAUSE * 2)
    with _server(ground, library) as (process, client):
        begun = client.post("/api/uploads", json={"name": ground.video.name, "size": len(data)})
        upload, received = str(begun.json()["id"]), 0
        killing = threading.Timer(moment, kill, [process])
        killing.start()
        with suppress(httpx.TransportError):
            for received in send(client, upload, data, 0, len(data) // _CHUNKS + 1):  # noqa: B007 - the last is used below
                time.sleep(_PAUSE)
        killing.join()
    with _server(ground, library) as (_process, client):
        problem = _gone_on(client, upload, data, received) or _taken(ground, client, data)
    return Trial(f"serve killed {moment:.2f} s after an upload began", problem)


def _gone_on(client: httpx.Client, upload: str, data: bytes, received: int) -> str:
    state = client.get(f"/api/uploads/{upload}")
    if state.status_code != 200:
        return f"the upload is gone: {state.status_code} {state.text[:200]}"
    offset = state.json()["offset"]
    if offset < received:
        return f"{received} bytes were confirmed, {offset} are left"
    for _ in send(client, upload, data, offset, len(data) // _CHUNKS + 1):
        pass
    if not state.json()["video"]:  # all was received, but the server was killed before it took the file
        whole = {"Upload-Offset": str(len(data))}
        client.patch(f"/api/uploads/{upload}", content=b"", headers=whole).raise_for_status()
    return ""


def _taken(ground: Ground, client: httpx.Client, data: bytes) -> str:
    video = file_id(ground.video)
    follow(client, f"/api/videos/{video}/progress")
    if client.get(f"/api/videos/{video}/file").content != data:
        return "the library's file has other bytes"
    known = client.get(f"/api/videos/{video}")
    return "" if known.status_code == 200 else f"the video is not in the library: {known.text[:200]}"


@contextmanager
def _server(ground: Ground, library: Path) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A server, and a client of it."""
    with serving(ground.session, library) as (process, url), client_of(url) as client:
        yield process, client
