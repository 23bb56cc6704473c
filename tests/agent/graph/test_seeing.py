"""A controller that sees is shown the frames themselves, and a judge the pictures behind what is claimed of them."""

from __future__ import annotations

import json
from typing import Any

from helpers.asking import ask_endpoint
from helpers.servers.openai_server import Reply, agrees, says

from longtake.agent.traces.replay import replay
from longtake.agent.traces.trace import RecordedTrace
from longtake.preprocess.pipeline.workspace import Workspace

LOOK = (
    "watch_segment",
    {"timestamp": "00:00:00-00:00:06", "question": "What does the slide look like?", "pictures": 3},
)


def pictures_in(message: dict[str, Any]) -> list[str]:
    content = message["content"]
    return (
        [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        if isinstance(content, list)
        else []
    )


def test_frames_follow_the_result_of_a_look_and_go_to_the_judge_with_what_cites_them(
    small_workspace: Workspace,
) -> None:
    judged: list[dict[str, Any]] = []

    def judge(request: dict[str, Any]) -> Reply:
        judged.append(request)
        return agrees(request)

    def cited(request: dict[str, Any]) -> str:
        labels = [part["text"] for part in request["messages"][-1]["content"] if part["type"] == "text"]
        return str(labels[1]).partition(",")[0]

    asked = ask_endpoint(
        small_workspace,
        [says(None, LOOK), says("NOT FOUND: nothing.")],
        "controller.sees=true",
        question="What colour is the slide?",
    )
    first, second = asked.endpoint.requests
    assert "watch_segment" in [tool["function"]["name"] for tool in first["tools"]]
    result, shown = second["messages"][-2:]
    assert result["role"] == "tool"
    assert shown["role"] == "user"
    frames = pictures_in(shown)
    assert len(frames) == 3
    assert all(url.startswith("data:image/jpeg;base64,/9j/") for url in frames)
    name = cited(second)
    assert "Pictures " in result["content"]

    answer = f"The slide is bright, and black letters stand on it [{name}]."
    asked = ask_endpoint(
        small_workspace,
        [says(None, LOOK), says(answer)],
        "controller.sees=true",
        question="What colour is the slide?",
        judge=judge,
    )
    assert asked.answer.status == "answered"
    assert asked.answer.claims[0].citations[0].modality == "visual"
    (request,) = judged
    assert len(pictures_in(request["messages"][-1])) == 1

    # Traces hold references, and a replay needs no file.
    assert all("base64" not in json.dumps(event) for event in asked.events)
    trace = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    sent = [trace.blob(event["input"]) for event in asked.of("model")]
    assert "frame:" in json.dumps(sent)
    assert "base64" not in json.dumps(sent)
    assert replay(trace).same


def test_a_controller_that_does_not_see_is_shown_no_pictures(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says("NOT FOUND: nothing.")])
    (request,) = asked.endpoint.requests
    assert "watch_segment" not in [tool["function"]["name"] for tool in request["tools"]]
