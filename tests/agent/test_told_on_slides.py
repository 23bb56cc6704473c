"""What slides tell in labelled lines and in tables: causes, amounts, somebody's work and number; quoted titles."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide, table

from longtake.agent.orientation import Orientation
from longtake.agent.rules.labelled import asks_labelled

FAULT = slide(0, 10, "Incident of the week", "Boiler went cold", "Cause: Empty tank", "Remedy: Fill the tank")
TWO = slide(10, 20, "Both repairs", "Roof leaks", "Reason: Old slates", "Door sticks", "Reason: Damp wood")
COUNTS = slide(20, 30, "Our museum", "Guests: 2418", "Paintings: 77", "Founded 1911")
STAFF = (
    *slide(30, 40, "Who to ask"),
    *table(
        30,
        40,
        ("Name", "Position", "Tel."),
        ("Ruth Calder", "harbour pilot", "0555 1212"),
        ("Omar Finch", "sail maker", "0555 3434"),
    ),
)
ALL = (*FAULT, *TWO, *COUNTS, *STAFF)


@pytest.mark.parametrize(
    "question",
    [
        "Why did the boiler go cold?",
        'What was the cause of "boiler went cold"?',
        "What led to the incident of the week?",
        "Boiler went cold - why?",
        "What was to blame for the incident of the week?",
        "How come the boiler went cold?",
    ],
)
def test_a_labelled_cause_is_told_not_the_title(question: str) -> None:
    assert answered(question, *ALL) == "“Cause: Empty tank” [00:00:00]"


def test_of_two_causes_the_one_below_what_is_asked_about_is_told() -> None:
    assert answered("What is the reason that the door sticks?", *ALL) == "“Reason: Damp wood” [00:00:10]"


@pytest.mark.parametrize(
    "question",
    [
        "Why did the train stop?",
        "What was the remedy for the cause of the incident of the week?",
        "Why is the incident of the week no news in Paris or Rome?",
        "Why did the boiler not go cold?",
        "Which person was to blame for the incident of the week?",
        "Why is the boiler green?",
    ],
)
def test_no_cause_is_told_of_what_the_slide_does_not_speak_of(question: str) -> None:
    assert answered(question, *ALL) != "“Cause: Empty tank” [00:00:00]"


def test_a_question_that_says_nothing_of_what_happened_has_no_cause() -> None:
    assert answered("Why did this happen?", *FAULT, *COUNTS).startswith("NOT FOUND")


@pytest.mark.parametrize(
    "question",
    [
        "How many guests were there?",
        "What was the number of guests?",
        'How many guests does the slide "Our museum" give?',
        "How many guests did the museum report?",
    ],
)
def test_a_labelled_amount_is_told(question: str) -> None:
    assert answered(question, *ALL) == "“Guests: 2418” [00:00:20]"


@pytest.mark.parametrize(
    "question",
    [
        "How many guests came by boat?",
        "How many more guests than paintings are there?",
        "How many birds came?",
    ],
)
def test_no_amount_is_told_of_something_narrower(question: str) -> None:
    assert "2418” [" not in answered(question, *COUNTS)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What is the number of guests?", True),
        ("How many of the guests were there?", False),
        ("What is a third of the number of guests?", False),
        ("How many guests were there per painting?", False),
        ("How many guests came on average?", False),
    ],
)
def test_a_part_of_an_amount_is_not_the_amount(question: str, asks: bool) -> None:
    assert asks_labelled(Orientation(question=question, kind="fact")) is asks


@pytest.mark.parametrize(
    "question",
    ["What is Ruth Calder's job?", "As what does Ruth Calder work?", "Which profession does Ruth Calder have?"],
)
def test_the_work_of_somebody_is_the_cell_below_its_head(question: str) -> None:
    assert answered(question, *ALL) == "“Position”: “Ruth Calder”, “harbour pilot” [00:00:30]"


def test_the_number_of_somebody_is_the_cell_below_its_head() -> None:
    draft = "“Tel.”: “Omar Finch”, “0555 3434” [00:00:30]"
    assert answered("Under which number can one call Omar Finch?", *ALL) == draft
    assert answered("What is the phone number of Nell Young?", *ALL).startswith("NOT FOUND")


@pytest.mark.parametrize(
    "question", ["Who is the sail maker?", "Whose job is sail maker?", "Who is employed as sail maker?"]
)
def test_who_has_a_work_is_told_with_the_row(question: str) -> None:
    assert answered(question, *ALL) == "“Omar Finch · sail maker · 0555 3434” [00:00:30]"


@pytest.mark.parametrize(
    "question",
    [
        "Is Ruth Calder happy with her job?",
        "Who is the apprentice of the sail maker?",
        "Who met the sail maker in spring?",
    ],
)
def test_a_table_answers_nothing_else(question: str) -> None:
    assert answered(question, *ALL, said("Good morning.", 32)).startswith("NOT FOUND")


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ('What does the slide "Our museum" say?', "“Guests: 2418” [00:00:20] “Paintings: 77” [00:00:20]"),
        ('How many paintings are listed on the slide titled "our museum"?', "“Paintings: 77” [00:00:20]"),
        ('In which year was it, according to the slide "Our museum"?', "“Founded 1911” [00:00:20]"),
    ],
)
def test_a_slide_is_named_by_its_title_in_quotation_marks(question: str, draft: str) -> None:
    assert answered(question, *ALL).startswith(draft)


DARK = slide(40, 50, "Trouble in the shed", "No light in the shed", "Cause: Loose plug")


@pytest.mark.parametrize(
    "question", ["Why is there no light in the shed?", "Why did this happen - no light in the shed?"]
)
def test_the_cause_of_what_the_slide_denies_is_told(question: str) -> None:
    assert answered(question, *ALL, *DARK) == "“Cause: Loose plug” [00:00:40]"


@pytest.mark.parametrize(
    "question",
    [
        "How many guests did not come?",
        "What is not the job of Ruth Calder?",
        "Who isn't the sail maker?",
        "Never mind the guests: which number is not given?",
    ],
)
def test_what_a_question_denies_is_not_looked_up(question: str) -> None:
    assert answered(question, *ALL, *DARK).startswith("NOT FOUND")
