"""What a follow-up question means."""

from __future__ import annotations

import pytest

from longtake.agent.graph.agent import Agent
from longtake.agent.query.follow_up import beside_last, pointed_at, resolve, subject_of, with_times
from longtake.memory.records import Citation
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace

LAST = Citation(video="v", start=4.0, end=6.0, modality="speech", quote="The blue kettle costs 249 dollars.")


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What does the blue kettle cost?", "the blue kettle"),
        ("Where is the red car?", "the red car"),
        ("Which sports teams does Paul Allen own?", "Paul Allen"),
        ("What is the price of the lamp?", "the price"),
        ("Who speaks?", None),
    ],
)
def test_what_a_question_is_about(question: str, thing: str | None) -> None:
    assert subject_of(question) == thing


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Where is it made?", "Where is the blue kettle made?"),
        ("What is its colour?", "What is the blue kettle's colour?"),
        ("Is it true that the lamp is red?", "Is it true that the lamp is red?"),
        ("What does the lamp cost?", "What does the lamp cost?"),
        ("When?", "When? What does the blue kettle cost?"),
        ("And why exactly?", "And why exactly? What does the blue kettle cost?"),
        ("When is the fair?", "When is the fair?"),
    ],
)
def test_a_pronoun_and_a_bare_question_are_about_what_was_asked_before(question: str, meant: str) -> None:
    assert resolve(question, ["What does the blue kettle cost?"]) == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("And what is that person's work?", "And what is Paul Allen's work?"),
        ("What does this man do?", "What does Paul Allen do?"),
        ("What is his or her job?", "What is Paul Allen's job?"),
        ("And the phone number?", "What is the phone number of Paul Allen?"),
        ("Who is the person in the red hat?", "Who is the person in the red hat?"),
    ],
)
def test_somebody_who_was_named_is_pointed_at(question: str, meant: str) -> None:
    assert resolve(question, ["How old is Paul Allen?"]) == meant


@pytest.mark.parametrize(
    ("before", "meant"),
    [
        ("Where is Oslo?", "What does this man do?"),
        ("Who is Paul?", "What does Paul do?"),
        ("Where is Paul Allen?", "What does Paul Allen do?"),
    ],
)
def test_one_capitalised_word_is_a_person_only_to_who_asks_for_one(before: str, meant: str) -> None:
    assert resolve("What does this man do?", [before]) == meant


def test_a_pronoun_reaches_back_over_questions_that_only_have_pronouns() -> None:
    assert resolve("Where is he?", ["What does Paul Allen own?", "How old is he?"]) == "Where is Paul Allen?"
    assert resolve("Where is he?", []) == "Where is he?"


@pytest.mark.parametrize("question", ["What else is written on that slide?", "Who speaks then?", "What is said there?"])
def test_a_place_that_is_pointed_at_is_where_the_last_answer_rests(question: str) -> None:
    assert pointed_at(question, LAST) == TimeSpan(start=4.0, end=6.0)
    assert pointed_at(question, None) is None


@pytest.mark.parametrize(
    ("question", "span", "ordinal"),
    [("And after that?", (6, 100), 0), ("What does she say right before that?", (0, 4), -1)],
)
def test_what_comes_next_is_looked_for_beside_the_last_answer(
    question: str, span: tuple[float, float], ordinal: int
) -> None:
    scope = beside_last(question, LAST, 100.0)
    assert scope is not None
    assert scope.span == TimeSpan(start=span[0], end=span[1])
    assert scope.ordinal == ordinal
    assert beside_last(question, None, 100.0) is None
    assert beside_last("What is said after the storm?", LAST, 100.0) is None


def test_he_is_the_answer_to_who_did_something() -> None:
    assert resolve("Where does he live?", ["Who owns the Seahawks?"]) == "Where does he live?"
    assert resolve("Where do they play?", ["Who owns the Seahawks?"]) == "Where do Seahawks play?"


def test_other_questions_point_at_nothing() -> None:
    assert pointed_at("How many people are there in the room?", LAST) is None
    assert pointed_at("How many red circles are there?", LAST) is None


def test_a_thread_answers_a_question_that_only_points_at_it(small_workspace: Workspace) -> None:
    agent = Agent(small_workspace)
    first = agent.ask(["talk.mp4"], "What colour is the kettle?", thread="t")
    again = agent.ask(["talk.mp4"], "How much does it cost?", thread="t")
    assert first.question == "What colour is the kettle?"
    assert (again.question, again.status) == ("How much does it cost?", "answered")
    assert "249 dollars" in again.answer


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
