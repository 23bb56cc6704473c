"""An answer that isn't sure says which model failed or is missing."""

from __future__ import annotations

import copy

import pytest
from helpers.asking import VIDEO

from longtake.agent.graph.agent import Agent
from longtake.agent.graph.nodes.answer import VOICES
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


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many people speak?", True),
        ("How many speakers are heard?", True),
        ("Who won the cup?", False),
        ("How many times is the kettle mentioned?", False),
        ("How many times do the speakers say hello?", False),
        ("How many reasons does she give?", False),
    ],
)
def test_that_nothing_tells_voices_apart_is_said_where_speakers_are_counted(
    small_workspace: Workspace, question: str, said: bool
) -> None:
    counted = ask(small_workspace, question)
    assert (counted.status != "answered", VOICES in counted.answer) == (True, said)
