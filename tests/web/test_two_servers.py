"""Two servers, each in a process of its own, over one library."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.media.small_video import write_small_video
from helpers.servers.server_events import answer, begin
from helpers.servers.web_server import web_server

from longtake.memory.library import file_id
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.progress import IndexingProgress, LayerProgress, SharedProgress

RUNNING = IndexingProgress(
    state="indexing", layers=(LayerProgress(name="probe", share=0.5, state="running"),), share=0.5
)


@contextmanager
def _served(library: Path) -> Iterator[httpx.Client]:
    command = [sys.executable, "-m", "longtake", "--library", str(library), "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            url = re.findall(r"http://\S+", process.stdout.readline())[0]
            with httpx.Client(base_url=url, timeout=60) as client:
                yield client
        finally:
            process.kill()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    with ExitStack() as stack:
        yield stack.enter_context(_served(tmp_path / "library")), stack.enter_context(_served(tmp_path / "library"))


def _send(client: httpx.Client, upload: str, offset: int, data: bytes) -> Any:
    headers = {"Upload-Offset": str(offset), "Content-Type": "application/octet-stream"}
    return client.patch(f"/api/uploads/{upload}", content=data, headers=headers).raise_for_status().json()


def _begun(client: httpx.Client, name: str, size: int) -> str:
    return str(client.post("/api/uploads", json={"name": name, "size": size}).raise_for_status().json()["id"])


def _followed(client: httpx.Client, video: str) -> list[dict[str, Any]]:
    """The progress of a video until it is over."""
    with client.stream("GET", f"/api/videos/{video}/progress") as response:
        return [json.loads(line[5:]) for line in response.iter_lines() if line.startswith("data:")]


@pytest.mark.nightly
def test_what_one_server_begins_the_other_continues_shows_and_answers(
    servers: tuple[httpx.Client, httpx.Client], tmp_path: Path
) -> None:
    here, there = servers
    file = write_small_video(tmp_path / "talk.mp4")
    data = file.read_bytes()
    half = len(data) // 2
    upload = _begun(here, "talk.mp4", len(data))
    assert _send(here, upload, 0, data[:half])["video"] is None
    state = there.get(f"/api/uploads/{upload}").json()
    assert (state["name"], state["offset"]) == ("talk.mp4", half)
    video = _send(there, upload, half, data[half:])["video"]
    assert video == file_id(file)
    seen = _followed(here, video)  # which has no job of it
    assert seen[-1]["state"] == "done"
    assert here.get(f"/api/videos/{video}").json()["complete"]

    layers = tmp_path / "library" / "videos" / video / "layers"
    built = {each: each.stat().st_ino for each in layers.rglob("items.jsonl")}
    assert _send(here, _begun(here, "again.mp4", len(data)), 0, data)["video"] == video
    here.post(f"/api/videos/{video}/index").raise_for_status()
    assert _followed(here, video)[-1]["state"] == "done"
    assert {each: each.stat().st_ino for each in layers.rglob("items.jsonl")} == built  # indexed once
    assert len(list((tmp_path / "library" / "uploads").glob(f"{video}.*"))) == 1

    thread = begin(here, video)
    told = answer(here, thread, "Which room is shown?")["answer"]
    assert "4417" in json.dumps(told)  # found in the index that the other server wrote
    assert there.get(f"/api/threads/{thread}").json()["turns"][0]["answer"] == told


@pytest.mark.nightly
def test_both_index_what_comes_at_once(servers: tuple[httpx.Client, httpx.Client], tmp_path: Path) -> None:
    data = write_small_video(tmp_path / "talk.mp4").read_bytes()
    videos = []
    for number, client in enumerate((*servers, *servers)):
        content = data + bytes([number])  # a byte that no player reads makes another file of it
        videos.append(_send(client, _begun(client, f"{number}.mp4", len(content)), 0, content)["video"])
    for video in videos:
        for client in servers:
            assert _followed(client, video)[-1]["state"] == "done"


@pytest.mark.slow
def test_a_video_waits_while_another_server_indexes(own_workspace: Workspace) -> None:
    video = own_workspace.library.resolve("talk.mp4").id
    with web_server(own_workspace) as server, server.client() as client:
        with own_workspace.library.lock("indexer"):  # as the other server holds it
            client.post(f"/api/videos/{video}/index")
            time.sleep(1.5)
            assert client.get(f"/api/videos/{video}").json()["progress"]["state"] == "queued"
        assert _followed(client, video)[-1]["state"] == "done"


def test_a_server_sees_the_jobs_of_others_while_they_live(tmp_path: Path) -> None:
    one, other = SharedProgress(tmp_path / "indexing"), SharedProgress(tmp_path / "indexing")
    queued = RUNNING.model_copy(update={"state": "queued"})
    one.publish({"a": RUNNING, "b": queued})
    assert (other.elsewhere("a"), other.elsewhere("b"), other.elsewhere("c")) == (RUNNING, queued, None)
    assert one.elsewhere("a") is None
    other.publish({"a": queued})
    assert SharedProgress(tmp_path / "indexing").elsewhere("a") == RUNNING
    one.publish({"a": RUNNING.model_copy(update={"state": "done"})})
    assert (other.elsewhere("a"), other.elsewhere("b")) == (None, None)
    other.close()
    assert list((tmp_path / "indexing").iterdir()) == []


def test_the_jobs_of_a_server_that_is_gone_are_given_out_once(tmp_path: Path) -> None:
    gone, one, other = (SharedProgress(tmp_path / "indexing") for _ in range(3))
    gone.publish({"a": RUNNING})
    (tmp_path / "indexing" / "._a.0.json").touch()  # as macOS leaves on shares
    assert one.abandoned() == []
    for file in (tmp_path / "indexing").iterdir():
        os.utime(file, (1_000_000, 1_000_000))
    assert other.elsewhere("a") is None
    assert one.abandoned() == ["a"]
    assert other.abandoned() == []


def test_a_server_that_was_killed_is_known_to_be_gone_at_once(own_workspace: Workspace) -> None:
    video, folder = own_workspace.library.resolve("talk.mp4").id, own_workspace.library.root / "indexing"
    code = (
        "import os, sys; from pathlib import Path; from longtake.web.progress import IndexingProgress, SharedProgress\n"
        "shared = SharedProgress(Path(sys.argv[1]))\n"
        "shared.publish({sys.argv[2]: IndexingProgress(state='queued', layers=(), share=0.0)})\n"
        "os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, folder, video], check=False)
    assert (killed.returncode, len(list(folder.glob("*.json")))) == (-9, 1)
    with web_server(own_workspace) as server, server.client() as client:
        end = time.monotonic() + 8.0  # well before its silence would tell
        while shown := client.get(f"/api/videos/{video}").json()["progress"]:
            assert time.monotonic() < end, shown
            time.sleep(0.1)
    assert list(folder.iterdir()) == []
