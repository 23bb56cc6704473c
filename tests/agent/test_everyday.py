"""Everyday questions whose words stand in a line that yet answers something else."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide, table

HELD = (
    *slide(0, 10, "Bike workshop"),
    *table(
        0, 10, ("Part", "Maker", "Price"), ("Chain guard", "Orla Wheels", "$24"), ("Brake cable", "Orla Wheels", "$9")
    ),
    *slide(10, 20, "Tyres cost more", "+ $3", "2 of 12 tyres torn"),
    *slide(20, 30, "Dates"),
    *table(20, 30, ("Hall is painted", "4 May"), ("Hall opens", "19 May")),
    *slide(30, 40, "House rules", "Room 7, second floor", "Keep 2 metres away from the ramp"),
    *slide(40, 50, "Our sign", "Bell, when the hall closes"),
    said("I am Nora Pell, and I sweep this hall.", 2),
    said("Is the owner of the workshop in?", 12),
    said("Or else we are likely to get wet.", 22),
    said("The roof leaks because a tile broke.", 26),
    said("Before the hall opens, you hear a gong.", 32),
    said("Here are the house rules for all.", 38),
    said("If it rains, come by Saturday, and bring the bike.", 44),
)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How much is the chain guard?", "Chain guard · Orla Wheels · $24"),
        ("What does the guard cost?", "Chain guard · Orla Wheels · $24"),
        ("How much does the cable from Orla Wheels cost?", "Brake cable · Orla Wheels · $9"),
        ("What is the cheapest part?", "Brake cable · Orla Wheels · $9"),
        ("What happens on 19 May?", "Hall opens · 19 May"),
        ("What happens on the 4th of May?", "Hall is painted · 4 May"),
        ("What is the name of the person who sweeps this hall?", "I am Nora Pell, and I sweep this hall."),
        ("How far should I keep away from the ramp?", "Keep 2 metres away from the ramp"),
        ("Which room is on the second floor?", "Room 7, second floor"),
        ("What do you hear before the hall opens?", "Before the hall opens, you hear a gong."),
        ("What question is asked about the owner of the workshop?", "Is the owner of the workshop in?"),
        ("Why does the roof leak?", "The roof leaks because a tile broke."),
    ],
)
def test_the_line_that_answers_is_the_only_one_told(question: str, line: str) -> None:
    draft = answered(question, *HELD)
    assert draft.startswith(f"“{line}” [")
    assert draft.count("[") == 1


@pytest.mark.parametrize(
    "question",
    [
        "How much does the chain cost?",  # the guard is another thing
        "How many guards are there?",  # 24 is its price
        "By how much did the tyres go up?",  # 2 of 12 is no rise
        "What is the name of the hall?",  # who sweeps it has a name
        "How long is the ramp?",  # 2 metres is how far one stays away
        "Which room is on the first floor?",
        "What is the second house rule?",  # of all of them one line speaks
        "Is the owner of the workshop in?",  # that is asked there, too
        "Why would we get wet?",  # no cause is told
        "What comes after the hall is painted?",  # the line stands there; the hall is not painted there
    ],
)
def test_a_line_with_the_words_of_a_question_may_answer_another(question: str) -> None:
    assert answered(question, *HELD).startswith("NOT FOUND")
