"""Days as they are written, as they are said, and whether the two agree."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide

from longtake.agent.orientation import Orientation, split_parts
from longtake.agent.rules.parts import parts_of

MARKET = slide(0, 10, "Flea market", "Sunday 9 March", "Bring a bag")
CHOIR = slide(10, 20, "Choir evening", "Tuesday 4 April")
TALK = (
    *MARKET,
    *CHOIR,
    said("The flea market is on Monday the 10th of March.", 2),
    said("The choir evening is on Tuesday 4 April.", 12),
    said("There is a raffle on Friday.", 15),
)
WRITTEN, SPOKEN = "“Sunday 9 March” [00:00:00]", "“The flea market is on Monday the 10th of March.” [00:00:02]"


@pytest.mark.parametrize(
    "question",
    [
        "According to the slide, when is the flea market?",
        "Which day is written on the slide for the flea market?",
        "The slide says that the flea market is on which day?",
        "What does the slide say about when the flea market is?",
        "On what date is the flea market, as it is written?",
    ],
)
def test_the_day_on_the_slide_is_told_though_another_is_said(question: str) -> None:
    assert answered(question, *TALK) == WRITTEN


@pytest.mark.parametrize(
    "question",
    [
        "Which day does the speaker name for the flea market?",
        "According to the speaker, when is the flea market?",
        "On which day is the flea market said to be?",
    ],
)
def test_the_day_that_is_said_is_told_though_another_is_written(question: str) -> None:
    assert answered(question, *TALK) == SPOKEN


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Do the speaker and the slide give the same day for the flea market?", "No, they differ"),
        ("Is the spoken date of the flea market the one that is written?", "No, they differ"),
        ("Do what is said and what is written about the date of the flea market agree?", "No, they differ"),
        ("Does the speaker contradict the slide about the date of the flea market?", "Yes, they differ"),
        ("Is the written day of the flea market different from the spoken one?", "Yes, they differ"),
    ],
)
def test_both_days_are_told_where_they_differ(question: str, verdict: str) -> None:
    assert answered(question, *TALK) == f"{verdict}: written is {WRITTEN} Said is {SPOKEN}"


def test_a_question_whether_two_things_agree_is_one_question() -> None:
    question = "Do what is said and what is written about the date of the flea market agree?"
    parts = split_parts(question)
    whole = Orientation(question=question, kind="fact", parts=parts, videos={"v": 100.0})
    assert len(parts) == 2
    assert parts_of(whole) == [whole]


def test_days_that_agree_are_said_to_agree() -> None:
    question = "Does the date of the choir evening that is said match the slide?"
    assert answered(question, *TALK).startswith("Yes, they agree: written is “Tuesday 4 April” [00:00:10] Said is")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Do the slide and the speaker agree on the day of the raffle?", "NOT FOUND: No day of it is written."),
        ("Which day is written for the regatta?", "NOT FOUND: No day of it is told there."),
    ],
)
def test_no_other_day_stands_for_one_that_is_missing(question: str, reason: str) -> None:
    assert answered(question, *TALK) == reason


def test_a_day_of_which_only_part_is_told_is_not_compared() -> None:
    vague = (*MARKET, said("The flea market is on Sunday.", 2))
    question = "Is the day of the flea market that is said the same as on the slide?"
    assert answered(question, *vague).startswith("NOT FOUND: The two cannot be compared")


def test_a_moment_of_the_video_is_no_day() -> None:
    assert "is said from" in answered("When does the speaker say that the flea market is on Monday?", *TALK)


@pytest.mark.parametrize(
    "question",
    [
        "What does the man say when the date is announced?",
        "When is the day of the flea market mentioned?",
        "When does the speaker say hello?",
        "Who says the date of the flea market?",
        "How many days are written on the slide?",
        "What does the speaker say on the day of the flea market?",
        "Which day is not written for the flea market?",
    ],
)
def test_what_asks_for_no_day_is_told_none(question: str) -> None:
    assert answered(question, *TALK) not in (WRITTEN, SPOKEN, "NOT FOUND: No day of it is told there.")
