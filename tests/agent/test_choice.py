"""Multiple choice by the rules: a clear option, or none."""

from __future__ import annotations

import pytest

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.choice import choose_option, option_of
from longtake.agent.rules.moves import Call, Done
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

SAID = Evidence(
    video="v", span=TimeSpan(start=4, end=6), modality="speech", content="The fruit he mentions is apple.", engine="e"
)
SIGN = SAID.model_copy(update={"content": "If the bell does not ring, the fruit is apple."})


def chosen(question: str, proof: Evidence) -> str:
    kind, senses = classify(question)
    orientation = Orientation(
        question=question,
        kind=kind,
        modalities=senses,
        options=("apple", "banana", "cherry"),
        parts=(question,),
        videos={"v": 10.0},
        names={"v": "talk.mp4"},
    )
    found = ToolResult(tool="cross_modal_search", evidence=(proof,))
    move = choose_option(orientation, [Done(Call("cross_modal_search", {}), found)])
    assert isinstance(move, str)
    return move


def test_the_option_that_the_evidence_holds_is_chosen() -> None:
    assert chosen("Which fruit does he mention?", SAID).startswith("A. apple: ")
    assert chosen("Which fruit is it if the bell does not ring?", SIGN).startswith("A. apple: ")


@pytest.mark.parametrize(
    "question",
    ["Which fruit is not mentioned?", "Which fruit does he never mention?", "All fruit but which except apple?"],
)
def test_what_is_not_so_is_left_open(question: str) -> None:
    assert chosen(question, SAID) == "NOT FOUND: Which option is not so, no search proves."


def test_an_option_that_only_the_picture_tells_is_chosen_by_the_open_answer() -> None:
    assert option_of("“camera zooms in, 5 % a second” [00:00:31]", ("zoom out", "zoom in", "pan left")) == (
        "B. zoom in: “camera zooms in, 5 % a second” [00:00:31]"
    )
    assert option_of("“Red bag · $5” [00:00:31]", ("bag", "red bag")) == "B. red bag: “Red bag · $5” [00:00:31]"


def test_options_of_the_same_words_are_told_apart_by_their_order() -> None:
    ways = ("from right to left", "from left to right")
    answer = "It goes to the left, from right to left: “red circle 1 of 1, from right to left” [00:00:31]"
    assert option_of(answer, ways) == f"A. from right to left: {answer}"
    assert option_of("“left, right, from, to” [00:00:31]", ways) is None


def test_what_an_answer_says_counts_before_what_it_quotes() -> None:
    answer = "There are more blue squares: “red circle 1 of 1” [00:00:31] “blue square 1 of 2” [00:00:35]"
    assert option_of(answer, ("red circles", "blue squares")) == f"B. blue squares: {answer}"


@pytest.mark.parametrize(
    "answer", ["NOT FOUND: No zoom in was measured.", "“zoom in” [00:00:01] “zoom out” [00:00:09]"]
)
def test_an_answer_that_says_no_option_or_several_chooses_none(answer: str) -> None:
    assert option_of(answer, ("zoom out", "zoom in")) is None
