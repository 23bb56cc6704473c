"""What slides tell in labelled lines and in tables: causes, amounts, somebody's work and number; quoted titles."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide, table

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.labelled import asks_labelled
from longtake.agent.rules.tables import asks_cell, asks_holder

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


def asked(question: str) -> Orientation:
    kind, senses = classify(question)
    return Orientation(question=question, kind=kind, modalities=senses, videos={"v": 60.0})


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
    [
        "What is Ruth Calder's job?",
        "As what does Ruth Calder work?",
        "Which profession does Ruth Calder have?",
        "What does Ruth Calder do for a living?",
        "What does Ruth Calder do?",
        "Which job is given for Ruth Calder?",
    ],
)
def test_the_work_of_somebody_is_the_cell_below_its_head(question: str) -> None:
    assert answered(question, *ALL) == "“Position”: “Ruth Calder”, “harbour pilot” [00:00:30]"


@pytest.mark.parametrize(
    "question",
    [
        "Under which number can one call Omar Finch?",
        "What is the number of Omar Finch?",
        "Which number is given for Omar Finch?",
        "Give me Omar Finch's telephone number.",
        "How can Omar Finch be reached by phone?",
    ],
)
def test_the_number_of_somebody_is_the_cell_below_its_head(question: str) -> None:
    assert answered(question, *ALL) == "“Tel.”: “Omar Finch”, “0555 3434” [00:00:30]"


def test_no_number_is_told_of_somebody_who_stands_in_no_row() -> None:
    assert answered("What is the phone number of Nell Young?", *ALL).startswith("NOT FOUND")


@pytest.mark.parametrize(
    "question",
    [
        "Who is the sail maker?",
        "Whose job is sail maker?",
        "Who is employed as sail maker?",
        "Who works as sail maker?",
        "Which of these people has the job of sail maker?",
        "What is the name of the sail maker?",
    ],
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
    "question",
    [
        "Why does Ruth Calder love her job?",
        "When did Ruth Calder ring Omar?",
        "Where does Ruth Calder work?",
        "How many jobs does Ruth Calder have?",
        "How many times did Ruth Calder call?",
        "Which jobs did Ruth Calder turn down?",
        "What was Ruth Calder's job before?",
        "Which phone does Ruth Calder have?",
        "What ring does Ruth Calder wear?",
        "What number does Ruth Calder wear on her shirt?",
        "What job does the speaker say Ruth Calder has?",
        "Which job does Ruth Calder not have?",
    ],
)
def test_a_name_beside_work_or_number_is_not_yet_a_question_about_a_table(question: str) -> None:
    assert not asks_cell(asked(question))


@pytest.mark.parametrize(
    "question",
    [
        "Who is not the sail maker?",
        "Who was sail maker before?",
        "Who works with the sail maker?",
        "Who is the sail maker for?",
        "Who is like the sail maker?",
        "Who has a sail maker?",
        "Whose sail maker is named?",
    ],
)
def test_somebody_else_than_who_has_a_work_is_not_looked_for_in_a_table(question: str) -> None:
    assert not asks_holder(asked(question))


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
