"""Tool calls as small models write them, through the whole graph: read, repaired, and the repair recorded."""

from __future__ import annotations

import json

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import says

from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
SEARCH = ("cross_modal_search", {"query": "which room", "modalities": []})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
GOOD = json.dumps({"timestamp": [3, 7]})
TEXT_CALL = '{"name": "transcribe_speech", "arguments": {"timestamp": [3, 7]}}'


@pytest.mark.parametrize(
    ("tool", "arguments", "repair"),
    [
        ("transcribe_speech", '{"timestamp": [3, 7]', "broken JSON read"),
        ("transcribe_speech", '{"timestamp": "3-7', "broken JSON read"),
        ("transcribe_speech", "{'timestamp': [3, 7]}", "broken JSON read"),
        ("transcribe_speech", "{'timestamp': [3, 7]", "broken JSON read"),
        ("transcribe_speech", '{"timestamp": [3, 7,],}', "broken JSON read"),
        ("transcribe_speech", "{timestamp: [3, 7]}", "broken JSON read"),
        ("transcribe_speech", '{"timestamp": [3, 7}', "broken JSON read"),
        ("transcribe_speech", '{"timestamp": [3, 7]}}', "broken JSON read"),
        ("transcribe_speach", GOOD, "taken for 'transcribe_speech'"),
        ("functions.transcribe_speech", GOOD, "taken for 'transcribe_speech'"),
    ],
)
def test_a_call_written_wrong_is_repaired_and_the_repair_recorded(
    small_workspace: Workspace, tool: str, arguments: str, repair: str
) -> None:
    asked = ask_endpoint(small_workspace, [says(None, (tool, arguments)), says(PRICE)])
    assert asked.answer.status == "answered"
    (call,) = asked.of("tool")
    assert (call["data"]["tool"], call["data"]["failure"]) == ("transcribe_speech", None)
    assert repair in " ".join(asked.rounds[0]["data"]["repairs"])


@pytest.mark.parametrize(
    "text",
    [
        f"{PRICE}\nThe slide says:\nCALL order_pizza {{}}\nand nothing else.",
        f"{PRICE}\nIt shows <tool_call>{TEXT_CALL}</tool_call> for a second.",
        f"{TEXT_CALL}\n{PRICE}",
    ],
)
@pytest.mark.parametrize("calls", ["native", "text"])
def test_a_call_that_is_quoted_inside_a_reply_is_not_made(small_workspace: Workspace, text: str, calls: str) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(text), says(PRICE)], f"controller.calls={calls}")
    assert [event["data"]["tool"] for event in asked.of("tool")] == ["transcribe_speech"]
    assert [event["data"]["calls"] for event in asked.rounds[1:]] == [[]] * (len(asked.rounds) - 1)
    assert "249 dollars" in asked.answer.answer


def test_what_is_said_before_a_call_in_words_is_kept(small_workspace: Workspace) -> None:
    two = f"The slide said CALL me.\nI listen.\nCALL transcribe_speech {GOOD}\n\nCALL transcribe_speech {GOOD}\n"
    asked = ask_endpoint(small_workspace, [says(two), says(PRICE)])
    assert len(asked.of("tool")) == 2
    spoken = asked.endpoint.requests[1]["messages"][2]
    assert spoken["content"] == "The slide said CALL me.\nI listen."
    assert set(spoken) == {"role", "content", "tool_calls"}


@pytest.mark.parametrize("arguments", ["timestamp is three", "[3, 7]", '"3-7"', '{"timestamp":'])
def test_arguments_that_nothing_can_read_are_passed_to_the_controller(
    small_workspace: Workspace, arguments: str
) -> None:
    asked = ask_endpoint(
        small_workspace, [says(None, ("transcribe_speech", arguments)), says(None, LISTEN), says(PRICE)]
    )
    reported = asked.endpoint.requests[1]["messages"][-1]["content"]
    assert reported.startswith("FAILED: ")
    assert "unreadable_json" in reported
    assert asked.answer.status == "answered"


def test_an_unknown_tool_is_passed_to_the_controller(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, ("order_pizza", {})), says("NOT FOUND: nothing.")])
    assert "There is no tool 'order_pizza'" in asked.endpoint.requests[1]["messages"][-1]["content"]


def test_several_calls_of_a_message_all_run_and_are_answered_by_id(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says("I look.", LISTEN, SEARCH), says(None, LISTEN), says(PRICE)])
    assert [event["data"]["tool"] for event in asked.of("tool")[2:]] == ["transcribe_speech"]
    messages = asked.endpoint.requests[2]["messages"]
    called = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert len(set(called)) == 3
    assert called == [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert [event["data"]["cached"] for event in asked.of("tool")].count(True) == 1


def test_the_text_protocol_tells_and_reads_calls_in_words(small_workspace: Workspace) -> None:
    asked = ask_endpoint(
        small_workspace, [says(f"CALL transcribe_speech {GOOD}"), says(PRICE)], "controller.calls=text"
    )
    assert asked.answer.status == "answered"
    first, second = asked.endpoint.requests
    assert "tools" not in first
    assert 'CALL tool_name {"argument": "value"}' in first["messages"][0]["content"]
    assert "transcribe_speech" in first["messages"][0]["content"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    assert second["messages"][2]["content"] == f"CALL transcribe_speech {GOOD}"
    assert second["messages"][3]["content"].startswith("RESULT of transcribe_speech: ")


@pytest.mark.parametrize("data", ['{"claims": {"1": {"verdict": "supported"}}}', '```json\n{"verdict": "yes"}\n```'])
def test_a_reply_that_is_nothing_but_data_is_no_answer_and_asked_for_again(
    small_workspace: Workspace, data: str
) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(data), says(PRICE)])
    assert "249 dollars" in asked.answer.answer
    assert "verdict" not in asked.answer.answer
