"""Settings over HTTP: what is switched off, whether the model that answers is there, and what the library uses."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.media.small_video import write_small_video
from helpers.servers.openai_server import openai_server, says
from helpers.servers.server_events import answer, begin
from helpers.servers.web_server import WebServer, web_server

from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.errors import LibraryError
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.switches import SwitchBoard

ALL_ON = {"engines_off": [], "tools_off": [], "language": None, "track": None}
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[WebServer]:
    """The server of a library of one video that a test may change."""
    workspace = Workspace(tmp_path / "library", load())
    workspace.add(write_small_video(tmp_path / "talk.mp4"))
    with web_server(workspace) as server:
        yield server


def _switch(client: httpx.Client, **switches: Any) -> httpx.Response:
    return client.put("/api/settings", json={**ALL_ON, **switches})


def _on(shown: dict[str, Any], what: str, name: str) -> bool:
    (found,) = [each["on"] for each in shown[what] if name in (each.get("capability"), each.get("name"))]
    return bool(found)


def test_what_is_switched_off_stays_off_and_comes_back(own: WebServer, tmp_path: Path) -> None:
    with own.client() as client:
        before = client.get("/api/settings").json()
        assert before["switches"] == ALL_ON
        assert all(each["on"] for what in ("engines", "tools") for each in before[what])
        chosen = {"engines_off": ["scene_text"], "tools_off": ["calculator"], "track": "Mic"}
        shown = _switch(client, **chosen, language="German").json()
        assert shown["switches"] == {**chosen, "language": "de"}
        assert not _on(shown, "engines", "scene_text")
        assert not _on(shown, "tools", "calculator")
        again = Workspace(tmp_path / "library", load())
        SwitchBoard(again)
        assert (again.settings.tools.off, again.settings.speech.language) == (("calculator",), "de")
        assert again.settings.speech.track == "Mic"
        assert again.engines.report("scene_text").engine is None
        assert _switch(client).json() == before
        assert own.service.workspace.settings == load()


def test_a_question_is_offered_no_tool_that_is_off(own: WebServer) -> None:
    (video,) = own.service.library.videos()
    with own.client() as client:
        _switch(client, tools_off=["transcribe_speech"])
        reported = answer(client, begin(client, video.id), "What does the speaker say from 0:04 to 0:06?")["answer"]
    trace = RecordedTrace(own.service.library.trace_root, reported["trace"])
    assert "transcribe_speech" not in {event.get("data", {}).get("tool") for event in trace.events()}
    run = trace.blob(trace.event(0, "run")["output"])
    assert run["tools"]["off"] == ["transcribe_speech"]


def test_indexing_leaves_out_an_engine_that_is_off(tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "talk.mp4")
    workspace = Workspace(tmp_path / "library", load())
    with web_server(workspace, folders=[tmp_path]) as server, server.client() as client:
        _switch(client, engines_off=["scene_text"])
        video = client.post("/api/videos", json={"path": str(clip)}).json()["id"]
        with client.stream("GET", f"/api/videos/{video}/progress") as progress:
            list(progress.iter_lines())
        shown = client.get(f"/api/videos/{video}").json()
        assert "scene_text" not in {layer["name"] for layer in shown["layers"]}
        assert "switched off" in shown["problems"]["scene_text"]


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        ({"engines_off": ["faces"]}, "faces"),
        ({"engines_off": ["text_embedding"]}, "text_embedding"),
        ({"tools_off": ["fly"]}, "fly"),
        ({"language": "Klingon"}, "Klingon"),
    ],
)
def test_what_there_is_not_is_refused(client: httpx.Client, switches: dict[str, Any], words: str) -> None:
    refused = _switch(client, **switches)
    assert (refused.status_code, words in refused.json()["error"]["message"]) == (400, True)
    assert client.get("/api/settings").json()["switches"] == ALL_ON


def test_what_the_server_was_started_without_cannot_be_switched_on(tmp_path: Path) -> None:
    settings = load(overrides=("tools.off=[web_search]", "engines.captions=[]"))
    with web_server(Workspace(tmp_path, settings)) as server, server.client() as client:
        shown = client.get("/api/settings").json()
        assert "web_search" not in {each["name"] for each in shown["tools"]}
        assert "captions" not in {each["capability"] for each in shown["engines"]}
        _switch(client, tools_off=["calculator"])
        _switch(client)
        assert server.service.workspace.settings == settings


def test_damaged_switches_are_reported_and_stay_as_they_are(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, load())
    (tmp_path / "switches.json").write_text("{")
    with pytest.raises(LibraryError, match=r"switches\.json is damaged: delete it"):
        SwitchBoard(workspace)


def test_a_dead_server_of_models_is_seen_before_a_question(small_workspace: Workspace) -> None:
    workspace = copy.copy(small_workspace)
    for url, dead in ((NOWHERE, True), (None, False)):
        with openai_server([says("Yes.")]) as endpoint:
            endpoint.models = ("large", "small")
            workspace.settings = load(
                overrides=(
                    "controller.engine=openai",
                    f"controller.base_url={url or endpoint.url}",
                    "controller.model=large",
                )
            )
            with web_server(workspace) as server, server.client() as client:
                for model, gone in ((None, False), ("openai/small", False), ("openai/none", True)):
                    state = client.get("/api/models/state", params={"model": model} if model else {}).json()
                    assert (state["name"], state["problem"] is not None) == (model or "openai/large", dead or gone)
                assert client.get("/api/models/state", params={"model": "extractive"}).json()["problem"] is None


def test_a_server_of_models_is_asked_once_for_many_looks(small_workspace: Workspace) -> None:
    workspace = copy.copy(small_workspace)
    with openai_server([says("Yes.")]) as endpoint:
        workspace.settings = load(
            overrides=("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=large")
        )
        with web_server(workspace) as server, server.client() as client:
            for _ in range(5):
                client.get("/api/models/state")
        assert endpoint.listed == 1


def test_the_disk_that_is_used_adds_up(own: WebServer, tmp_path: Path) -> None:
    clip = write_small_video(tmp_path / "other.mp4")
    content = clip.read_bytes() + b"\0"
    with own.client() as client:
        upload = client.post("/api/uploads", json={"name": "up.mp4", "size": len(content)}).json()["id"]
        client.patch(f"/api/uploads/{upload}", content=content, headers={"Upload-Offset": "0"})
        used = client.get("/api/storage").json()
    files = {each["name"]: each["file"] for each in used["videos"]}
    assert files == {"talk.mp4": 0, "up.mp4": len(content)}
    assert all(each["index"] > 0 for each in used["videos"])
    parts = sum(used[name] for name in ("search", "chats", "traces", "unfinished"))
    assert used["total"] == parts + sum(each["index"] + each["file"] for each in used["videos"])
    assert used["free"] > 0
