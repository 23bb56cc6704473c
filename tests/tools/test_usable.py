"""A language model is offered the tools that work here, in few tokens; of the others, it is told what they need."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from helpers.servers.openai_server import openai_server

from longtake.agent.drafts.draft import answer_schema
from longtake.config import load
from longtake.errors import ConfigError
from longtake.preprocess.engines import EngineTable
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS, BUILT_IN
from longtake.tools.core.registry import SPECS
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.usable import usable
from longtake.tools.vision.find_moments import find_moments

# What a plain installation has: no program or package beside it, and a model that sees.
PLAIN = ("engines.web=[]", "engines.translation=[]", "engines.sandbox=[monty]")
SEES = ("visual_question.base_url=http://127.0.0.1:9/v1", "visual_question.model=seer")
TOKENS, WITH_ANSWER = 950, 1_100  # at four characters each


def names(settings: Settings, context: ToolContext, **more: bool) -> tuple[set[str], dict[str, str]]:
    able, needs = usable(settings, EngineTable(settings), list(context.videos.values()), **more)
    return {SPECS[tool].name for tool in able}, needs


def test_a_plain_installation_with_a_model_that_sees_offers_few_tokens(talk: ToolContext) -> None:
    settings = load(overrides=[*PLAIN, *SEES])
    able, needs = usable(settings, EngineTable(settings), list(talk.videos.values()))
    assert {"watch_segment", "cross_modal_search", "count_objects", "calculator"} <= {SPECS[each].name for each in able}
    brief = [*able, find_moments]  # which needs a video with brief changes
    offered = Toolbox(brief).schemas(())
    assert len(json.dumps(offered)) <= 4 * TOKENS
    assert len(json.dumps([*offered, answer_schema(["one", "two", "three", "four"])])) <= 4 * WITH_ANSWER
    assert all(needs.values())
    assert {SPECS[tool].name for tool in able} | needs.keys() == {SPECS[tool].name for tool in ALL_TOOLS}


def test_all_tools_together_stay_short() -> None:
    schemas = [SPECS[tool].as_openai() for tool in BUILT_IN]
    assert len(json.dumps(schemas)) <= 4 * 1_600
    for schema in schemas:
        assert not {"title", "anyOf", "default", "$defs"} & keys_of(schema["function"]["parameters"])


def keys_of(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {key for key in value if key != "properties"}
        return own.union(*(keys_of(each) for each in value.values())) if value else own
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def test_a_time_is_a_text_in_every_schema(talk: ToolContext) -> None:
    for spec in (SPECS[tool] for tool in BUILT_IN):
        time = spec.as_openai()["function"]["parameters"]["properties"].get("timestamp")
        assert time in (None, {"type": "string"})


def test_without_a_model_that_sees_the_tools_that_need_one_are_named(talk: ToolContext) -> None:
    able, needs = names(load(overrides=PLAIN), talk)
    assert {"watch_segment", "count_objects", "detect_activities"} <= needs.keys()
    assert needs["watch_segment"] == "a vision-language model"
    assert "vision-language model" in needs["count_objects"]
    assert {"transcribe_speech", "extract_scene_text", "inspect_motion", "cross_modal_search"} <= able


def test_what_the_videos_lack_is_named(both: ToolContext, opened: Callable[..., ToolContext]) -> None:
    settings = load(overrides=[*PLAIN, *SEES])
    able, needs = names(settings, opened("mute"))
    assert needs["transcribe_speech"] == "subtitles or speech recognition"
    assert needs["detect_audio_events"] == "a video with sound"
    assert needs["summarize_segment"]
    assert "watch_segment" in able
    assert {"transcribe_speech", "detect_audio_events"} <= names(settings, both)[0]


def test_notes_are_for_conversations_and_a_tool_that_is_off_is_not_named(talk: ToolContext) -> None:
    settings = load(overrides=[*PLAIN, "tools.off=[calculator]"])
    able, needs = names(settings, talk, conversation=True)
    assert "memory_tool" in able
    assert "calculator" not in able | needs.keys()
    assert names(settings, talk)[1]["memory_tool"] == "a conversation"
    with pytest.raises(ConfigError, match="no tool"):
        names(load(overrides=["tools.off=[calculators]"]), talk)


def test_no_model_is_asked_and_nothing_is_loaded(talk: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EngineTable, "load", lambda *_: pytest.fail("an engine was loaded"))
    with openai_server([]) as server:
        settings = load(overrides=[*PLAIN, f"visual_question.base_url={server.url}", "visual_question.model=seer"])
        assert "watch_segment" in names(settings, talk)[0]
        assert server.requests == []
