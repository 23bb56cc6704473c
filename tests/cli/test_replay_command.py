"""`longtake trace replay`, `fork` and `export` as a person meets them, and that no secret gets into what they write."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.asking import Asked, ask_endpoint
from helpers.servers.openai_server import openai_server, says
from helpers.servers.otlp_receiver import otlp_receiver
from typer.testing import CliRunner, Result

from longtake.agent.traces.otlp import json_line
from longtake.agent.traces.replay import replay
from longtake.agent.traces.spans import spans_of
from longtake.agent.traces.trace import RecordedTrace
from longtake.cli.main import app
from longtake.errors import ConfigError, EngineError, LibraryError
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": [3, 7]})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
KEY = "sk-never-written-anywhere-0123456789"


@pytest.fixture(scope="module")
def asked(small_workspace: Workspace) -> Asked:
    return ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])


def trace(workspace: Workspace, *arguments: str, globally: tuple[str, ...] = ()) -> Result:
    return CliRunner().invoke(app, ["--library", str(workspace.library.root), *globally, "trace", *arguments])


def test_a_replay_says_how_it_ends(small_workspace: Workspace, asked: Asked) -> None:
    run = asked.answer.trace or ""
    done = trace(small_workspace, "replay", run)
    assert (done.exit_code, done.stdout) == (0, f"{run} ends as recorded, in {len(asked.events)} steps.\n")
    reported = json.loads(trace(small_workspace, "replay", run, "--json").stdout)
    assert reported == {"run": run, "steps": len(asked.events), "same": True, "difference": None}


def test_a_replay_that_ends_otherwise_says_where_and_exits_1(
    small_workspace: Workspace, asked: Asked, tmp_path: Path
) -> None:
    run = asked.answer.trace or ""
    shutil.copytree(small_workspace.library.trace_root / "blobs", tmp_path / "traces" / "blobs")
    lines = [json.dumps(event | {"data": {}} if event["type"] == "guard" else event) for event in asked.events]
    changed = [
        line.replace('"timestamp": [3, 7]', '"timestamp": [3, 6]') if '"tool"' in line else line for line in lines
    ]
    (tmp_path / "traces" / f"{run}.jsonl").write_text("".join(f"{line}\n" for line in changed), encoding="utf-8")
    done = CliRunner().invoke(app, ["--library", str(tmp_path), "trace", "replay", "last"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "ends in another answer" in done.stderr
    assert "step 3 (model) differs in data.calls.0.arguments.timestamp.1: 6 in the recording, 7 now." in done.stderr


def test_a_fork_is_shown_as_an_answer_is(small_workspace: Workspace, asked: Asked) -> None:
    run = asked.answer.trace or ""
    with openai_server([says("Welcome to the workshop [00:00:00].")]) as endpoint:
        settings = ("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=scripted")
        globally = tuple(part for setting in settings for part in ("--set", setting))
        arguments = ("fork", run, "--at", "4", "--set", "timestamp=[0, 2]", "--json")
        done = trace(small_workspace, *arguments, globally=globally)
    assert done.exit_code == 0
    answer = Answer.model_validate(json.loads(done.stdout))
    assert "Welcome" in answer.answer
    origin = next(RecordedTrace(small_workspace.library.trace_root, answer.trace or "").events())["data"]["forked_from"]
    assert origin == {"run": run, "step": 4, "set": {"timestamp": [0, 2]}}


def test_values_are_json_or_text_and_what_is_neither_is_wrong_usage(small_workspace: Workspace, asked: Asked) -> None:
    run = asked.answer.trace or ""
    done = trace(small_workspace, "fork", run, "--at", "4", "--set", "timestamp=00:00:00-00:00:02")
    assert "the controller openai scripted and continues with extractive" in done.stderr
    root = small_workspace.library.trace_root
    events = [event for path in root.glob("*.jsonl") for event in RecordedTrace(root, path.stem).events()]
    assert {"timestamp": "00:00:00-00:00:02"} in [event["data"].get("arguments") for event in events]
    assert trace(small_workspace, "fork", run, "--at", "4", "--set", "timestamp").exit_code == 2
    refused = trace(small_workspace, "fork", run, "--at", "1", "--set", "timestamp=1")
    assert isinstance(refused.exception, LibraryError)


def test_an_export_goes_to_a_file_to_a_receiver_and_else_to_the_output(
    small_workspace: Workspace, asked: Asked, tmp_path: Path
) -> None:
    run, file = asked.answer.trace or "", tmp_path / "spans.jsonl"
    line = trace(small_workspace, "export", run).stdout
    with otlp_receiver() as receiver:
        done = trace(small_workspace, "export", run, "--otlp", receiver.url, "--file", str(file))
        again = trace(small_workspace, "export", run, "--file", str(file))
    assert (done.exit_code, again.exit_code, done.stdout) == (0, 0, "")
    assert file.read_text(encoding="utf-8") == line * 2
    assert len(receiver.spans) == len(json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"])


@pytest.mark.slow
def test_an_address_that_may_not_be_reached_is_refused(small_workspace: Workspace, asked: Asked) -> None:
    run = asked.answer.trace or ""
    for url, sentence in (
        ("ftp://127.0.0.1", "isn't a URL"),
        ("http://me:hunter2@127.0.0.1", "OTEL_EXPORTER_OTLP_HEADERS"),
    ):
        refused = trace(small_workspace, "export", run, "--otlp", url)
        assert isinstance(refused.exception, ConfigError)
        assert sentence in str(refused.exception)
        assert "hunter2" not in str(refused.exception)
    # What is forbidden with --offline is so for the rest of a process.
    command = [sys.executable, "-m", "longtake", "--library", str(small_workspace.library.root), "--offline"]
    arguments = ["trace", "export", run, "--otlp", "http://collector.example:4318"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "--offline forbids the endpoint http://collector.example:4318" in done.stderr


def test_no_secret_is_in_a_blob_a_replay_a_fork_or_an_export(
    small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"authorization={KEY}")
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    assert asked.endpoint.keys == [f"Bearer {KEY}"] * 2
    recorded = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    assert replay(recorded).same
    with openai_server([says(PRICE)]) as endpoint:
        settings = ("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=scripted")
        globally = tuple(part for setting in settings for part in ("--set", setting))
        forked = trace(small_workspace, "fork", recorded.run, "--at", "4", "--set", "timestamp=4", globally=globally)
    assert endpoint.keys == [f"Bearer {KEY}"]
    with otlp_receiver() as receiver:
        sent = trace(small_workspace, "export", recorded.run, "--otlp", receiver.url)
    assert receiver.headers[0]["authorization"] == KEY
    assert KEY not in forked.output + sent.output + json_line(spans_of(recorded)) + str(receiver.spans)
    with otlp_receiver(status=401) as receiver:
        refused = trace(small_workspace, "export", recorded.run, "--otlp", receiver.url)
    assert isinstance(refused.exception, EngineError)
    assert KEY not in refused.output + str(refused.exception)
    files = [path for path in small_workspace.library.trace_root.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
