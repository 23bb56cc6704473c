"""How speech goes on after words that a question quotes."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide

SPEECH = (
    said("We the people of this valley ask for a bridge.", 3),
    said("It shall be built of stone,", 6),
    said("and it shall stand for ever.", 8),
    said("Thank you.", 10.5),
)


@pytest.mark.parametrize(
    "question",
    [
        'What is said after "We the people of"?',
        'How does the recording that begins with "We the people of" go on?',
        'Which words follow "we the people of"?',
        'Complete the sentence "We the people of".',
        'What do they say after "We the people of"?',
    ],
)
def test_the_rest_of_the_line_is_told(question: str) -> None:
    assert answered(question, *SPEECH) == "“this valley ask for a bridge.” [00:00:03]"


def test_a_sentence_goes_on_to_its_end_over_two_lines() -> None:
    told = answered('How does "It shall be" continue?', *SPEECH)
    assert told == "“built of stone,” [00:00:06] “and it shall stand for ever.” [00:00:08]"


def test_after_a_whole_line_the_next_sentence_follows() -> None:
    told = answered('What does the speaker say after "We the people of this valley ask for a bridge."?', *SPEECH)
    assert told == "“It shall be built of stone,” [00:00:06] “and it shall stand for ever.” [00:00:08]"


def test_a_quotation_that_nobody_says_goes_on_nowhere() -> None:
    assert answered('How does "Four score and seven" go on?', *SPEECH).startswith("NOT FOUND")


def test_words_that_are_said_twice_leave_it_open() -> None:
    twice = (*SPEECH, said("It shall be finished in May.", 20))
    assert not answered('How does "It shall be" continue?', *twice).startswith("“built")


def test_a_step_that_is_quoted_is_none_of_it() -> None:
    steps = slide(0, 20, "Baking bread", "1. Sift the flour", "2. Knead the dough")
    assert answered('What comes after "Sift the flour"?', *steps, *SPEECH) == "“2. Knead the dough” [00:00:00]"


@pytest.mark.parametrize(
    "question",
    [
        'Why does the speaker go on after "We the people of"?',
        'Where is the speaker after the words "We the people of"?',
        'What does the speaker do after "We the people of"?',
        'How do the listeners react to the words that follow "We the people of"?',
        'What do the words after "We the people of" mean?',
        'What is never said after "We the people of"?',
    ],
)
def test_what_else_comes_after_the_words_is_not_their_rest(question: str) -> None:
    assert not answered(question, *SPEECH).startswith("“this valley")
