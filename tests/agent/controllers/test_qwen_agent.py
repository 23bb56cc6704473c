"""Qwen-Agent's function calling around a scripted endpoint: its template goes out, its calls come back."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import refuses, says

from longtake.preprocess.pipeline.workspace import Workspace

pytestmark = pytest.mark.skipif(
    not find_spec("qwen_agent"), reason="needs the extra `qwen`: pip install 'longtake[qwen]'"
)

QWEN = "controller.engine=qwen_agent"
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
CALL = '{"name": "transcribe_speech", "arguments": {"timestamp": [3, 7]}}'
TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"


def test_tools_calls_and_results_go_out_in_the_packages_own_words(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(f"I listen.\n{TAGGED}"), says(PRICE)], QWEN)
    assert asked.answer.status == "answered"
    first, second = asked.endpoint.requests
    assert "tools" not in first
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    system, _, spoken, heard = (message["content"] for message in second["messages"])
    assert "<tools>" in system
    assert '"name": "transcribe_speech"' in system
    assert json.loads(spoken.partition("<tool_call>")[2].partition("</tool_call>")[0]) == json.loads(CALL)
    assert heard.startswith("<tool_response>")
    assert "(above)" in heard


LOOK_UP = """
import socket
before = socket.getaddrinfo
from longtake.agent.controllers.factory import make_controllers
from longtake.agent.query.reader import LearnedReader
from longtake.config import load
from longtake.preprocess.engines import EngineTable
settings = load(overrides=SETTINGS)
make_controllers(settings, LearnedReader(EngineTable(settings)))
assert "qwen_agent.tools.image_search" in __import__("sys").modules
assert socket.getaddrinfo is before
"""


@pytest.mark.nightly
def test_ipv6_addresses_are_looked_up_as_before() -> None:
    """In a process of its own, because the package takes them away only when it is first imported."""
    settings = [QWEN, "controller.base_url=http://127.0.0.1:9/v1", "controller.model=qwen"]
    done = subprocess.run(
        [sys.executable, "-c", LOOK_UP.replace("SETTINGS", repr(settings))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_call_that_the_package_reads_needs_no_repair(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(f"<think>Listen.</think>{TAGGED}\n{TAGGED}"), says(PRICE)], QWEN)
    assert [event["data"]["failure"] for event in asked.of("tool")] == [None, None]
    assert asked.of("model")[0]["data"]["repairs"] == []


@pytest.mark.parametrize(
    "text",
    [
        TAGGED.replace("</tool_call>", ""),
        TAGGED.replace("]}}", "]"),
        TAGGED.replace('"', "'"),
        TAGGED.replace("arguments", "parameters"),
        f"```json\n{CALL}\n```",
    ],
    ids=["no end", "no brace", "single quotes", "parameters", "fence"],
)
def test_a_call_that_the_package_would_lose_is_repaired(small_workspace: Workspace, text: str) -> None:
    asked = ask_endpoint(small_workspace, [says(text), says(PRICE)], QWEN)
    (call,) = asked.of("tool")
    assert (call["data"]["arguments"], call["data"]["failure"]) == ({"timestamp": [3, 7]}, None)


def test_a_call_that_is_quoted_is_not_made(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(TAGGED), says(f"{PRICE} It shows {TAGGED} for a second.")], QWEN)
    assert len(asked.of("tool")) == 1


def test_a_failure_is_named_where_what_was_found_answers(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [refuses(401, "no such key")], QWEN)
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert f"The controller at {asked.endpoint.url} failed" in (asked.answer.controller_error or "")
