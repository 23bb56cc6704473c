"""The models in use, and a question answered by another one, over HTTP."""

from __future__ import annotations

import copy

import httpx
from helpers.servers.openai_server import openai_server, says
from helpers.servers.server_events import begin, events
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"
ANSWER = "The blue kettle costs 249 dollars [00:00:07]."


def ask_model(client: httpx.Client, video: str, model: str | None) -> httpx.Response:
    thread = begin(client, video)
    return client.post(f"/api/threads/{thread}/questions", json={"question": COST, "model": model})


def test_without_a_model_there_is_one_choice(client: httpx.Client) -> None:
    found = client.get("/api/models").json()
    assert found["controllers"] == [{"name": "extractive", "default": True, "problem": None}]
    engines = {each["capability"]: each["engine"] for each in found["engines"]}
    assert engines["scene_text"] == "rapidocr"
    assert engines["captions"] is None
    missing = {each["capability"]: each["missing"] for each in found["engines"]}
    assert (missing["scene_text"], "longtake setup" in missing["captions"]) == (None, True)


def test_every_model_of_the_server_can_be_chosen(small_workspace: Workspace, video: str) -> None:
    workspace = copy.copy(small_workspace)
    with openai_server([says(ANSWER)]) as endpoint:
        endpoint.models = ("large", "small")
        workspace.settings = load(
            overrides=("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=large")
        )
        with web_server(workspace) as server, server.client() as client:
            listed = client.get("/api/models").json()["controllers"]
            assert [(each["name"], each["default"]) for each in listed] == [
                ("openai/large", True),
                ("openai/small", False),
                ("extractive", False),
            ]
            for model, asked in ((None, "large"), ("openai/small", "small")):
                endpoint.requests.clear()
                *_, last = events(client, ask_model(client, video, model).json()["run"])
                assert "249 dollars" in last.data["answer"]["answer"]
                assert {request["model"] for request in endpoint.requests} == {asked}
            endpoint.requests.clear()
            *_, last = events(client, ask_model(client, video, "extractive").json()["run"])
            assert "249 dollars" in last.data["answer"]["answer"]
            assert not endpoint.requests
            assert ask_model(client, video, "openai/none").status_code == 404


def test_a_server_that_is_down_is_named_before_a_question(small_workspace: Workspace, video: str) -> None:
    workspace = copy.copy(small_workspace)
    workspace.settings = load(
        overrides=("controller.engine=openai", "controller.base_url=http://127.0.0.1:9/v1", "controller.model=large")
    )
    with web_server(workspace) as server, server.client() as client:
        own, without = client.get("/api/models").json()["controllers"]
        assert "127.0.0.1:9" in own["problem"]
        assert without["problem"] is None
        *_, last = events(client, ask_model(client, video, "extractive").json()["run"])
        assert last.kind == "answer"
