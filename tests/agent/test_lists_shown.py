"""Lists on slides: numbered steps, prices, and how the picture changes to a slide."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.agent.rules.time.transitions import changes_to
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.calculator import evaluate
from longtake.tools.result import ToolFailure, ToolResult


def piece(content: str, start: float, top: float = 0.1, left: float = 0.1) -> Evidence:
    span = TimeSpan(start=start, end=start + 8)
    box = (left, top, 0.3, 0.08)
    return Evidence(video="v", span=span, modality="scene_text", content=content, engine="e", box=box)


def slide(start: float, *lines: str) -> tuple[Evidence, ...]:
    return tuple(piece(line, start, 0.1 + 0.15 * number) for number, line in enumerate(lines))


def seen(content: str, time: float, modality: Modality = "visual") -> Evidence:
    span = TimeSpan(start=time, end=time)
    return Evidence(video="v", span=span, modality=modality, content=content, engine="e")


BREAD = slide(10, "Baking bread", "1. Sift the flour", "2. Knead the dough", "3. Heat the oven")
BOAT = slide(30, "Mending the boat", "1) Dry the hull", "2) Tar the hull")
PRICES = (
    *slide(50, "Price list", "Kettle", "Lamp", "Rope"),
    *(piece(price, 50, 0.25 + 0.15 * row, 0.6) for row, price in enumerate(("$45", "$12", "$30"))),
)
BOTH = "“1) Dry the hull” [00:00:30] “2) Tar the hull” [00:00:30]"
CHANGES = (seen("cut to another shot", 29.9), seen("dissolve to another shot", 48.5))


def answered(question: str, *held: Evidence) -> str:
    return drafted(question, lambda call: _result(call, held))[0]


def _result(call: Call, held: tuple[Evidence, ...]) -> ToolResult:
    if call.name == "calculator":
        return ToolResult(tool=call.name, output={"result": evaluate(call.arguments["expression"])})
    if call.name == "detect_activities":
        start, end = call.arguments["timestamp"]
        return ToolResult(tool=call.name, evidence=tuple(c for c in CHANGES if start <= c.span.start <= end))
    if call.name == "count_objects":
        return ToolResult(tool=call.name, failure=ToolFailure(kind="unavailable", message="Not here."))
    wanted = call.name in ("extract_scene_text", "cross_modal_search")
    span = TimeSpan(start=0, end=100)
    return ToolResult(tool=call.name, evidence=held if wanted else (), looked_at=(span,))


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        (
            "What are the steps of baking the bread?",
            "“1. Sift the flour” [00:00:10] “2. Knead the dough” [00:00:10] “3. Heat the oven” [00:00:10]",
        ),
        ('What is the next step after "Sift the flour"?', "“2. Knead the dough” [00:00:10]"),
        ('Which step comes before "Tar the hull"?', "“1) Dry the hull” [00:00:30]"),
        ('What is the next step after "Heat the oven"?', "NOT FOUND: No step is numbered there."),
        ("What is the last step of baking bread?", "“3. Heat the oven” [00:00:10]"),
        ('What should you do once "Tar the hull" is done?', "NOT FOUND: No step is numbered there."),
        ('What follows "Sift the flour"?', "“2. Knead the dough” [00:00:10]"),
        ('Which steps does the slide "mending the boat" list, in order?', BOTH),
        ("How does one mend the boat, step by step?", BOTH),
        ("List the steps of mending the boat in the right order.", BOTH),
        ("In which order must one mend the boat?", BOTH),
        ("What is the third step of mending the boat?", "NOT FOUND: So many steps are not numbered there."),
    ],
)
def test_numbered_steps_are_read_in_their_order(question: str, draft: str) -> None:
    assert answered(question, *BREAD, *BOAT) == draft


@pytest.mark.parametrize(
    "question",
    [
        "Who explains the steps?",
        "How many steps lead up to the tower?",
        "What are the steps of painting the wall?",
        "What is done before the first step?",
        "How do you paint the boat?",
        'Which word is said after "Sift the flour"?',
    ],
)
def test_steps_of_something_else_are_not_those_of_the_slide(question: str) -> None:
    assert answered(question, *BREAD).startswith("NOT FOUND")


@pytest.mark.parametrize(
    "question",
    [
        "What is the last but one step of mending the boat?",
        "Which is the second to last step of mending the boat?",
        "What is the last step but one of mending the boat?",
        "What is mending the boat on the stage?",
        "Which of the steps of mending the boat is not needed?",
    ],
)
def test_steps_counted_from_the_end_or_denied_are_not_told(question: str) -> None:
    assert "hull" not in answered(question, *BREAD, *BOAT)


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("Which article costs the most?", "“Kettle · $45” [00:00:50]"),
        ("Which of the things is the cheapest?", "“Lamp · $12” [00:00:50]"),
        ("And which of them costs least?", "“Lamp · $12” [00:00:50]"),
        ("Which article is dearer than the others?", "“Kettle · $45” [00:00:50]"),
        ("Name the article with the highest price.", "“Kettle · $45” [00:00:50]"),
        ("The most expensive article is which one?", "“Kettle · $45” [00:00:50]"),
        (
            "What is the difference between the highest and the lowest price?",
            "45 - 12 = 33. “Kettle · $45” [00:00:50] “Lamp · $12” [00:00:50]",
        ),
    ],
)
def test_the_ends_of_a_price_list(question: str, draft: str) -> None:
    assert answered(question, *PRICES) == draft


def test_the_cheapest_of_something_else_is_none_of_the_list() -> None:
    assert answered("Which way to Oslo is the cheapest?", *PRICES).startswith("NOT FOUND")


@pytest.mark.parametrize(
    "question",
    ["What do they come to altogether?", "How much are all the articles together?", "What is the total of all prices?"],
)
def test_the_prices_of_a_list_are_added_up(question: str) -> None:
    assert answered(question, *PRICES).startswith("45 + 12 + 30 = 87.")


@pytest.mark.parametrize(
    "question", ["How expensive is the lamp?", "How many dollars does the lamp cost?", "For how much is the lamp sold?"]
)
def test_a_price_is_asked_for_in_many_ways(question: str) -> None:
    assert answered(question, *PRICES) == "“Lamp · $12” [00:00:50]"


def test_prices_that_cannot_be_compared_are_left_open() -> None:
    question = "Which article costs the most?"
    assert answered(question, *slide(5, "Tea $5")) == "NOT FOUND: Fewer than two prices are shown there."
    assert answered(question, *slide(5, "Tea $5", "Cake €9")) == "NOT FOUND: The prices are in several currencies."


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        (
            'How does the picture change to the slide "Mending the boat", by a cut or a dissolve?',
            "“cut to another shot” at 00:00:29.9 [00:00:29].",
        ),
        (
            'Does the slide "Price list" begin with a cut or a dissolve?',
            "“dissolve to another shot” at 00:00:48.5 [00:00:48].",
        ),
        ('Does the slide "Baking bread" begin with a cut or a fade?', "NOT FOUND: No change of shot was found there."),
    ],
)
def test_the_change_of_shot_to_a_slide(question: str, draft: str) -> None:
    assert answered(question, *BREAD, *BOAT, *PRICES) == draft


@pytest.mark.parametrize(
    "question",
    [
        'Which transition leads to the slide "Price list"?',
        'By what kind of change does "Price list" come in?',
        'Is it a cut or a fade that introduces the slide "Price list"?',
        'How does the picture change to the slide "Price list"?',
        'How is the slide "Price list" introduced?',
        "What kind of transition brings the prices slide?",
    ],
)
def test_a_change_of_shot_is_asked_for_in_many_words(question: str) -> None:
    assert changes_to(question)


@pytest.mark.parametrize(
    "question",
    [
        "How does the price change?",
        "Does the talk begin with a joke?",
        'When is "Price list" shown?',
        'How does the story "The fade" begin?',
        'What does the slide "Price list" say about the cut?',
        'How did the price of the "Kettle" change to 40 dollars?',
    ],
)
def test_other_changes_are_none_of_the_picture(question: str) -> None:
    assert changes_to(question) is None


def test_a_heading_that_only_repeats_the_question_is_no_answer() -> None:
    trouble = slide(5, "Trouble of the month", "Cause: Broken cable", "Remedy: Replace it")
    assert answered("What caused the trouble of the month?", *trouble) == "“Cause: Broken cable” [00:00:05]"
    assert answered("What caused the trouble of the month?", trouble[0]).startswith("NOT FOUND")
