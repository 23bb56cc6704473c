"""The embedded controller is a LangChain chat model like any other."""

from __future__ import annotations

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)

from longtake.agent.controllers.factory import make_controller
from longtake.agent.controllers.rules import RulesChatModel
from longtake.agent.orientation import Orientation
from longtake.config import load
from longtake.errors import EngineError
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.result import ToolResult
from longtake.tools.toolbox import Toolbox

SCHEMAS = Toolbox(ALL_TOOLS).schemas(("v1",))
HEARD = Evidence(
    video="v1",
    span=TimeSpan(start=4, end=6),
    modality="speech",
    content="The kettle costs 249 dollars.",
    engine="subtitles-1",
)


def _question() -> list[BaseMessage]:
    asked = Orientation(question="What is said?", kind="transcribe", videos={"v1": 8.0})
    return [HumanMessage(asked.question, additional_kwargs={"orientation": asked.model_dump(mode="json")})]


def _answered(messages: list[BaseMessage]) -> list[BaseMessage]:
    reply = RulesChatModel().bind_tools(SCHEMAS).invoke(messages)
    result = ToolResult(tool="transcribe_speech", evidence=(HEARD,))
    replies = [
        ToolMessage("prose that is never read", tool_call_id=call["id"] or "", artifact=result.model_dump(mode="json"))
        for call in reply.tool_calls
    ]
    return [*messages, reply, *replies]


def test_it_is_a_chat_model_that_binds_tools() -> None:
    model = make_controller(load())
    assert isinstance(model, BaseChatModel)
    reply = model.bind_tools(SCHEMAS).invoke(_question())
    assert isinstance(reply, AIMessage)
    assert [(call["name"], call["args"]) for call in reply.tool_calls] == [
        ("transcribe_speech", {"timestamp": [0.0, 8.0]})
    ]


def test_it_reads_results_as_data() -> None:
    reply = RulesChatModel().bind_tools(SCHEMAS).invoke(_answered(_question()))
    assert reply.content == "“The kettle costs 249 dollars.” [00:00:04]"


def test_it_calls_only_tools_that_are_bound() -> None:
    others = [schema for schema in SCHEMAS if schema["function"]["name"] != "transcribe_speech"]
    reply = RulesChatModel().bind_tools(others).invoke(_question())
    assert reply.tool_calls == []
    assert reply.text.startswith("NOT FOUND:")


def test_the_same_messages_get_the_same_reply_also_after_a_round_trip_through_json() -> None:
    model = RulesChatModel().bind_tools(SCHEMAS)
    for messages in (_question(), _answered(_question())):
        again = messages_from_dict(messages_to_dict(messages))
        replies = [model.invoke(messages), model.invoke(messages), model.invoke(again)]
        assert len({(str(reply.content), str(reply.tool_calls)) for reply in replies}) == 1


def test_without_the_graph_it_says_what_is_missing() -> None:
    with pytest.raises(EngineError, match="only runs inside the agent's graph"):
        RulesChatModel().invoke([HumanMessage("What is said?")])
