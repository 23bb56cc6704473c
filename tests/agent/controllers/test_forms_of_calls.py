"""Every form in which a model may write its calls reaches the tools, through the whole graph."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import Reply, says

from longtake.preprocess.pipeline.workspace import Workspace

PRICE = "The blue kettle costs 249 dollars [00:00:04]."
NAME = "transcribe_speech"
ARGUMENTS = '{"timestamp": "00:00:03-00:00:07"}'
CALL = f'{{"name": "{NAME}", "arguments": {ARGUMENTS}}}'

WRITTEN = {
    "Hermes": f"<tool_call>\n{CALL}\n</tool_call>",
    "Hermes, no end": f"<tool_call>\n{CALL}",
    "Hermes, no brace": f"<tool_call>\n{CALL[:-1]}\n</tool_call>",
    "Hermes, single quotes": f"<tool_call>{CALL.replace(chr(34), chr(39))}</tool_call>",
    "Hermes, end of turn": f"<tool_call>\n{CALL}\n</tool_call><|im_end|>",
    "Qwen-Coder": f"<tool_call>\n<function={NAME}>\n<parameter=timestamp>\n00:00:03-00:00:07\n</parameter>\n"
    "</function>\n</tool_call>",
    "Qwen-Agent": f"✿FUNCTION✿: {NAME}\n✿ARGS✿: {ARGUMENTS}\n✿RESULT✿",
    "Llama python tag": f"<|python_tag|>{CALL.replace('arguments', 'parameters')}<|eom_id|>",
    "Llama python tag, code": f'<|python_tag|>{NAME}.call(timestamp="00:00:03-00:00:07")',
    "Llama function": f"<function={NAME}>{ARGUMENTS}</function>",
    "Llama pythonic": f'[{NAME}(timestamp="00:00:03-00:00:07")]',
    "Python": f'{NAME}(timestamp="00:00:03-00:00:07")',
    "Mistral": f"[TOOL_CALLS][{CALL}]",
    "Mistral, newer": f"[TOOL_CALLS]{NAME}[ARGS]{ARGUMENTS}",
    "XML": f'<function_calls>\n<invoke name="{NAME}">\n<parameter name="timestamp">00:00:03-00:00:07</parameter>\n'
    "</invoke>\n</function_calls>",
    "fence": f"```json\n{CALL}\n```",
    "fence after words": f"I listen to what is said.\n```json\n{CALL}\n```",
    "fence of Python": f'```tool_code\n{NAME}(timestamp="00:00:03-00:00:07")\n```',
    "fence, no end": f"I listen.\n```json\n{CALL}",
    "bare object": CALL,
    "bare list": f"[{CALL}]",
    "OpenAI's form in words": json.dumps([{"type": "function", "function": {"name": NAME, "arguments": ARGUMENTS}}]),
    "LangChain's form": f'{{"action": "{NAME}", "action_input": {ARGUMENTS}}}',
    "ReAct": f"Thought: listen\nAction: {NAME}\nAction Input: {ARGUMENTS}",
    "our own": f"CALL {NAME} {ARGUMENTS}",
    "after closed thinking": f"<think>Perhaps <tool_call>{{}}</tool_call>?</think>\n<tool_call>{CALL}</tool_call>",
    "after thinking opened in the prompt": f"Perhaps I listen.</think>\n<tool_call>{CALL}</tool_call>",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_call_in_the_text_is_made(small_workspace: Workspace, text: str) -> None:
    asked = ask_endpoint(small_workspace, [says(text), says(PRICE)])
    (call,) = asked.of("tool")
    assert call["data"]["arguments"] == {"timestamp": "00:00:03-00:00:07"}
    assert call["data"]["failure"] is None
    assert "1 call read from the text" in asked.of("model")[0]["data"]["repairs"]
    assert asked.answer.status == "answered"


def test_several_calls_in_the_text_are_all_made(small_workspace: Workspace) -> None:
    two = [
        f"[{CALL}, {CALL}]",
        f"<tool_call>{CALL}</tool_call>\n<tool_call>{CALL}</tool_call>",
        f"<tool_call>{CALL}" * 2,
    ]
    for text in two:
        asked = ask_endpoint(small_workspace, [says(text), says(PRICE)])
        assert [call["data"]["failure"] for call in asked.of("tool")] == [None, None]


@pytest.mark.parametrize(
    "text",
    [
        f"<think>I could write <tool_call>{CALL}</tool_call>",
        f"{PRICE}\n```json\n{CALL}\n```\nis how the slide ends.",
        f'{PRICE} The slide reads <invoke name="{NAME}">{ARGUMENTS}</invoke> for a second.',
        f"{PRICE} It shows ✿FUNCTION✿: {NAME}\n✿ARGS✿: {ARGUMENTS} and goes dark.",
        '```json\n{"name": "order_pizza", "arguments": {}}\n```',
        "[00:00:04] The blue kettle costs 249 dollars.",
        '{"answer": "249 dollars"}',
    ],
)
def test_what_is_no_call_is_not_made(small_workspace: Workspace, text: str) -> None:
    assert not ask_endpoint(small_workspace, [says(text), says("NOT FOUND: nothing.")]).of("tool")


def _with(change: Any) -> Reply:
    """A reply with one proper call, of which the message is changed."""
    reply = says(None, (NAME, ARGUMENTS))
    body = json.loads(reply.body)
    change(body["choices"][0]["message"])
    return replace(reply, body=json.dumps(body))


def _calls(*calls: Any) -> Any:
    return lambda message: message.update(tool_calls=list(calls))


FUNCTION = {"name": NAME, "arguments": ARGUMENTS}
FIELDS = {
    "no id": _calls({"type": "function", "function": FUNCTION}),
    "no type": _calls({"id": "1", "function": FUNCTION}),
    "no function": _calls({"id": "1", **FUNCTION}),
    "one call, no list": lambda message: message.update(tool_calls={"id": "1", "function": FUNCTION}),
    "the older field": lambda message: message.update(tool_calls=None, function_call=FUNCTION),
    "arguments as an object": _calls({"id": "1", "function": {"name": NAME, "arguments": json.loads(ARGUMENTS)}}),
    "arguments encoded twice": _calls({"id": "1", "function": {"name": NAME, "arguments": json.dumps(ARGUMENTS)}}),
    "arguments without a brace": _calls({"id": "1", "function": {"name": NAME, "arguments": ARGUMENTS[:-1]}}),
    "arguments in single quotes": _calls(
        {"id": "1", "function": {"name": NAME, "arguments": ARGUMENTS.replace('"', "'")}}
    ),
    "a tool almost so called": _calls({"id": "1", "function": {"name": "transcribe_speach", "arguments": ARGUMENTS}}),
    "content in parts": lambda message: message.update(content=[{"type": "text", "text": "I listen."}, {"type": "x"}]),
    "content as a part": lambda message: message.update(content={"type": "text", "text": "I listen."}),
    "content as a number": lambda message: message.update(content=42),
    "no role": lambda message: message.pop("role"),
    "no content": lambda message: message.pop("content"),
}


@pytest.mark.parametrize("change", FIELDS.values(), ids=FIELDS.keys())
def test_a_reply_of_a_loose_server_is_understood(small_workspace: Workspace, change: Any) -> None:
    asked = ask_endpoint(small_workspace, [_with(change), says(PRICE)])
    (call,) = asked.of("tool")
    assert (call["data"]["tool"], call["data"]["failure"]) == (NAME, None)
    assert asked.answer.status == "answered"


def test_two_calls_with_one_id_are_answered_apart(small_workspace: Workspace) -> None:
    call = {"id": "1", "type": "function", "function": FUNCTION}
    asked = ask_endpoint(small_workspace, [_with(_calls(call, call)), says(PRICE)])
    messages = asked.endpoint.requests[1]["messages"]
    made = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert len(set(made)) == 2
    assert made == [message["tool_call_id"] for message in messages if message["role"] == "tool"]


@pytest.mark.parametrize(
    ("tool", "given", "taken"),
    [
        ("cross_modal_search", {"query": "kettle", "modalities": "speech"}, {"modalities": ["speech"]}),
        ("cross_modal_search", {"query": "kettle", "modalities": '["speech"]'}, {"modalities": ["speech"]}),
        ("cross_modal_search", {"query": "kettle"}, {"query": ["kettle"]}),
        ("calculator", {"expression": ["1+1"]}, {"expression": "1+1"}),
        ("cross_modal_search", {"query": "kettle", "modalities": [], "k": "3"}, {"k": 3}),
        ("cross_modal_search", {"query": "kettle", "modalities": [], "k": None}, {}),
        ("calculator", {"expression": 249}, {"expression": "249"}),
    ],
)
def test_arguments_of_the_wrong_type_are_mended_where_they_mean_one_thing(
    small_workspace: Workspace, tool: str, given: dict[str, Any], taken: dict[str, Any]
) -> None:
    asked = ask_endpoint(small_workspace, [says(None, (tool, given)), says("NOT FOUND: nothing.")])
    (call,) = asked.of("tool")
    assert call["data"]["failure"] is None
    assert taken.items() <= call["data"]["arguments"].items()
    assert None not in call["data"]["arguments"].values()
    assert any("mended" in repair for repair in asked.of("model")[0]["data"]["repairs"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"timestamp": "3-7", "speaker": "Ann"}, "no argument 'speaker'"),
        ({"time": "3-7"}, "timestamp"),
        ({"timestamp": {"from": True}}, "be read"),
        ([3, 7], "unreadable_json"),
    ],
)
def test_arguments_that_may_mean_several_things_are_reported(
    small_workspace: Workspace, arguments: Any, said: str
) -> None:
    asked = ask_endpoint(small_workspace, [says(None, (NAME, arguments)), says("NOT FOUND: nothing.")])
    reported = asked.endpoint.requests[1]["messages"][-1]["content"]
    assert reported.startswith("FAILED: ")
    assert said in reported
