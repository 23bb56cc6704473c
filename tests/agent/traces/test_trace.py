"""What a run leaves behind: events of one schema, whole inputs and outputs, and never a key."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.asking import VIDEO, ask_endpoint, endpoint_asker
from helpers.servers.openai_server import doubts, openai_server, refuses, says
from helpers.servers.searxng_server import finds, searxng_server

from longtake.agent.prompts.render import prompts_hash
from longtake.agent.traces.replay import replay
from longtake.agent.traces.trace import SCHEMA, RecordedTrace, Trace
from longtake.config import load
from longtake.errors import LibraryError
from longtake.preprocess.pipeline.workspace import Workspace

KEYS = {
    "v", "run", "step", "parent", "type", "started", "seconds", "data", "input", "output", "spans", "evidence", "usage"
}  # fmt: skip
LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
WEB = ("web_search", {"query": "kettle"})
SEARCH = ("cross_modal_search", {"query": "which room", "modalities": []})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."


def test_every_event_is_of_the_schema_and_says_what_led_to_it(small_workspace: Workspace) -> None:
    script = [says("I look.", LISTEN, SEARCH), says(None, LISTEN), says(f"{PRICE} Napoleon bought it."), says(PRICE)]
    asked = ask_endpoint(small_workspace, script, judge=doubts("Napoleon"))
    assert all(set(event) == KEYS and event["v"] == SCHEMA for event in asked.events)
    assert [event["step"] for event in asked.events] == list(range(len(asked.events)))
    assert {event["run"] for event in asked.events} == {asked.answer.trace}
    kinds = [event["type"] for event in asked.events]
    assert kinds == [
        "run",
        "orient",
        "brief",
        "model",
        "tool",
        "tool",
        "model",
        "tool",
        "model",
        "model",
        "judge",
        "model",
        "model",
        "judge",
        "answer",
    ]
    assert [event["parent"] for event in asked.events[3:14]] == [None, 3, 3, 3, 6, 6, 8, 8, 8, 11, 11]
    assert [event["usage"] for event in asked.of("model")] == [{"input_tokens": 100, "output_tokens": 20}] * 6


def test_a_tool_event_says_which_seconds_it_looked_at_and_what_it_found(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    (tool,) = asked.of("tool")
    video = small_workspace.library.resolve("talk.mp4").id
    assert tool["spans"] == [[video, 3.0, 7.0]]
    assert tool["data"]["arguments"] == LISTEN[1]
    assert len(tool["evidence"]) == 1
    assert set(tool["evidence"]) <= set(asked.of("judge")[0]["evidence"])


def test_blobs_hold_whole_inputs_and_outputs(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    trace = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    first, second = asked.rounds
    sent = trace.blob(first["input"])
    assert [message["type"] for message in sent["messages"]] == ["system", "human"]
    assert sent["tools"] == asked.endpoint.requests[0]["tools"]
    assert trace.blob(second["output"])["data"]["content"] == PRICE
    assert trace.blob(asked.of("tool")[0]["output"])["output"]["transcript"] == "The blue kettle costs 249 dollars."
    assert trace.blob(asked.of("answer")[0]["output"])["answer"] == asked.answer.answer


def test_a_tool_event_keeps_the_arguments_as_repaired_and_as_sent(small_workspace: Workspace) -> None:
    sent = "{'timestamp': [3, 7]"
    asked = ask_endpoint(small_workspace, [says(None, ("transcribe_speach", sent)), says(PRICE)])
    (tool,) = asked.of("tool")
    assert (tool["data"]["tool"], tool["data"]["arguments"]) == ("transcribe_speech", {"timestamp": [3, 7]})
    trace = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    assert trace.blob(tool["input"]) == {"tool": "transcribe_speach", "arguments": sent}


def test_every_model_event_names_the_prompts_it_was_asked_with(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)])
    assert [event["data"]["prompts"] for event in asked.of("model")] == [prompts_hash()] * 3


def test_no_file_of_the_library_ever_holds_the_key(own_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-never-written-anywhere-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    asked = ask_endpoint(own_workspace, [says(None, LISTEN), says(PRICE)])
    assert asked.endpoint.keys == [f"Bearer {key}"] * 2
    refused = ask_endpoint(own_workspace, [refuses(401, f"Incorrect API key provided: {key}")])
    assert "Incorrect API key provided: ***" in (refused.answer.controller_error or "")
    files = [path for path in own_workspace.library.root.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if key.encode() in path.read_bytes()] == []
    assert key not in refused.answer.model_dump_json() + asked.answer.model_dump_json()


def test_events_written_at_once_are_never_torn(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    together = threading.Barrier(8)

    def write(writer: int) -> None:
        together.wait()
        for number in range(50):
            trace.event(
                "tool", started=time.time(), given={"number": number}, data={"writer": writer, "padding": "x" * 5_000}
            )

    writers = [threading.Thread(target=write, args=(writer,)) for writer in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    trace.close()
    recorded = RecordedTrace(tmp_path, trace.run)
    events = list(recorded.events())
    assert [event["step"] for event in events] == list(range(400))
    assert sorted({recorded.blob(event["input"])["number"] for event in events}) == list(range(50))
    assert len(list((tmp_path / "blobs").rglob("*.json"))) == 50


def test_a_line_cut_off_by_a_crash_leaves_the_events_before_it(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    trace.event("run", started=time.time())
    trace.event("orient", started=time.time())
    trace.close()
    path = tmp_path / f"{trace.run}.jsonl"
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert [event["type"] for event in RecordedTrace(tmp_path, trace.run).events()] == ["run"]


def test_a_changed_blob_is_noticed(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    trace.event("run", started=time.time(), given={"question": "What?"})
    trace.close()
    recorded = RecordedTrace(tmp_path, trace.run)
    (event,) = recorded.events()
    (blob,) = (tmp_path / "blobs").rglob("*.json")
    blob.write_text(json.dumps({"question": "Who?"}), encoding="utf-8")
    with pytest.raises(LibraryError, match="was changed since it was recorded"):
        recorded.blob(event["input"])
    blob.write_bytes(b'{"question": "\xff\xfe"}')
    with pytest.raises(LibraryError, match="was changed since it was recorded"):
        recorded.blob(event["input"])
    blob.unlink()
    with pytest.raises(LibraryError, match="is missing"):
        recorded.blob(event["input"])


def test_a_trace_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="There is no trace 'nowhere'"):
        RecordedTrace(tmp_path, "nowhere")


@pytest.mark.parametrize("line", ["{", "3", "{}", '"v"', "\xff", "null"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    trace = Trace(tmp_path)
    trace.event("run", started=time.time())
    trace.close()
    with (tmp_path / f"{trace.run}.jsonl").open("a", encoding="latin-1") as file:
        file.write(f"{line}\n")
    with pytest.raises(LibraryError, match=rf"Line 2 of {trace.run}\.jsonl is damaged"):
        list(RecordedTrace(tmp_path, trace.run).events())


@pytest.mark.parametrize(
    "changed",
    [{"started": "today"}, {"seconds": None}, {"usage": 3}, {"data": []}],
)
def test_an_event_with_a_field_of_another_kind_is_damaged(tmp_path: Path, changed: Mapping[str, Any]) -> None:
    trace = Trace(tmp_path)
    trace.event("run", started=time.time())
    trace.close()
    file = tmp_path / f"{trace.run}.jsonl"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | changed) + "\n", encoding="utf-8")
    with pytest.raises(LibraryError, match=r"Line 1 of .* is damaged"):
        list(RecordedTrace(tmp_path, trace.run).events())


def test_events_of_another_schema_are_refused(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    trace.event("run", started=time.time())
    trace.close()
    file = tmp_path / f"{trace.run}.jsonl"
    file.write_text(
        file.read_text(encoding="utf-8").replace(f'"v":{SCHEMA}', f'"v":{SCHEMA + 1}').replace("parent", "of"),
        encoding="utf-8",
    )
    with pytest.raises(LibraryError, match=f"schema {SCHEMA + 1}"):
        list(RecordedTrace(tmp_path, trace.run).events())


def test_a_key_that_a_model_repeats_is_kept_nowhere(own_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    key, address = 'sk-very&secret<key-"0123', "http://me:hunter22@host/v1"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    script = [
        says(f"I use {key} at {address}.", ("memory_tool", {"func": "add", "data": f"{key} at {address}"})),
        says(None, ("transcribe_speech", {"timestamp": f"{key} {address}"})),
        says(f"NOT FOUND: only {key} at {address}."),
    ]
    with openai_server(script) as endpoint:
        agent = endpoint_asker(own_workspace, endpoint.url)
        answer = agent.ask([VIDEO], f"What does {key} cost?", thread="keys", options=[key, "nothing"])
    assert answer.question == "What does *** cost?"
    assert answer.status == "abstained"
    root = own_workspace.library.root
    texts = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert any(b"I use *** at http://***@host/v1." in text for text in texts.values())
    assert [path for path, text in texts.items() if b"sk-very" in text or b"hunter22" in text] == []
    agent.forget("keys")
    assert replay(RecordedTrace(own_workspace.library.trace_root, answer.trace or "")).same


def test_a_password_that_an_endpoint_tells_when_it_fails_is_kept_nowhere(own_workspace: Workspace) -> None:
    with openai_server([refuses(400, "no such host: http://me:hunter22@host/v1")]) as endpoint:
        agent = endpoint_asker(own_workspace, endpoint.url)
        answer = agent.ask([VIDEO], "What does the blue kettle cost?", thread="passwords")
    assert "no such host: http://***@host/v1" in (answer.controller_error or "")
    files = [path for path in own_workspace.library.root.rglob("*") if path.is_file()]
    assert [path for path in files if b"hunter22" in path.read_bytes()] == []


def test_an_event_is_written_and_sent_without_keys(tmp_path: Path) -> None:
    reported: list[Mapping[str, Any]] = []
    trace = Trace(tmp_path, reported.append, keys={"sk-0123456789"})
    trace.event("error", started=time.time(), data={"error": "not sk-0123456789"}, given="sk-0123456789")
    trace.close()
    recorded = RecordedTrace(tmp_path, trace.run)
    (event,) = recorded.events()
    assert event == reported[0]
    assert (event["data"], recorded.blob(event["input"])) == ({"error": "not ***"}, "***")


def test_a_password_that_a_tool_finds_is_kept_nowhere(own_workspace: Workspace) -> None:
    page = {"title": "Kettles", "content": "Kettles are at http://me:hunter22@host/v1.", "url": "https://example.org/"}
    with searxng_server(finds(page)) as web, openai_server([says(None, WEB), says(PRICE)]) as endpoint:
        named = (f"web.searxng_url={web.url}", "engines.web=[searxng]")
        searching = Workspace(own_workspace.library.root, load(overrides=named))
        endpoint_asker(searching, endpoint.url, *named).ask([VIDEO], "What does the blue kettle cost?", thread="web")
    assert "Kettles are at http://***@host/v1." in endpoint.requests[1]["messages"][-1]["content"]
    files = [path for path in own_workspace.library.root.rglob("*") if path.is_file()]
    assert [path for path in files if b"hunter22" in path.read_bytes()] == []


def test_a_contact_of_a_slide_is_quoted_as_it_stands_there(small_workspace: Workspace) -> None:
    contact = "https://acme.com\ninfo@acme.com and ssh://git@github.com/x"
    asked = ask_endpoint(small_workspace, [says(f"NOT FOUND: it only says {contact}.")])
    trace = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    assert contact in trace.blob(asked.of("judge")[0]["input"])["draft"]["text"]
