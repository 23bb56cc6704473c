"""Options that are typed into the text of a question."""

from __future__ import annotations

import pytest

from longtake.agent.query.query import split_options

ANIMALS = ("Deer", "Fox", "Elephant")
ASKED = "Which animal is it?"


@pytest.mark.parametrize(
    "text",
    [
        "Which animal is it? A. Deer B. Fox C. Elephant",
        "Which animal is it?\nA. Deer\nB. Fox\nC. Elephant",
        "Which animal is it?\n\nA) Deer\nB) Fox\nC) Elephant\n",
        "Which animal is it? (A) Deer (B) Fox (C) Elephant",
        "Which animal is it? A) Deer, B) Fox, or C) Elephant",
        "Which animal is it? A. Deer; B. Fox; C. Elephant",
        "Which animal is it? 1) Deer 2) Fox 3) Elephant",
        "Which animal is it?\n1. Deer\n2. Fox\n3. Elephant",
        "Which animal is it?\na) Deer\nb) Fox\nc) Elephant",
        "Which animal is it?\n  - A. Deer\n  - B. Fox\n  - C. Elephant",
    ],
)
def test_options_in_a_question_are_found(text: str) -> None:
    assert split_options(text) == (ASKED, ANIMALS)


@pytest.mark.parametrize(
    "text", ["which animal is it A) Deer B) Fox C) Elephant", "which animal is it (A) Deer (B) Fox (C) Elephant"]
)
def test_options_in_parentheses_need_no_question_mark(text: str) -> None:
    assert split_options(text) == ("which animal is it", ANIMALS)


def test_what_stands_behind_the_options_belongs_to_the_question() -> None:
    text = "Choose the animal.\nA. A deer that\nruns\nB. A fox\n\nAnswer with the letter."
    assert split_options(text) == ("Choose the animal.\nAnswer with the letter.", ("A deer that runs", "A fox"))


@pytest.mark.parametrize(
    "text",
    [
        "What do they say about plan A. and B?",
        "Do they prefer plan A. or plan B. in the end?",
        "Who is Dr. A. Smith and who is B. Jones?",
        "Who wrote it? A. Smith or B. Jones",
        "Which letter comes first: B. or C.?",
        "Which animal is it? A. Deer",
        "Which is shown? A. Deer C. Elephant",
        "Which version is it: 1. 2. 3?",
        "What happens at 1. 2. and 3. in the list?",
        "Answer each of these.\n1. Who speaks?\n2. What does the cover cost?",
        "Do this for me\n1. Summarize the talk\n2. List the names",
        "A. Deer\nB. Fox",
        "What is it? A. Deer B. Deer",
        "Compare A) the deer and B) the fox",
        "Tell me a) who speaks b) when it is c) where it is",
        "",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert split_options(text) == (text, ())
