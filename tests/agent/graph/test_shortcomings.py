"""An answer that isn't sure says which model failed or is missing."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

from helpers.asking import VIDEO

from longtake.agent.graph.agent import Agent
from longtake.agent.graph.run_context import RunContext
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
    for other in ("Who won the cup?", "How many dollars does the kettle cost?"):
        assert "longtake doctor" not in ask(small_workspace, other).answer


def test_that_nothing_finds_people_is_said_and_nobody_is_counted(small_workspace: Workspace) -> None:
    for options in ((), ("1", "2", "3")):
        answer = Agent(small_workspace).ask([VIDEO], "How many people are there?", options=options)
        assert (answer.status, answer.option) == ("abstained", None)
        assert "longtake models pull nanodet" in answer.answer


def test_a_guess_while_indexing_goes_on_proves_nothing(small_workspace: Workspace) -> None:
    def unfinished(context: RunContext) -> RunContext:
        return replace(context, known=context.known.model_copy(update={"incomplete": ("talk.mp4",)}))

    whole = ask(small_workspace, "Which room is it?")
    part = Agent(small_workspace).ask([VIDEO], "Which room is it?", change=unfinished)
    assert (whole.status, part.status) == ("uncertain", "partial")
    assert (part.citations, part.closest) == ((), whole.closest)
    proven = Agent(small_workspace).ask([VIDEO], "What does the blue kettle cost?", change=unfinished)
    assert (proven.status, bool(proven.citations), proven.closest) == ("partial", True, ())


def test_what_is_still_being_indexed_is_not_said_to_be_missing(tmp_path: Path, tone: Path) -> None:
    workspace = Workspace(tmp_path, load(overrides=("engines.speech=[]",)))
    video = workspace.add(tone).video.id

    def answered(*incomplete: str) -> str:
        def known(context: RunContext) -> RunContext:
            return replace(context, known=context.known.model_copy(update={"incomplete": incomplete, "problems": {}}))

        return Agent(workspace).ask([video], "What is said about the ferry?", change=known).answer

    assert ("Not examined: speech" in answered(), "Not examined" in answered("tone.wav")) == (True, False)


def test_many_damaged_layers_are_told_in_few_words(small_workspace: Workspace) -> None:
    def broken(context: RunContext) -> RunContext:
        damaged = tuple(f"The layer {name} is damaged." for name in "abcdefgh")
        return replace(context, known=context.known.model_copy(update={"damaged": damaged}))

    told = Agent(small_workspace).ask([VIDEO], "Who won the cup?", change=broken).answer
    assert (told.count("is damaged"), "5 other layers" in told) == (3, True)
