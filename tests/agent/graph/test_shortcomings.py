"""An answer that isn't sure says which model failed or is missing."""

from __future__ import annotations

import copy

from helpers.asking import VIDEO

from longtake.agent.graph.agent import Agent
from longtake.config import load
from longtake.memory.records import Answer
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace

DOWN = "http://127.0.0.1:9/v1"


def ask(workspace: Workspace, question: str, *settings: str) -> Answer:
    changed = copy.copy(workspace)
    changed.settings = load(overrides=settings)
    changed.engines = EngineTable(changed.settings)
    return Agent(changed).ask([VIDEO], question)


def test_a_server_for_pictures_that_is_down_is_named(small_workspace: Workspace) -> None:
    at = (f"visual_question.base_url={DOWN}", "visual_question.model=none")
    answer = ask(small_workspace, "What is the woman wearing?", *at)
    assert (answer.status != "answered", DOWN in answer.answer) == (True, True)


def test_a_model_for_pictures_that_cannot_be_used_is_named(small_workspace: Workspace) -> None:
    named = ("engines.visual_question=[gguf]", "visual_question.model=/nowhere/seer.gguf")
    assert "gguf.mmproj" in ask(small_workspace, "What is the woman wearing?", *named).answer
    assert "visual_question" not in ask(small_workspace, "What is the woman wearing?").answer


def test_that_nothing_tells_voices_apart_is_said_where_people_are_counted(small_workspace: Workspace) -> None:
    counted = ask(small_workspace, "How many people speak?")
    assert (counted.status != "answered", "longtake doctor" in counted.answer) == (True, True)
    assert "longtake doctor" not in ask(small_workspace, "Who won the cup?").answer
