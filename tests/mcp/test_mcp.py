"""The tools and `ask` over MCP, driven by the official client."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from helpers.asking import endpoint_asker
from helpers.media.small_video import write_small_video
from helpers.servers.mcp_clients import mcp_server, used
from helpers.servers.openai_server import Reply, openai_server, says
from helpers.unsure import KETTLE, TEXT, always_unsure, unsure
from httpx import Response
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.mcp.mcp_tools import AskArguments, Offer
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget
from longtake.web.http.access import Access

CORE = [SPECS[function] for function in ALL_TOOLS if SPECS[function].group == "core"]
ASK: dict[str, Any] = {"question": "What does the blue kettle cost?", "videos": ["talk.mp4"]}


@pytest.fixture(scope="module")
def url(small_workspace: Workspace) -> Iterator[str]:
    with mcp_server(small_workspace) as address:
        yield address


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sixteen_tools_and_ask_are_listed_with_the_registrys_schemas(url: str, mode: str) -> None:
    async def listed(client: Client) -> Any:
        return (await client.list_tools()).tools

    *tools, ask = used(url, listed, mode)
    assert len(tools) == 16
    assert [(tool.name, tool.description) for tool in tools] == [(spec.name, spec.description) for spec in CORE]
    assert [tool.input_schema for tool in tools] == [spec.schema() for spec in CORE]
    assert ask.name == "ask"
    assert set(ask.input_schema["properties"]) == set(AskArguments.model_fields)
    videos, thread = (ask.input_schema["properties"][name] for name in ("videos", "thread"))
    assert (videos["items"]["enum"], videos["default"], videos["maxItems"]) == (["talk.mp4"], [], 20)
    assert "20" in videos["description"]  # at most so many are asked by default too
    assert {"type": "string", "minLength": 1, "maxLength": 200} in thread["anyOf"]
    assert ask.input_schema["properties"]["options"]["items"] == {"type": "string", "minLength": 1, "maxLength": 1_000}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_result_has_text_and_structure_with_the_spans_of_its_evidence(url: str, mode: str) -> None:
    async def listen(client: Client) -> Any:
        return await client.call_tool("transcribe_speech", {"timestamp": [3, 7]})

    called = used(url, listen, mode)
    assert not called.is_error
    assert "249 dollars" in called.content[0].text
    result = ToolResult.model_validate(called.structured_content)
    assert [(item.span.start, item.span.end) for item in result.evidence] == [(4.0, 6.0)]
    assert result.output["transcript"] == "The blue kettle costs 249 dollars."


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("transcribe_speech", {"timestamp": 4, "lang": "en"}, "There is no argument 'lang'. Did you mean 'language'?"),
        ("transcribe_speech", {}, "transcribe_speech: The argument 'timestamp' is missing."),
        ("transcribe_speech", {"timestamp": "01:00:00"}, "timestamp: "),
        ("transcribe", {"timestamp": 4}, "There is no tool 'transcribe'. Did you mean 'transcribe_speech'?"),
        ("watch_segment", {}, "There is no tool 'watch_segment'."),
        ("qqq", {}, ", ask."),
        ("asks", {}, "There is no tool 'asks'. Did you mean 'ask'?"),
        ("ask", {"videos": ["talk.mp4"]}, "ask: The argument 'question' is missing."),
        ("ask", {"question": " ", "videos": ["talk.mp4"]}, "The question is empty"),
        ("ask", {**ASK, "options": ["249"]}, "A multiple-choice question takes 2 to 10 options, got 1."),
        ("ask", {**ASK, "videos": ["walk.mp4"]}, "'walk.mp4' is not in the library: it holds talk.mp4."),
    ],
)
def test_what_is_wrong_is_an_error_of_the_tool(url: str, name: str, arguments: dict[str, Any], sentence: str) -> None:
    async def call(client: Client) -> Any:
        return await client.call_tool(name, arguments)

    called = used(url, call)
    assert called.is_error
    assert sentence in called.content[0].text
    assert "\n" not in called.content[0].text


@pytest.mark.parametrize("videos", [ASK["videos"], []])
def test_ask_answers_with_its_proof_and_tells_of_its_progress(
    url: str, small_workspace: Workspace, videos: list[str]
) -> None:
    reported: list[str | None] = []

    async def notify(progress: float, total: float | None, message: str | None) -> None:
        reported.append(message)

    async def ask(client: Client) -> Any:
        return await client.call_tool("ask", {**ASK, "videos": videos}, progress_callback=notify)

    called = used(url, ask)
    answer = Answer.model_validate(called.structured_content)
    assert (called.is_error, answer.status) == (False, "answered")
    assert called.content[0].text.startswith(answer.answer)
    assert "[talk.mp4 00:00:04-00:00:06] The blue kettle costs 249 dollars." in called.content[0].text
    events = RecordedTrace(small_workspace.library.trace_root, answer.trace or "").events()
    steps = [" ".join(filter(None, (event["type"], event["data"].get("tool")))) for event in events]
    assert set(reported) == set(steps)


def test_ask_says_when_it_is_unsure_and_what_comes_closest(
    url: str, small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    always_unsure(monkeypatch)

    async def ask(client: Client) -> Any:
        return await client.call_tool("ask", ASK)

    called = used(url, ask)
    video = small_workspace.library.resolve("talk.mp4").id
    answer = Answer.model_validate(called.structured_content)
    assert not called.is_error
    assert answer == unsure(video, answer.trace, ASK["question"])
    assert called.content[0].text.splitlines() == [
        TEXT,
        "- not shown: The pot costs 249 dollars. (No pot is named)",
        f"[talk.mp4 00:00:04-00:00:06] {KETTLE}",
        "[talk.mp4 00:00:01-00:00:03] Room 4417",
    ]


def test_no_file_is_opened_that_a_client_names(url: str, small_workspace: Workspace, tmp_path: Path) -> None:
    path = write_small_video(tmp_path / "secret.mp4")

    async def ask(client: Client) -> Any:
        return await client.call_tool("ask", {**ASK, "videos": [str(path)]})

    called = used(url, ask)
    assert called.is_error
    assert "is not in the library" in called.content[0].text
    assert [video.name for video in small_workspace.library.videos()] == ["talk.mp4"]


@pytest.mark.slow
def test_with_several_videos_a_call_names_the_one_it_is_about(tmp_path: Path, tone: Path) -> None:
    workspace = Workspace(tmp_path, load())
    workspace.add(tone)
    workspace.add(write_small_video(tmp_path / "talk.mp4"))

    async def use(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        calls = [{"timestamp": [3, 7], "video": "talk.mp4"}, {"timestamp": [3, 7]}, {"timestamp": 1, "video": "x"}]
        return tools, [await client.call_tool("transcribe_speech", arguments) for arguments in calls]

    with mcp_server(workspace) as url:
        tools, (named, unnamed, unknown) = used(url, use)
    assert tools[0].input_schema == CORE[0].schema(("talk.mp4", "tone.wav"))
    assert "249 dollars" in named.content[0].text
    assert "Several videos are open: name one." in unnamed.content[0].text
    assert "video: 'x' is not open." in unknown.content[0].text


def test_the_work_ends_when_the_client_no_longer_waits(own_workspace: Workspace) -> None:
    slow = Reply(says("Late.").body, delay=20)

    with openai_server([slow]) as endpoint:

        async def give_up(client: Client) -> None:
            async with anyio.create_task_group() as waiting:
                waiting.start_soon(client.call_tool, "ask", ASK)
                while not endpoint.requests:
                    await anyio.sleep(0.01)
                waiting.cancel_scope.cancel()

        agent = endpoint_asker(own_workspace, endpoint.url)
        with mcp_server(own_workspace, agent=agent) as url:
            used(url, give_up)
            (file,) = own_workspace.library.trace_root.glob("*.jsonl")
            trace = RecordedTrace(file.parent, file.stem)
            for _ in range(500):
                if [event for event in trace.events() if event["type"] == "answer"]:
                    break
                time.sleep(0.01)
    assert [event["data"]["guard"] for event in trace.events() if event["type"] == "guard"] == ["it was stopped"]


def posted(url: str, **headers: str) -> Response:
    """What a request without a client comes to."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return httpx.post(url, json=asked, headers={"Accept": "application/json, text/event-stream", **headers})


def test_a_foreign_host_or_origin_is_refused(url: str) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        refused = posted(url, **headers)
        assert refused.status_code == 403
        assert refused.json()["error"]["type"] == "forbidden"
    assert posted(url).status_code != 403


def test_where_there_is_a_token_nobody_gets_in_without_it(small_workspace: Workspace) -> None:
    async def listed(client: Client) -> int:
        return len((await client.list_tools()).tools)

    with mcp_server(small_workspace, token="open-sesame-42-times") as url:
        assert posted(url).status_code == 401
        assert posted(url, Authorization="Bearer sesame").status_code == 401

        async def connected() -> int:
            async with (
                httpx2.AsyncClient(headers={"Authorization": "Bearer open-sesame-42-times"}) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                return await listed(client)

        assert anyio.run(connected) == 17
    assert Access.at("0.0.0.0", "open-sesame-42-times").token == "open-sesame-42-times"


@pytest.mark.nightly
def test_over_standard_input_and_output_nothing_else_is_written(small_workspace: Workspace) -> None:
    arguments = ["-m", "longtake", "--library", str(small_workspace.library.root), "mcp"]

    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools, await client.call_tool("ask", ASK)

    tools, called = used(StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ)), use)
    assert [tool.name for tool in tools] == [*(spec.name for spec in CORE), "ask"]
    assert "249 dollars" in called.content[0].text


ADD = {"func": "add", "data": "The kettle is blue."}
KEPT = {"func": "search", "data": ""}


def noted(called: Any) -> list[str]:
    """What was found of the notes."""
    return [note["text"] for note in called.structured_content["output"]["output"]]


def test_each_session_over_http_has_its_own_notes(small_workspace: Workspace) -> None:
    async def use() -> tuple[list[str], list[str]]:
        async with Client(url, mode="legacy") as one, Client(url, mode="legacy") as other:
            await one.call_tool("memory_tool", ADD)
            return noted(await one.call_tool("memory_tool", KEPT)), noted(await other.call_tool("memory_tool", KEPT))

    with mcp_server(small_workspace) as url:
        assert anyio.run(use) == (["The kettle is blue."], [])


def test_without_sessions_notes_are_those_of_the_server(small_workspace: Workspace) -> None:
    async def add(client: Client) -> None:
        await client.call_tool("memory_tool", ADD)

    async def kept(client: Client) -> list[str]:
        return noted(await client.call_tool("memory_tool", KEPT))

    with mcp_server(small_workspace) as url:
        used(url, add)
        assert used(url, kept) == ["The kettle is blue."]
    with mcp_server(small_workspace) as url:
        assert used(url, kept) == []


@pytest.mark.parametrize("wrong", [{"thread": ""}, {"thread": "x" * 201}, {"videos": ["talk.mp4"] * 21}])
def test_a_question_has_bounds(small_workspace: Workspace, tmp_path: Path, wrong: dict[str, Any]) -> None:
    arguments = {"question": "x", "videos": ["talk.mp4"], **wrong}
    offer = Offer(small_workspace, Agent(small_workspace), tmp_path)
    reported = offer.call("ask", arguments, Budget(20), lambda event: None)
    assert reported.is_error
    assert next(iter(wrong)) in reported.content[0].text  # type: ignore[union-attr] # it is text
