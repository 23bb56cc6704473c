"""Things seen while a sound is heard: their colour, and which one of several it is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from helpers.rules import drafted

from longtake.agent.orientation import Orientation, classify, quoted
from longtake.agent.rules.choice import option_of
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.sight.at_sound import AtSound, asked_at_sound, find_at_sound
from longtake.agent.rules.steps import play
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

BEEP = ("tone of 900 Hz", 41.0, 42.0)
SQUARES = (("red", 5.0, 8.0), ("blue", 36.0, 38.0), ("red", 40.0, 43.0), ("green", 45.0, 47.0))


def piece(modality: Modality, content: str, start: float, end: float) -> Evidence:
    return Evidence(video="v", span=TimeSpan(start=start, end=end), modality=modality, content=content, engine="e")


def answered(
    question: str,
    squares: Sequence[tuple[str, float, float]] = SQUARES,
    beeps: Sequence[tuple[str, float, float]] = (BEEP,),
) -> tuple[str, list[Call]]:
    def result(call: Call) -> ToolResult:
        if call.name == "detect_audio_events":
            return ToolResult(tool=call.name, evidence=tuple(piece("audio", *beep) for beep in beeps))
        if call.name != "count_objects":
            return ToolResult(tool=call.name)
        start, end = call.arguments["timestamp"]
        there = [square for square in squares if square[1] < end and square[2] > start]
        seen = tuple(
            piece("visual", f"{colour} square {number} of {len(there)}, from left to right", first, last)
            for number, (colour, first, last) in enumerate(there, 1)
        )
        output = {"count": len(seen), "object": "square"}
        return ToolResult(tool=call.name, evidence=seen, output=output)

    return drafted(question, result)


def asked(question: str) -> AtSound | None:
    kind, senses = classify(question)
    return asked_at_sound(
        Orientation(question=question, kind=kind, modalities=senses, quoted=quoted(question), videos={"v": 99.0})
    )


@pytest.mark.parametrize(
    "question",
    [
        "What is the colour of the square when the beep goes off?",
        "A whistle sounds as a square passes. Which colour has it?",
        "Tell me which colour the square has that is on the screen during the beep.",
        "What colour square goes by while one hears the tone?",
    ],
)
def test_the_colour_is_that_of_the_thing_seen_then(question: str) -> None:
    draft, calls = answered(question)
    assert draft == "“red square 1 of 1, from left to right” [00:00:40], while “tone of 900 Hz” [00:00:41]."
    assert calls[-1].arguments == {"timestamp": [40.5, 42.5], "object_query": "different square"}


@pytest.mark.parametrize(
    "question",
    [
        "During which square is the beep heard, the first, the second or the third?",
        "Which of these three squares goes by as the tone sounds?",
        "Which square is in view when the beep goes off?",
        "Does the beep sound during the first, second or third square?",
    ],
)
def test_which_one_it_is_is_counted_among_those_that_come_one_by_one(question: str) -> None:
    draft, _ = answered(question)
    assert draft.startswith("The second: “red square 2 of 3, from left to right” [00:00:40], while “tone of 900 Hz”")
    options = ("the third square", "the second square", "the first square")
    assert (option_of(draft, options) or "").startswith("B. the second square")


@pytest.mark.parametrize(
    ("question", "squares", "beeps", "reason"),
    [
        ("Which of the four squares passes while the beep sounds?", SQUARES, [BEEP], "3 of them come one by one"),
        (
            "Which of the three squares passes during the beep?",
            SQUARES,
            [BEEP, ("tone of 900 Hz", 60, 61)],
            "The sound",
        ),
        ("What colour is the square during the beep?", SQUARES, [], "The sound that the question names was not"),
        ("What colour is the square during the beep?", [*SQUARES, ("green", 41, 44)], [BEEP], "2 of them are seen"),
        ("What colour is the square during the beep?", SQUARES[:2], [BEEP], ""),
    ],
)
def test_what_is_not_sure_is_left_open(
    question: str,
    squares: Sequence[tuple[str, float, float]],
    beeps: Sequence[tuple[str, float, float]],
    reason: str,
) -> None:
    assert answered(question, squares, beeps)[0].startswith(f"NOT FOUND: {reason}")


@pytest.mark.parametrize(
    ("thing", "abstains"), [("square", True), ("discs", True), ("price", False), ("cyclist", False)]
)
def test_of_what_is_no_shape_others_may_tell_more(thing: str, abstains: bool) -> None:
    at = AtSound("which", thing, 0)
    orientation = Orientation(question="Which is it when the beep sounds?", kind="fact", videos={"v": 99.0})
    calls = play(find_at_sound(at, orientation), [])
    assert isinstance(calls, list)
    draft = play(find_at_sound(at, orientation), [Done(call, ToolResult(tool=call.name)) for call in calls])
    assert str(draft).startswith("NOT FOUND") is abstains


@pytest.mark.parametrize(
    "question",
    [
        "What colour is the screen when the bang is heard?",
        "Which slide is shown when the tone sounds?",
        "What happens while the music plays?",
        "Which square crosses before the beep sounds?",
        "Which of the two squares is seen after the beep?",
        "Which song is heard during the applause?",
        "What is said while the music plays?",
        "Which sound comes before the beep?",
        "Which comes first, the beep or the music?",
        "What colour is the square?",
        "What colour is “the square” when the beep sounds?",
    ],
)
def test_other_questions_are_not_of_a_thing_during_a_sound(question: str) -> None:
    assert asked(question) is None
