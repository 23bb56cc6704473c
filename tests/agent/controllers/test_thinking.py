"""Whether a model thinks is a setting; what it thinks is no part of an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.asking import ask_endpoint, plans_by
from helpers.models.smollm2 import smollm2
from helpers.models.tiny_qwen import TEMPLATE, write_tiny_qwen
from helpers.servers.openai_server import Reply, says
from langchain_core.messages import AIMessage, HumanMessage

from longtake.agent.controllers.call_parsing.reply_schema import read_json_reply
from longtake.config import load
from longtake.preprocess.pipeline.workspace import Workspace

PRICE = "The blue kettle costs 249 dollars [00:00:04]."
needs_qwen = pytest.mark.skipif(not find_spec("qwen_agent"), reason="needs the extra `qwen`")
ENGINES = ["openai", pytest.param("qwen_agent", marks=needs_qwen)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("setting", "sent"),
    [("null", None), ("true", {"enable_thinking": True}), ("false", {"enable_thinking": False})],
)
def test_servers_are_told_whether_to_think(
    small_workspace: Workspace, engine: str, setting: str, sent: dict[str, bool] | None
) -> None:
    asked = ask_endpoint(
        small_workspace, [says(PRICE)], f"controller.engine={engine}", f"controller.thinking={setting}"
    )
    assert [request.get("chat_template_kwargs") for request in asked.endpoint.requests] == [sent]


def _thought(reply: Reply, thought: str) -> Reply:
    body = json.loads(reply.body)
    body["choices"][0]["message"]["reasoning_content"] = thought
    return replace(reply, body=json.dumps(body))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "reply",
    [
        _thought(says(PRICE), "Perhaps the green kettle costs 300 dollars."),
        says(f"<think>Perhaps the green kettle costs 300 dollars.</think>{PRICE}"),
        says(f"Perhaps the green kettle costs 300 dollars.</think>{PRICE}"),
    ],
    ids=["in its own field", "in the text", "opened by the template"],
)
def test_thoughts_are_no_part_of_an_answer(small_workspace: Workspace, engine: str, reply: Reply) -> None:
    asked = ask_endpoint(small_workspace, [reply], f"controller.engine={engine}", "controller.thinking=true")
    assert asked.answer.status == "answered"
    assert "249" in asked.answer.answer
    assert "300 dollars" not in asked.answer.model_dump_json()


def test_thoughts_before_a_reply_under_a_schema_are_dropped() -> None:
    written = AIMessage('<think>{"answer": "300"}</think>{"answer": "249"}')
    assert read_json_reply(written).text == "249"


@pytest.mark.nightly
@pytest.mark.skipif(not (find_spec("torch") and find_spec("transformers")), reason="needs the extra `transformers`")
@pytest.mark.parametrize(("setting", "written"), [("null", "open"), ("true", "open"), ("false", "shut")])
def test_a_chat_template_in_process_is_told(tmp_path: Path, setting: str, written: str) -> None:
    template = TEMPLATE + "{{ 'shut' if enable_thinking is defined and not enable_thinking else 'open' }}"
    folder = write_tiny_qwen(tmp_path, template=template)
    named = ("controller.engine=transformers", f"controller.model={folder}", f"controller.thinking={setting}")
    model = plans_by(load(overrides=named, offline=True))
    prompt = model._prompt([HumanMessage("What is it?")], [])
    assert model.tokenizer.decode(prompt["input_ids"][0]).endswith(written)


@pytest.mark.nightly
def test_llama_cpp_takes_the_setting() -> None:
    named = ("controller.engine=gguf", f"controller.model={smollm2()}", "controller.reply_tokens=4")
    model = plans_by(load(overrides=(*named, "controller.thinking=false")))
    try:
        assert model.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
        assert model.invoke([HumanMessage("Say yes.")]).usage_metadata["output_tokens"] <= 4
    finally:
        model.server.close()
