"""Who speaks, who says what, and what somebody says, answered without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.libraries import SETTINGS
from helpers.media.talk_of_topics import write_talk

from longtake.agent.graph.agent import Agent
from longtake.preprocess.pipeline.workspace import Workspace

LINES = (
    "Nora: Good evening, and welcome to the allotment society.",
    "Nora: We begin with the water, as always.",
    "Piet: The pump failed again on Sunday, so I carried buckets.",
    "Nora: And the fence?",
    "Odile: I have painted half of it.",
    "Piet: The badgers dig under it anyway.",
    "Odile: Then we need stones, and the quarry sells them cheaply.",
    "Nora: The meeting is closed.",
)
LITTLE = ("The bakery opens at six.", "Bread is ready by seven.")


def talk_of(root: Path, name: str, lines: Sequence[str]) -> Agent:
    workspace = Workspace(root / "library", SETTINGS)
    workspace.add(write_talk(root / name, lines))
    return Agent(workspace)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    return talk_of(tmp_path_factory.mktemp("allotment"), "allotment.wav", LINES)


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    return talk_of(tmp_path_factory.mktemp("bakery"), "bakery.wav", LITTLE)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who mentions the badgers?", "Piet: “The badgers dig under it anyway.”"),
        ("Who talks about the quarry?", "Odile: “Then we need stones, and the quarry sells them cheaply.”"),
        ("What does Piet say about the pump?", "“Piet: The pump failed again on Sunday, so I carried buckets.”"),
        ("Who speaks?", "“Three people speak: Nora, Piet, Odile.”"),
    ],
)
def test_a_speaker_is_named_with_what_they_say(agent: Agent, question: str, answer: str) -> None:
    found = agent.ask(["allotment.wav"], question)
    assert found.status == "answered"
    assert found.answer.startswith(answer)


@pytest.mark.parametrize(
    "question",
    ["Who mentions the lighthouse?", "What does Odile say about the pump?", "Who is talking in this meeting?"],
)
def test_what_nobody_or_somebody_else_says_is_not_told_as_said(agent: Agent, question: str) -> None:
    assert agent.ask(["allotment.wav"], question).status != "answered"


def test_who_says_it_is_not_answered_by_a_transcript_that_names_nobody(bakery: Agent) -> None:
    found = bakery.ask(["bakery.wav"], "Who says that the bread is ready?")
    assert found.status == "uncertain"
    assert LITTLE[1] in found.answer


@pytest.mark.parametrize("question", ["Transcribe this.", "What is said in this recording?", "What does she say?"])
def test_all_that_is_said_is_quoted_where_it_is_little(bakery: Agent, question: str) -> None:
    found = bakery.ask(["bakery.wav"], question)
    assert found.status == "answered"
    assert all(line in found.answer for line in LITTLE)
