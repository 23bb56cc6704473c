"""Videos on their way in: what is told until they are there, over a real server."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.media.small_video import write_small_video
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.memory.library import LAYERS, VideoRecord, file_id
from longtake.preprocess.pipeline.progress import LayerReport, StepProgress
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.indexing import Job


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "library", load())


@pytest.fixture
def clips(long_tone: Path, tone: Path, tmp_path: Path) -> Path:
    """A folder with a long and a short clip."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for source in (long_tone, tone):
        shutil.copy(source, folder / source.name)
    return folder


def add(client: httpx.Client, file: Path) -> str:
    """The id of a video that is added where it lies."""
    return str(client.post("/api/videos", json={"path": str(file)}).json()["id"])


def reported(client: httpx.Client, video: str) -> Iterator[dict[str, Any]]:
    """What is told of indexing until its end."""
    with client.stream("GET", f"/api/videos/{video}/progress") as events:
        assert events.headers["Content-Type"].startswith("text/event-stream")
        for line in events.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_indexing_is_reported_layer_by_layer_until_it_is_done(workspace: Workspace, tmp_path: Path) -> None:
    write_small_video(tmp_path / "folder.mp4")
    with web_server(workspace, folders=[tmp_path]) as server, server.client() as client:
        added = client.post("/api/videos", json={"path": str(tmp_path / "folder.mp4")}).json()
        assert added["progress"]["state"] in ("queued", "indexing")
        events = list(reported(client, added["id"]))
        shown = client.get(f"/api/videos/{added['id']}").json()
    assert all([layer["name"] for layer in event["layers"]] == list(LAYERS) for event in events)
    assert [event["state"] for event in events[-2:]] == ["indexing", "done"]
    assert events[-1]["share"] == 1.0
    last = {layer["name"]: layer for layer in events[-1]["layers"]}
    assert {last[name]["state"] for name in ("subtitles", "shots", "scene_text", "text_vectors")} == {"done"}
    assert "No engine for captions" in last["captions"]["reason"]
    assert (shown["complete"], shown["progress"]) == (True, events[-1])
    assert shown["problems"] == {name: layer["reason"] for name, layer in last.items() if layer["reason"]}


def test_what_models_are_asked_is_told_while_a_video_waits(tmp_path: Path, tone: Path) -> None:
    settings = load(overrides=("captions.base_url=http://127.0.0.1:9/v1", "captions.model=seer"))
    workspace = Workspace(tmp_path / "library", settings)
    with web_server(workspace, folders=[tone.parent]) as server, server.client() as client:
        [told] = next(reported(client, add(client, tone)))["models"]
    assert told.startswith("captions: about ")


def test_a_video_that_was_indexed_before_is_done_at_once(small_workspace: Workspace) -> None:
    video = small_workspace.library.resolve("talk.mp4").id
    with web_server(small_workspace) as server, server.client() as client:
        (event,) = reported(client, video)
    assert (event["state"], event["share"], event["error"]) == ("done", 1.0, None)


def test_a_file_that_goes_away_fails_with_a_sentence(workspace: Workspace, long_tone: Path, tmp_path: Path) -> None:
    file = tmp_path / "folder" / "talk.wav"
    file.parent.mkdir()
    shutil.copy(long_tone, file)
    with web_server(workspace, folders=[file.parent]) as server, server.client() as client:
        video = client.post("/api/videos", json={"path": str(file)}).json()["id"]
        file.unlink()
        last = list(reported(client, video))[-1]
    assert last["state"] == "failed"
    assert str(file) in last["error"]


def test_what_is_being_indexed_cannot_be_deleted_and_what_waits_can(
    workspace: Workspace, long_tone: Path, tone: Path, clips: Path
) -> None:
    with web_server(workspace, folders=[clips]) as server, server.client() as client:
        running = add(client, clips / long_tone.name)
        waiting = add(client, clips / tone.name)
        until(lambda: client.get(f"/api/videos/{running}").json()["progress"]["state"] == "indexing")
        assert client.get(f"/api/videos/{waiting}").json()["progress"]["state"] == "queued"
        busy = client.delete(f"/api/videos/{running}")
        assert (busy.status_code, busy.json()["error"]["type"]) == (409, "conflict")
        assert client.delete(f"/api/videos/{waiting}").status_code == 204
    assert [video.id for video in workspace.library.videos()] == [running]


def test_nothing_is_reported_for_a_video_deleted_while_it_waits(
    workspace: Workspace, long_tone: Path, tone: Path, clips: Path
) -> None:
    with web_server(workspace, folders=[clips]) as server, server.client() as client:
        add(client, clips / long_tone.name)
        waiting = add(client, clips / tone.name)
        events = reported(client, waiting)
        first = next(events)
        assert client.delete(f"/api/videos/{waiting}").status_code == 204
        assert (first["state"], list(events)) == ("queued", [])


def test_what_cannot_be_deleted_stays_in_the_queue(
    workspace: Workspace, long_tone: Path, tone: Path, clips: Path
) -> None:
    with web_server(workspace, folders=[clips]) as server, server.client() as client:
        add(client, clips / long_tone.name)
        waiting = add(client, clips / tone.name)
        with workspace.library.lock(waiting):  # as another process that works on it
            assert client.delete(f"/api/videos/{waiting}").status_code == 409
        assert client.get(f"/api/videos/{waiting}").json()["progress"]["state"] == "queued"


@pytest.mark.nightly
def test_what_waits_is_indexed_where_its_file_lies_by_then(
    workspace: Workspace, long_tone: Path, tone: Path, clips: Path
) -> None:
    with web_server(workspace, folders=[clips]) as server, server.client() as client:
        add(client, clips / long_tone.name)
        waiting = add(client, clips / tone.name)
        (clips / tone.name).rename(clips / "moved.wav")
        assert client.post("/api/videos", json={"path": str(clips / "moved.wav")}).json()["id"] == waiting
        assert list(reported(client, waiting))[-1]["state"] == "done"


@pytest.mark.nightly
def test_the_queue_goes_on_past_a_video_that_another_program_indexes(
    workspace: Workspace, long_tone: Path, tone: Path, clips: Path
) -> None:
    with web_server(workspace, folders=[clips]) as server, server.client() as client:
        with workspace.library.lock(file_id(long_tone)):
            held = add(client, clips / long_tone.name)
            other = add(client, clips / tone.name)
            assert list(reported(client, other))[-1]["state"] == "done"
            until(lambda: client.get(f"/api/videos/{held}").json()["progress"]["error"])
            waiting = client.get(f"/api/videos/{held}").json()["progress"]
            assert waiting["state"] == "queued"
            assert waiting["error"].startswith("Another program, or a question, is indexing this video")
        last = list(reported(client, held))[-1]
    assert (last["state"], last["error"]) == ("done", None)


def test_a_complete_video_waits_for_no_other(workspace: Workspace, long_tone: Path, tone: Path, clips: Path) -> None:
    workspace.add(clips / tone.name)
    with web_server(workspace, folders=[clips]) as server, server.client() as client:
        add(client, clips / long_tone.name)
        complete = client.post("/api/videos", json={"path": str(clips / tone.name)}).json()
        assert (complete["complete"], complete["progress"]) == (True, None)


@pytest.mark.nightly
@pytest.mark.parametrize("folder", ["library/uploads", "folder"])
def test_indexing_that_was_ended_goes_on_with_the_next_server(
    workspace: Workspace, long_tone: Path, tmp_path: Path, folder: str
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    file = Path(shutil.copy(long_tone, tmp_path / folder / f"{file_id(long_tone)}.wav"))
    with web_server(workspace) as server:
        server.service.add(file, "talk.wav")
    assert not workspace.library.resolve("talk.wav").complete
    with web_server(workspace) as server, server.client() as client:
        assert list(reported(client, file_id(file)))[-1]["state"] == "done"
    assert workspace.library.resolve("talk.wav").complete


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job of which all is known but the time of speech."""
    record = VideoRecord(id="0" * 16, name="talk.mp4", path=str(tmp_path), size=1, modified=1, duration=60.0)
    job = Job(record)
    job.state = "indexing"
    job.expected = {"visual_pass": 30.0, "sounds": 10.0, "speech": 50.0, "scene_text": 60.0}
    job.unavailable = dict.fromkeys(
        ("speakers", "frame_vectors", "detections", "faces", "captions", "outline"), "No engine."
    )
    job.watcher.reports.append(LayerReport("probe", "pyav"))
    return job


def test_the_time_left_is_that_of_what_runs_and_what_waits(job: Job) -> None:
    job.watcher.progress(StepProgress("visual_pass", 0.5, 12.0))
    now = job.progress()
    assert now.seconds_left == 12.0 + 10.0 + 50.0 + 60.0
    layers = {layer.name: layer for layer in now.layers}
    assert (layers["shots"].state, layers["shots"].share, layers["shots"].seconds_left) == ("running", 0.5, 12.0)
    assert (layers["speech"].state, layers["speech"].seconds_left) == ("waiting", 50.0)
    assert (layers["captions"].state, layers["captions"].reason) == ("missing", "No engine.")
    assert (layers["subtitles"].state, layers["subtitles"].reason) == ("missing", None), "it is past, and built nothing"


def test_the_share_weighs_what_takes_long(job: Job) -> None:
    job.watcher.progress(StepProgress("visual_pass", 0.5, 12.0))
    # The probe, the text vectors and the levels, which nobody measured, count a second each.
    whole = 1 + 30 + 10 + 50 + 60 + 4
    assert job.progress().share == round((1 + 15) / whole, 3)


@pytest.mark.parametrize("unknown", ["speech", "scene_text"])
def test_a_time_that_nobody_knows_is_not_guessed(job: Job, unknown: str) -> None:
    job.expected = {step: seconds for step, seconds in job.expected.items() if step != unknown}
    job.watcher.progress(StepProgress("visual_pass", 0.5, 12.0))
    assert job.progress().seconds_left is None


def test_the_share_never_goes_back(workspace: Workspace, tmp_path: Path, tone: Path) -> None:
    shutil.copy(tone, tmp_path / "tone.wav")
    with web_server(workspace, folders=[tmp_path]) as server, server.client() as client:
        video = client.post("/api/videos", json={"path": str(tmp_path / "tone.wav")}).json()["id"]
        shares = [event["share"] for event in reported(client, video)]
    assert shares == sorted(shares)
