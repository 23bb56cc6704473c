"""Questions whose place is named by something else, or by two things, or by one that is itself named by another."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

SENSES = {"transcribe_speech": "speech", "extract_scene_text": "scene_text", "detect_audio_events": "audio"}


def piece(content: str, start: float, modality: Modality = "speech") -> Evidence:
    span = TimeSpan(start=start, end=start + 2)
    return Evidence(video="v", span=span, modality=modality, content=content, engine="e")


HELD = (
    piece("Welcome to the harbour.", 5),
    piece("The ferry costs $9", 8, "scene_text"),
    piece("tone of 440 Hz", 10, "audio"),
    piece("The ferry is late.", 20),
    piece("Bread costs $3", 25, "scene_text"),
    piece("impulse", 30, "audio"),
    piece("The ferry is here.", 40),
    piece("Soup costs $5", 45, "scene_text"),
    piece("impulse", 50, "audio"),
    piece("Goodbye, ferry.", 60),
)


def answered(question: str) -> str:
    return drafted(question, _result)[0]


def _result(call: Call) -> ToolResult:
    if call.name == "calculator":
        return ToolResult(tool=call.name, output={"result": call.arguments["expression"]})
    if call.name == "cross_modal_search":
        senses = call.arguments["modalities"]
        return ToolResult(tool=call.name, evidence=tuple(item for item in HELD if item.modality in senses))
    sense, span = SENSES[call.name], call.arguments["timestamp"]
    asked = TimeSpan(start=span[0], end=span[-1])
    found = tuple(item for item in HELD if item.modality == sense and item.span.overlaps(asked))
    return ToolResult(tool=call.name, evidence=found, looked_at=(asked,))


@pytest.mark.parametrize(
    "question",
    [
        "What is said between the tone and the bang?",
        "Between the tone and the bang, what is said?",
        "What is said between the bang and the tone?",
        "What is said from the tone until the bang?",
        "What is said between “Welcome to the” and the bang?",
        "What is said between 0:12 and the bang?",
    ],
)
def test_what_lies_between_two_things(question: str) -> None:
    assert answered(question) == "“The ferry is late.” [00:00:20]"


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("What is said until the bang?", ("Welcome", "is late")),
        ("What is said since the tone?", ("is late", "is here", "Goodbye")),
        ("What is said after 0:35?", ("is here",)),
        ("After the tone, what is said?", ("is late", "is late")),
    ],
)
def test_what_lies_on_one_side(question: str, lines: tuple[str, ...]) -> None:
    draft = answered(question)
    assert all(line in draft for line in lines)
    assert draft.count("“") == len(set(lines))


def test_counts_totals_and_lists_keep_to_the_stretch() -> None:
    assert "occurs once [00:00:20]" in answered("How many times is “ferry” said between the tone and the bang?")
    assert "“ferry” occurs once [00:00:20]" in answered("How many times is “ferry” said before 0:30?")
    assert answered("What is the total of the prices shown until the bang?").startswith("9 + 3 =")
    listed = answered("Which prices are shown between the tone and “Goodbye”?")
    assert listed == "“Bread costs $3” [00:00:25] “Soup costs $5” [00:00:45]"


def test_a_place_that_is_named_by_another_is_found_inside_it() -> None:
    after = "What is said after the bang after “is here”?"
    assert answered(after) == "“Goodbye, ferry.” [00:01:00]"
    assert answered("What is said when she says “ferry” after the bang?").startswith("“The ferry is here.”")


@pytest.mark.parametrize(
    "question",
    [
        "What is said between the siren and the bang?",
        "What is said after the siren?",
        "How many times is “ferry” said before the siren?",
        "What is the total of the prices shown until the siren?",
    ],
)
def test_a_place_that_is_not_there_is_no_leave_to_tell_the_whole(question: str) -> None:
    assert answered(question) == "NOT FOUND: It cannot be told when this is: the siren."


def test_a_question_that_is_nothing_without_its_place_is_left_open_without_it() -> None:
    assert answered("What is shown while the zebra dances?") == (
        "NOT FOUND: It cannot be told when this is: the zebra dances."
    )


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What is the first thing said after the tone?", "The ferry is late."),
        ("What is the second thing said after the tone?", "The ferry is here."),
        ("What is the second thing written after the tone?", "Soup costs $5"),
    ],
)
def test_the_nth_thing_after_a_place(question: str, line: str) -> None:
    assert answered(question).startswith(f"“{line}”")


@pytest.mark.parametrize(
    "question",
    ["What is the difference between bread and soup?", "Who looks after the harbour?", "Who rowed from A to B?"],
)
def test_words_that_only_look_like_a_place_are_none(question: str) -> None:
    assert "It cannot be told when" not in answered(question)
