"""Runs as OpenTelemetry spans: what a real receiver decodes, and what a file holds."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from helpers.asking import Asked, ask_endpoint
from helpers.servers.openai_server import Reply, says
from helpers.servers.otlp_receiver import attributes_of, otlp_receiver, spans_in
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status, TracesData

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.otlp import json_line, send
from longtake.agent.traces.spans import spans_of
from longtake.agent.traces.trace import RecordedTrace
from longtake.errors import EngineError
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": [3, 7]})
SHORT = ("summarize_segment", {"timestamp": [0, 8], "text": "", "length": "short"})
WRONG = ("calculator", {"expression": "1 +"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
QUESTION = "What does the blue kettle cost?"


def trace_of(workspace: Workspace, asked: Asked) -> RecordedTrace:
    return RecordedTrace(workspace.library.trace_root, asked.answer.trace or "")


def by_name(spans: list[Span]) -> dict[str, list[Span]]:
    named: dict[str, list[Span]] = {}
    for span in spans:
        named.setdefault(span.name, []).append(span)
    return named


@pytest.fixture(scope="module")
def asked(small_workspace: Workspace) -> Asked:
    """A run with a call that comes to something, one that asks the model itself, and one that fails."""
    script = [says("I look.", LISTEN, SHORT, WRONG), says("A kettle.", usage=(700, 30)), says(PRICE)]
    return ask_endpoint(small_workspace, script)


@pytest.fixture(scope="module")
def received(small_workspace: Workspace, asked: Asked) -> dict[str, list[Span]]:
    """Its spans by their names, as a receiver decoded them."""
    with otlp_receiver() as receiver:
        send(spans_of(trace_of(small_workspace, asked)), receiver.url)
    assert receiver.paths == ["/v1/traces"]
    assert receiver.headers[0]["content-type"] == "application/x-protobuf"
    return by_name(receiver.spans)


def test_the_spans_are_the_agent_its_chats_and_its_tools(received: dict[str, list[Span]]) -> None:
    counts = {name: len(spans) for name, spans in received.items()}
    assert counts == {
        "invoke_agent Longtake": 1,
        "orient": 1,
        "chat scripted": 4,
        "execute_tool transcribe_speech": 1,
        "execute_tool summarize_segment": 1,
        "execute_tool calculator": 1,
        "brief": 1,
        "judge": 1,
    }
    everything = [span for spans in received.values() for span in spans]
    assert len({span.trace_id for span in everything}) == 1
    assert len({span.span_id for span in everything}) == len(everything)


def test_a_chat_lies_in_the_agent_or_in_the_tool_that_asked(received: dict[str, list[Span]]) -> None:
    (agent,) = received["invoke_agent Longtake"]
    (summary,) = received["execute_tool summarize_segment"]
    assert agent.parent_span_id == b""
    assert summary.parent_span_id == agent.span_id
    parents = [span.parent_span_id for span in received["chat scripted"]]
    assert sorted(parents) == sorted([agent.span_id] * 3 + [summary.span_id])
    assert {span.kind for span in received["chat scripted"]} == {Span.SPAN_KIND_CLIENT}
    assert agent.kind == Span.SPAN_KIND_INTERNAL


def test_the_agent_says_what_was_asked_answered_and_spent(received: dict[str, list[Span]], asked: Asked) -> None:
    (agent,) = received["invoke_agent Longtake"]
    said = attributes_of(agent)
    assert said["gen_ai.operation.name"] == "invoke_agent"
    assert said["gen_ai.agent.name"] == "Longtake"
    assert (said["gen_ai.provider.name"], said["gen_ai.request.model"]) == ("openai", "scripted")
    assert said["gen_ai.conversation.id"] == asked.answer.trace
    assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == (1_000, 90)
    assert json.loads(said["gen_ai.input.messages"])[0]["parts"] == [{"type": "text", "content": QUESTION}]
    assert json.loads(said["gen_ai.output.messages"])[0]["parts"][0]["content"] == asked.answer.answer
    assert "transcribe_speech" in [tool["name"] for tool in json.loads(said["gen_ai.tool.definitions"])]
    assert said["longtake.status"] == "answered"


def test_a_chat_holds_its_messages_and_tokens(received: dict[str, list[Span]], asked: Asked) -> None:
    first, _, last, _ = (attributes_of(span) for span in received["chat scripted"])
    assert first["gen_ai.operation.name"] == "chat"
    assert first["server.address"] == "127.0.0.1"
    assert (first["gen_ai.usage.input_tokens"], first["gen_ai.usage.output_tokens"]) == (100, 20)
    assert first["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert first["gen_ai.response.model"] == "scripted"
    assert "You answer questions" in json.loads(first["gen_ai.system_instructions"])[0]["content"]
    (reply,) = json.loads(first["gen_ai.output.messages"])
    assert reply["parts"][0] == {"type": "text", "content": "I look."}
    assert reply["parts"][1]["type"] == "tool_call"
    assert (reply["parts"][1]["name"], reply["parts"][1]["arguments"]) == LISTEN
    roles = [message["role"] for message in json.loads(last["gen_ai.input.messages"])]
    assert roles == ["user", "assistant", "tool", "tool", "tool"]
    assert json.loads(last["gen_ai.input.messages"])[2]["parts"][0]["type"] == "tool_call_response"


def test_a_tool_says_what_it_was_given_what_it_found_and_where_it_looked(
    received: dict[str, list[Span]], small_workspace: Workspace
) -> None:
    (tool,) = received["execute_tool transcribe_speech"]
    said = attributes_of(tool)
    assert (said["gen_ai.operation.name"], said["gen_ai.tool.type"]) == ("execute_tool", "function")
    assert said["gen_ai.tool.call.id"] == "call-0-0"
    assert json.loads(said["gen_ai.tool.call.arguments"]) == LISTEN[1]
    assert "249 dollars" in json.loads(said["gen_ai.tool.call.result"])["transcript"]
    assert said["longtake.looked_at"] == [f"{small_workspace.library.resolve('talk.mp4').id}#t=3,7"]
    assert len(said["longtake.evidence"]) == 1


def test_every_span_shows_a_viewer_its_kind_its_input_and_its_output(
    received: dict[str, list[Span]], asked: Asked
) -> None:
    said = {name: attributes_of(spans[0]) for name, spans in received.items()}
    assert {name: each["openinference.span.kind"] for name, each in said.items()} == {
        "invoke_agent Longtake": "AGENT",
        "orient": "CHAIN",
        "brief": "RETRIEVER",
        "chat scripted": "LLM",
        "execute_tool transcribe_speech": "TOOL",
        "execute_tool summarize_segment": "TOOL",
        "execute_tool calculator": "TOOL",
        "judge": "EVALUATOR",
    }
    agent, tool, verify = (said[name] for name in ("invoke_agent Longtake", "execute_tool transcribe_speech", "judge"))
    assert (agent["input.value"], agent["output.value"]) == (QUESTION, asked.answer.answer)
    assert (agent["input.mime_type"], tool["input.mime_type"]) == ("text/plain", "application/json")
    assert json.loads(tool["input.value"]) == LISTEN[1]
    assert "249 dollars" in tool["output.value"]
    assert "output.value" not in said["execute_tool calculator"]
    assert json.loads(verify["input.value"])["text"] == PRICE
    assert json.loads(verify["output.value"])[0]["verdict"] == "supported"
    assert all(each["input.value"] for each in said.values())
    gathered = said["brief"]
    (kettle,) = (key for key, value in gathered.items() if key.endswith(".content") and "249 dollars" in value)
    assert json.loads(gathered[kettle.replace(".content", ".metadata")])["start"] == 4.0


def test_a_call_that_failed_is_an_error(received: dict[str, list[Span]]) -> None:
    (tool,) = received["execute_tool calculator"]
    assert attributes_of(tool)["error.type"] == "bad_arguments"
    assert tool.status.code == Status.STATUS_CODE_ERROR
    assert tool.status.message
    assert "gen_ai.tool.call.result" not in attributes_of(tool)


def test_the_times_are_those_recorded(received: dict[str, list[Span]], asked: Asked) -> None:
    spans = {attributes_of(span)["longtake.step"]: span for each in received.values() for span in each}
    for event in asked.events[1:]:
        if event["type"] != "answer":
            span = spans[event["step"]]
            assert span.start_time_unix_nano / 1e9 == pytest.approx(event["started"], abs=1e-4)
            assert (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9 == pytest.approx(
                event["seconds"], abs=1e-4
            )
    last = asked.events[-1]
    assert spans[0].end_time_unix_nano / 1e9 >= last["started"] + last["seconds"] - 1e-4


def test_a_run_that_failed_is_an_error_and_one_that_a_guard_ended_says_so(small_workspace: Workspace) -> None:
    failed = ask_endpoint(small_workspace, [says(PRICE)], question="What is said at 01:00:00?")
    late = Reply(says(PRICE).body, delay=1.0)
    guarded = ask_endpoint(small_workspace, [late], "budget.seconds=0.6")
    with otlp_receiver() as receiver:
        for each in (failed, guarded):
            send(spans_of(trace_of(small_workspace, each)), f"{receiver.url}/")
    first, second = (spans_in(request)[0] for request in receiver.requests)
    assert first.status.code == Status.STATUS_CODE_ERROR
    assert "01:00:00" in first.status.message
    assert {event.name for event in second.events} == {"longtake.guard"}
    assert attributes_of(second)["longtake.status"] == "partial"


def test_the_extractive_controller_is_named_as_what_it_is(small_workspace: Workspace) -> None:
    answer = Agent(small_workspace).ask(["talk.mp4"], QUESTION, thread="of the kettle")
    trace = RecordedTrace(small_workspace.library.trace_root, answer.trace or "")
    with otlp_receiver() as receiver:
        send(spans_of(trace), receiver.url)
    chat = next(span for span in receiver.spans if span.name == "chat extractive")
    assert attributes_of(chat)["gen_ai.provider.name"] == "longtake"
    assert attributes_of(chat)["gen_ai.conversation.id"] == "of the kettle"
    assert chat.kind == Span.SPAN_KIND_INTERNAL


def test_a_line_of_the_file_is_what_the_receiver_was_sent(small_workspace: Workspace, asked: Asked) -> None:
    spans = spans_of(trace_of(small_workspace, asked))
    line = json_line(spans)
    assert line.endswith("\n")
    assert "\n" not in line[:-1]
    reported: dict[str, Any] = json.loads(line)
    for span in reported["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        assert len(span["traceId"]) == 32
        assert isinstance(span["kind"], int)
        # What the JSON of protobuf expects in place of OTLP's hexadecimal ids.
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in span:
                span[name] = b64encode(bytes.fromhex(span[name])).decode()
    with otlp_receiver() as receiver:
        send(spans, receiver.url)
    assert list(ParseDict(reported, TracesData()).resource_spans) == list(receiver.requests[0].resource_spans)


def test_a_receiver_that_refuses_is_named_with_its_reason(small_workspace: Workspace, asked: Asked) -> None:
    spans = spans_of(trace_of(small_workspace, asked))
    with (
        otlp_receiver(status=403) as receiver,
        pytest.raises(EngineError, match=r"/v1/traces didn't accept .*Forbidden"),
    ):
        send(spans, receiver.url)


def test_the_receivers_own_path_is_kept(small_workspace: Workspace, asked: Asked) -> None:
    with otlp_receiver() as receiver:
        send(spans_of(trace_of(small_workspace, asked)), f"{receiver.url}/api/otel/v1/traces")
    assert receiver.paths == ["/api/otel/v1/traces"]
