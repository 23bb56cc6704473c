"""Questions about what is not so: answered by what denies the same, or by nothing."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide, table

from longtake.agent.rules.denial import affirmed, denies

HELD = (
    *slide(0, 10, "Our museum", "Guests: 2418", "Paintings: 77"),
    *slide(10, 20, "Price list"),
    *table(10, 20, ("Kettle", "$45"), ("Lamp", "$20"), ("Teapot", "$33")),
    *slide(20, 30, "Steps", "1. Fill the tank", "2. Start the pump"),
    said("Twelve guests did come.", 2),
    said("Thirty guests were not there.", 5),
    said("The pump must not be started before ten.", 22),
    said("Please come to gate four.", 44),
    said("If the tone does not stop, people meet at gate five.", 50),
    said("There is a cake that Olga baked without sugar.", 60),
)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How many guests were not there?", "Thirty guests were not there."),
        ("How many guests weren't there?", "Thirty guests were not there."),
        ("What must not be started before ten?", "The pump must not be started before ten."),
        ("Where do people meet if the tone does not stop?", "If the tone does not stop, people meet at gate five."),
        ("Which cake is without sugar?", "There is a cake that Olga baked without sugar."),
    ],
)
def test_a_line_that_denies_the_same_answers(question: str, line: str) -> None:
    assert f"“{line}”" in answered(question, *HELD)


@pytest.mark.parametrize(
    "question",
    [
        "How many guests did not come?",
        "How many guests never came?",
        "How many paintings does the museum not have?",
        "Which item is not on the price list?",
        "What does the kettle not cost?",
        "What is the cheapest item that is not the lamp?",
        "Which article costs the least apart from the lamp?",
        "What is the total of the prices without the lamp?",
        "What does everything but the lamp cost?",
        "Where should people not come?",
        "Which step is not to start the pump?",
        "What is not written on the steps slide?",
        "Which words are not on the first slide?",
        "Which cake is not with sugar?",
        "What is shown while nobody speaks?",
        "What is not said at 0:44?",
    ],
)
def test_what_is_so_does_not_answer_what_is_not(question: str) -> None:
    assert answered(question, *HELD).startswith("NOT FOUND")


def test_what_a_program_does_not_print_is_not_what_it_prints() -> None:
    program = slide(0, 10, "Loops", "print(7 * 6)")
    assert answered("What does the code not print?", *program).startswith("NOT FOUND: Nothing said or written")


@pytest.mark.parametrize(
    ("question", "denial"),
    [
        ("Who did not come?", True),
        ("When is nobody there?", True),
        ("Who came except Anna?", True),
        ("Isn't the kettle $45?", False),
        ("The kettle costs $45, doesn't it?", False),
        ("When is there no sound?", False),
        ("When is “do not run” said?", False),
        ("I did not hear it. Who came?", False),
        ("Who waits while nobody comes?", False),
    ],
)
def test_a_denial_is_told_from_a_condition_a_quotation_and_a_way_of_asking(question: str, denial: bool) -> None:
    assert denies(question) == denial


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It is on Thursday, not on Friday.", "It is on Thursday,"),
        ("Many think she built it, but she did not.", ""),
        ("I would not use the second edition. Use the third.", "Use the third."),
        ("Nothing is denied here? Yes.", "Yes."),
        ("The door is green.", "The door is green."),
    ],
)
def test_what_a_text_denies_is_left_out(text: str, left: str) -> None:
    assert affirmed(text) == left
