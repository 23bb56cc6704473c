"""Prices that are supposed to be others, and what was spent on several of a kind."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rows import rows
from longtake.agent.rules.moves import Call
from longtake.agent.rules.purchases import asks_spent
from longtake.agent.rules.raised_prices import asks_raised
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.calculator import evaluate
from longtake.tools.result import ToolFailure, ToolResult


def piece(content: str, start: float, top: float = 0.1, left: float = 0.1, *, score: float = 1.0) -> Evidence:
    span, box = TimeSpan(start=start, end=start + 8), (left, top, 0.3, 0.08)
    return Evidence(video="v", span=span, modality="scene_text", content=content, engine="e", box=box, score=score)


def said(content: str, start: float) -> Evidence:
    modality: Modality = "speech"
    return Evidence(
        video="v", span=TimeSpan(start=start, end=start + 2), modality=modality, content=content, engine="e"
    )


def price_list(title: str, start: float, **prices: str) -> tuple[Evidence, ...]:
    """A title, and below it a row for each thing with its price at the right."""
    rows_of = [
        (piece(name.replace("_", " "), start, 0.25 + 0.15 * row), piece(price, start, 0.25 + 0.15 * row, 0.6))
        for row, (name, price) in enumerate(prices.items())
    ]
    return (piece(title, start), *(cell for row in rows_of for cell in row))


TOOLS = price_list("Garden tools", 20, Steel_rake="$40", Spade="$25", Watering_can="$10.50")
FOOD = price_list("On the menu", 50, Soup="$5", Bread="$2")
BOUGHT = said("We have bought twelve of the spades already.", 25)


def answered(question: str, *held: Evidence, failure: ToolFailure | None = None) -> str:
    def result_of(call: Call) -> ToolResult:
        if call.name == "calculator":
            return ToolResult(tool=call.name, output={"result": evaluate(call.arguments["expression"])})
        if call.name == "transcribe_speech" and failure:
            return ToolResult(tool=call.name, failure=failure)
        sense = "speech" if call.name == "transcribe_speech" else "scene_text"
        return ToolResult(tool=call.name, evidence=tuple(item for item in held if item.modality == sense))

    return drafted(question, result_of)[0]


@pytest.mark.parametrize(
    ("question", "worked_out"),
    [
        ("If each tool cost 3 dollars more, what would all three cost together?", "Together that would be 84.5"),
        ("If every article were 5 dollars dearer, what would they cost together?", "Together that would be 90.5"),
        ("How much would all 3 articles be if every price went up by 2 dollars?", "Together that would be 81.5"),
        ("What would the total be if all prices fell by two dollars?", "Together that would be 69.5"),
        ("Suppose every price was raised by 10%. What would the sum be?", "Together that would be 83.05"),
        ("With twenty percent off, what would one of each cost?", "Together that would be 60.4"),
        ("What would the spade cost if every price rose by 5 dollars?", "That would be 30"),
    ],
)
def test_raised_and_lowered_prices_are_worked_out(question: str, worked_out: str) -> None:
    assert answered(question, *TOOLS).startswith(f"{worked_out}. “")


def test_the_rows_stand_beside_the_result() -> None:
    draft = answered("If each price rose by 1 dollar, what would they cost together?", *TOOLS)
    assert draft.endswith("“Steel rake · $40” [00:00:20] “Spade · $25” [00:00:20] “Watering can · $10.50” [00:00:20]")


@pytest.mark.parametrize(
    ("question", "held", "reason"),
    [
        ("If each cost 3 dollars more, what would all four cost together?", TOOLS, "The list has 3 prices, not 4."),
        ("If each cost 3 euros more, what would they cost together?", TOOLS, "several currencies"),
        ("If each cost 3 dollars more, what would they cost together?", TOOLS + FOOD, "Several lists of prices"),
        ("What would 2 spades cost if every price rose by 5 dollars?", TOOLS, "asks for more"),
        ("If each cost 5 dollars more, how much more would all cost together?", TOOLS, "asks for more"),
        ("By how much would the total rise if each cost 5 dollars more?", TOOLS, "asks for more"),
        ("With 20% VAT added, what would they cost together?", TOOLS, "asks for more"),
        ("If 10% off is already included, what would the total be?", TOOLS, "asks for more"),
        ("If prices rose by 10% each year, what would the spade cost?", TOOLS, "asks for more"),
        ("If all prices rose by at least 10%, what would the sum be?", TOOLS, "asks for more"),
        ("What would rake and spade cost together with 10% off the steel rake?", TOOLS, "which of the prices is meant"),
        ("What would the hammer cost if every price rose by 5 dollars?", TOOLS, "which of the prices is meant"),
    ],
)
def test_what_is_not_sure_of_the_list_is_left_open(question: str, held: tuple[Evidence, ...], reason: str) -> None:
    draft = answered(question, *held)
    assert draft.startswith("NOT FOUND: ")
    assert reason in draft


def test_of_two_lists_the_one_that_is_named_counts() -> None:
    question = "If everything on the menu cost 1 dollar more, what would it be in total?"
    assert answered(question, *TOOLS, *FOOD).startswith("Together that would be 9.")


def test_without_a_list_the_question_is_asked_of_what_is_told() -> None:
    told = piece("With every price 3 dollars higher, the total would be $90", 5)
    question = "If every price were 3 dollars higher, what would the total be?"
    assert answered(question, told) == f"“{told.content}” [00:00:05]"


@pytest.mark.parametrize(
    "question",
    [
        "How much was spent on the spades?",
        "What did the spades that were bought cost altogether?",
        "It is told how many spades were purchased. What was the total price?",
        "How much money did they pay for spades?",
    ],
)
def test_what_was_bought_is_multiplied_with_its_price(question: str) -> None:
    draft = answered(question, *TOOLS, BOUGHT)
    assert draft == f"12 * 25 = 300. “{BOUGHT.content}” [00:00:25] “Spade · $25” [00:00:20]"


@pytest.mark.parametrize(
    "line",
    [
        "We have bought twelve rakes already.",
        "We want to buy twelve of the spades.",
        "If we had bought twelve spades, we would be poor.",
        "We have not bought twelve spades.",
        "Spades were bought, and in room twelve there is tea.",
        "We bought twelve handles for the spades.",
        "We bought twelve boxes of spades.",
        "We bought twelve rakes and spades.",
    ],
)
def test_a_line_that_does_not_tell_how_many_were_bought_counts_nothing(line: str) -> None:
    draft = answered("How much was spent on the spades?", *TOOLS, said(line, 25))
    assert draft == "NOT FOUND: It is not told how many were bought, or at what price."


@pytest.mark.parametrize(
    "question",
    ["How much was spent on spades in spring?", "What did the neighbours pay for the spades?"],
)
def test_a_purchase_that_the_line_does_not_tell_of_is_left_open(question: str) -> None:
    assert answered(question, *TOOLS, BOUGHT) == "NOT FOUND: It is not told how many were bought, or at what price."
    told = said("In spring the neighbours bought twelve spades.", 25)
    assert answered(question, *TOOLS, told).startswith("12 * 25 = 300.")


def test_two_counts_are_not_added_up() -> None:
    draft = answered("How much was spent on the spades?", *TOOLS, BOUGHT, said("Then we bought 3 spades more.", 40))
    assert draft.startswith("NOT FOUND: In several ways it is told")


def test_without_words_that_can_be_heard_the_reason_is_told() -> None:
    failure = ToolFailure(kind="unavailable", message="Nothing turns speech into words.")
    assert answered("How much was spent on the spades?", *TOOLS, failure=failure) == (
        "NOT FOUND: Nothing turns speech into words."
    )


@pytest.mark.parametrize(
    "question",
    [
        "What does the spade cost?",
        "Which tool costs 3 dollars more than the spade?",
        "What do all three tools cost together?",
        "How many spades were bought?",
        "How much money was left after they paid for the spades?",
        "How much money did they save when they bought the spades?",
        "How much tax did they pay for the spades?",
        "What did they pay for each of the spades?",
        "How much change did they get when they paid for the spades?",
        "When did the price go up?",
        "Why did the prices rise by 10 percent?",
        "Who would pay 5 dollars more for each of these?",
        "When would every price go up by 5 dollars?",
        "What is said about the price of oil?",
    ],
)
def test_other_questions_suppose_and_multiply_nothing(question: str) -> None:
    kind, senses = classify(question)
    orientation = Orientation(question=question, kind=kind, modalities=senses, videos={"v": 60.0})
    assert not asks_raised(orientation)
    assert not asks_spent(orientation)


@pytest.mark.parametrize(
    "question",
    [
        "How much more does the dearest tool cost than the cheapest?",
        "How many dollars lie between the most expensive and the cheapest article?",
        "How far apart are the highest and the lowest price?",
        "By how much does the costliest thing exceed the cheapest?",
    ],
)
def test_the_ends_of_a_list_lie_so_far_apart(question: str) -> None:
    assert answered(question, *TOOLS).startswith("40 - 10.5 = 29.5. “Steel rake · $40”")


def test_a_worse_reading_of_the_same_text_stands_in_no_row() -> None:
    again = piece("Snade.", 20, 0.4, score=0.7)
    assert "Spade · $25" in [row.content for row in rows([*TOOLS, again])]
    elsewhere = piece("Spades", 20, 0.4, 0.35, score=0.7)
    assert "Spade · Spades · $25" in [row.content for row in rows([*TOOLS, elsewhere])]
