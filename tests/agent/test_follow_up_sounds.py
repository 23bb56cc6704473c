"""What a follow-up means when the question before it named a sound."""

from __future__ import annotations

import pytest

from longtake.agent.follow_up import resolve


@pytest.mark.parametrize(
    "question",
    [
        "And what can be heard directly after it?",
        "Which noise comes next?",
        "What follows?",
        "And then?",
        "What else do you hear afterwards?",
        "What's the next sound?",
    ],
)
def test_what_comes_next_after_a_sound_is_the_sound_after_it(question: str) -> None:
    assert resolve(question, ["When does the siren begin?"]) == "Which sound is heard right after the siren?"


def test_what_came_before_a_sound_is_the_sound_before_it() -> None:
    assert resolve("And before that?", ["When is the applause heard?"]) == (
        "Which sound is heard right before the applause?"
    )


@pytest.mark.parametrize("question", ["When is that?", "And at what time is that?", "When does it sound?"])
def test_the_time_of_what_is_seen_during_a_sound_is_that_of_the_sound(question: str) -> None:
    assert resolve(question, ["Which colour has the ball while the whistle is heard?"]) == "When is the whistle heard?"


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("What does the lamp cost?", "What comes next?"),
        ("When does the siren begin?", "What happens next?"),
        ("When does the siren begin?", "What comes then?"),
        ("Is the siren loud?", "And then?"),
        ("How many beeps are there?", "Which sound follows?"),
        ("What colour is the ball while the beep sounds?", "When does that happen?"),
        ("When does the siren begin?", "What is said next?"),
        ("When does the siren begin?", "Which slide comes next?"),
        ("What colour is the ball while the beep sounds?", "What comes next?"),
        ("What is said while the music plays?", "When is that?"),
        ("Which sound is heard right after the music?", "When is that?"),
        ("Does the siren or the music come first?", "And then?"),
        ("What colour is the ball while the beep sounds?", "When is that shown on a slide?"),
    ],
)
def test_what_may_mean_something_else_stays_as_it_is(before: str, question: str) -> None:
    assert resolve(question, [before]) == question
