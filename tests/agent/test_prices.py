"""Two prices that a question adds or compares."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.agent.rules.prices import compares_prices
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.calculator import evaluate
from longtake.tools.result import ToolResult


def piece(content: str, start: float, modality: Modality = "scene_text") -> Evidence:
    return Evidence(
        video="v", span=TimeSpan(start=start, end=start + 2), modality=modality, content=content, engine="e"
    )


HELD = (
    piece("Kettle: $45", 10),
    piece("Lamp: $12.50", 20),
    piece("The chair costs forty-five dollars.", 30, "speech"),
    piece("Ferry: €45", 40),
)


def answered(question: str, *held: Evidence) -> str:
    return drafted(question, lambda call: _result(call, held or HELD))[0]


def _result(call: Call, held: tuple[Evidence, ...]) -> ToolResult:
    if call.name == "calculator":
        return ToolResult(tool=call.name, output={"result": evaluate(call.arguments["expression"])})
    if call.name == "cross_modal_search":
        return ToolResult(tool=call.name, evidence=held)
    start, end = call.arguments["timestamp"]
    sense = "speech" if call.name == "transcribe_speech" else "scene_text"
    return ToolResult(
        tool=call.name,
        evidence=tuple(item for item in held if item.modality == sense and start <= item.span.start < end),
    )


KETTLE, LAMP, CHAIR = (
    "“Kettle: $45” [00:00:10]",
    "“Lamp: $12.50” [00:00:20]",
    "“The chair costs forty-five dollars.” [00:00:30]",
)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("How much do the kettle and the lamp cost together?", f"45 + 12.50 = 57.5. {KETTLE} {LAMP}"),
        ("How much do the lamp and the chair cost in total?", f"12.50 + 45 = 57.5. {LAMP} {CHAIR}"),
        ("How much more expensive is the kettle than the lamp?", f"45 - 12.50 = 32.5. {KETTLE} {LAMP}"),
        ("How much cheaper is the lamp than the kettle?", f"45 - 12.50 = 32.5. {KETTLE} {LAMP}"),
        ("Is the kettle more expensive than the lamp?", f"Yes: {KETTLE} {LAMP}"),
        ("Is the kettle cheaper than the lamp?", f"No: {KETTLE} {LAMP}"),
        ("Is the kettle dearer than the chair?", f"No: {KETTLE} {CHAIR}"),
        ("Does the lamp cost less than the kettle?", f"Yes: {LAMP} {KETTLE}"),
        ("Which is cheaper, the kettle or the lamp?", f"{LAMP} {KETTLE}"),
        ("Which costs more: the lamp or the kettle?", f"{KETTLE} {LAMP}"),
        ("Which is cheaper, the kettle or the chair?", "NOT FOUND: They cost the same"),
        ("Is the kettle cheaper than the ferry?", "NOT FOUND: The two prices are in different currencies."),
        ("Is the kettle cheaper than the piano?", "NOT FOUND: Of the piano the video tells no price."),
    ],
)
def test_two_prices_are_looked_up_and_compared(question: str, start: str) -> None:
    draft = answered(question)
    assert draft.startswith(start)


def test_a_price_that_is_told_in_two_ways_is_not_compared() -> None:
    said = piece("The kettle costs fifty-four dollars.", 12, "speech")
    assert answered("Is the kettle cheaper than the lamp?", *HELD, said).startswith(
        "NOT FOUND: Of the kettle the video tells several prices: “Kettle: $45” [00:00:10] “The kettle costs fifty-four"
    )


@pytest.mark.parametrize(
    "question",
    [
        "What is the total of the prices shown before the applause?",
        "How much is there and why?",
        "Is there more than one kettle?",
        "What is the difference between a kettle and a lamp shade in colour?",
        "Is it more than that?",
    ],
)
def test_other_questions_compare_no_prices(question: str) -> None:
    assert compares_prices(question) is None
