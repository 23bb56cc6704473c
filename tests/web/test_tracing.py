"""Traces over a real server."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from helpers.servers.web_server import web_server

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import Trace
from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace


def test_a_trace_is_read_line_by_line(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    trace = Trace(workspace.library.trace_root)
    for _ in range(3):
        trace.event("guard", started=time.time())
    with web_server(workspace) as server, server.client() as client:
        lines = client.get(f"/api/traces/{trace.run}.jsonl").text.splitlines()
    assert [json.loads(line)["step"] for line in lines] == [0, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("run", ["20260101-000000-01234567", "..%2Fmemory", "%2e%2e", "x", "20260101-000000-0123456"])
def test_only_a_run_s_own_id_reaches_it(tmp_path: Path, run: str) -> None:
    workspace = Workspace(tmp_path / "library", load())
    workspace.library.trace_root.mkdir()
    (workspace.library.trace_root / "x.jsonl").write_text("{}")
    with web_server(workspace) as server, server.client() as client:
        for address in (f"/api/traces/{run}.jsonl", f"/api/traces/{run}"):
            answer = client.get(address)
            assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found")


def test_a_trace_is_a_page_that_plays_the_video_from_the_server(small_workspace: Workspace) -> None:
    made = Agent(small_workspace).ask(["talk.mp4"], "What does the blue kettle cost?")
    with web_server(small_workspace) as server, server.client() as client:
        answer = client.get(f"/api/traces/{made.trace}")
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "<h1>What does the blue kettle cost?</h1>" in answer.text
        (file,) = re.findall(r'"file": "(.*?)"', answer.text)
        assert client.get(file, headers={"Range": "bytes=0-9"}).status_code == 206


def test_the_page_of_a_run_that_goes_on_shows_what_it_did_so_far(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    trace = Trace(workspace.library.trace_root)
    trace.event("run", started=time.time(), given={"question": "How long?", "videos": []})
    with web_server(workspace) as server, server.client() as client:
        page = client.get(f"/api/traces/{trace.run}").text
    assert "<h1>How long?</h1>" in page
    assert "Unfinished" in page
