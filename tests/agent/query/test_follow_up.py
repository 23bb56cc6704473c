"""What a follow-up question means."""

from __future__ import annotations

import pytest

from longtake.agent.gathering.gathered import Gathered
from longtake.agent.graph.agent import Agent
from longtake.agent.query.scope import pointed_at, refers_back, resolve, with_times
from longtake.agent.traces.trace import RecordedTrace
from longtake.memory.records import Citation
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace

LAST = Citation(video="v", start=4.0, end=6.0, modality="speech", quote="The blue kettle costs 249 dollars.")


KETTLE = "What does the blue kettle cost?"


@pytest.mark.parametrize(
    "question",
    [
        "Where is it made?",
        "What is its colour?",
        "When?",
        "And why exactly?",
        "And the phone number?",
        "Who sells them?",
        "What about the lamp?",
        "But how about Leeds?",
        "Who said that?",
        "Where is that?",
    ],
)
def test_a_question_that_names_little_is_read_with_the_one_before(question: str) -> None:
    assert resolve(question, [KETTLE]) == f"{question} {KETTLE}"
    assert resolve(question, [KETTLE, "And how heavy is it?"]) == f"{question} {KETTLE}"
    assert resolve(question, []) == question


@pytest.mark.parametrize(
    "question",
    [
        "Is it true that the lamp is red?",
        "What does the lamp cost?",
        "When is the fair?",
        "What happens in this video?",
        "Who speaks?",
        "Who says that the lamp is red?",
    ],
)
def test_a_question_that_stands_by_itself_stays(question: str) -> None:
    assert resolve(question, [KETTLE]) == question


@pytest.mark.parametrize("question", ["What else is written on that slide?", "Who speaks then?", "What is said there?"])
def test_a_place_that_is_pointed_at_is_where_the_last_answer_rests(question: str) -> None:
    scope = pointed_at(question, LAST, 100.0)
    assert scope is not None
    assert (scope.span, scope.ordinal) == (TimeSpan(start=4.0, end=6.0), None)
    assert pointed_at(question, None, 100.0) is None


@pytest.mark.parametrize(
    ("question", "span", "ordinal"),
    [("And after that?", (6, 100), 0), ("What does she say right before that?", (0, 4), -1)],
)
def test_what_comes_next_is_looked_for_beside_the_last_answer(
    question: str, span: tuple[float, float], ordinal: int
) -> None:
    scope = pointed_at(question, LAST, 100.0)
    assert scope is not None
    assert scope.span == TimeSpan(start=span[0], end=span[1])
    assert scope.ordinal == ordinal
    assert pointed_at(question, None, 100.0) is None
    assert pointed_at("What is said after the storm?", LAST, 100.0) is None


def test_other_questions_point_at_nothing() -> None:
    assert pointed_at("How many people are there in the room?", LAST, 100.0) is None
    assert pointed_at("How many red circles are there?", LAST, 100.0) is None


def test_a_thread_answers_a_question_that_only_points_at_it(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    first = agent.ask(["talk.mp4"], "What colour is the kettle?", thread="t")
    again = agent.ask(["talk.mp4"], "How much does it cost?", thread="t")
    assert first.question == "What colour is the kettle?"
    assert (again.question, again.status) == ("How much does it cost?", "answered")
    assert "249 dollars" in again.answer


@pytest.mark.parametrize("question", ["And the drive belt?", "What about the drive belt?"])
def test_a_thread_answers_about_what_the_follow_up_names(demo_workspace: Workspace, question: str) -> None:
    agent = Agent(demo_workspace)
    first = agent.ask(["demo.mp4"], "What does the telescope cover cost?", thread=question)
    assert "$249" in first.answer
    again = agent.ask(["demo.mp4"], question, thread=question)
    assert "$86" in again.answer
    assert "$249" not in again.answer


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What is “folding & waiting” about?", "What is 00:01:09.2 to 00:01:35.5 about?"),
        ("Who says 'Folding'?", "Who says 'Folding'?"),
        ("What is folding and waiting about?", "What is folding and waiting about?"),
    ],
)
def test_a_quoted_title_stands_for_its_section(question: str, meant: str) -> None:
    assert with_times(question, {"Folding & waiting": TimeSpan(start=69.25, end=95.5)}) == meant


@pytest.mark.parametrize(
    ("question", "back"),
    [
        ("Why is it taking so long?", True),
        ("What did she tell them to do?", True),
        ("And before that?", True),
        ("When is the next meeting?", False),
    ],
)
def test_a_pronoun_refers_back(question: str, back: bool) -> None:
    assert refers_back(question) == back


def test_a_follow_up_is_likely_about_the_seconds_around_the_last_answer(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    agent.ask(["talk.mp4"], "What does the blue kettle cost?", thread="near")
    answer = agent.ask(["talk.mp4"], "And who made it?", thread="near")
    trace = RecordedTrace(small_workspace.library.trace_root, answer.trace or "")
    (event,) = [event for event in trace.events() if event["type"] == "brief"]
    found = Gathered.model_validate(trace.blob(event["output"])).found
    assert [each.evidence.text for each in found if each.anchored]
