"""Which of two things comes first."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.agent.rules.time.order import compared
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult


def piece(content: str, start: float, modality: Modality = "speech") -> Evidence:
    span = TimeSpan(start=start, end=start + 2)
    return Evidence(video="v", span=span, modality=modality, content=content, engine="e")


HELD = (
    piece("The green ferry leaves from pier nine.", 10),
    piece("The lighthouse is closed.", 40, "scene_text"),
    piece("impulse", 25, "audio"),
)


def answered(question: str) -> str:
    return drafted(question, lambda call: ToolResult(tool=call.name, evidence=_found(call)))[0]


def _found(call: Call) -> tuple[Evidence, ...]:
    heard = call.name == "detect_audio_events"
    return tuple(item for item in HELD if (item.modality == "audio") == heard)


@pytest.mark.parametrize(
    "question",
    [
        "Which comes first, the green ferry or the closed lighthouse?",
        "What is mentioned last: the lighthouse or the ferry?",
    ],
)
def test_both_are_named_with_their_times(question: str) -> None:
    assert answered(question) == (
        "“The green ferry leaves from pier nine.” [00:00:10] comes before “The lighthouse is closed.” [00:00:40]."
    )


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Is the green ferry mentioned before the lighthouse is shown?", "Yes: “The green ferry"),
        ("Is the lighthouse shown before the green ferry?", "No: “The green ferry"),
        ("Is the lighthouse shown after the bang?", "Yes: “impulse” [00:00:25]"),
        ("Is the giraffe shown before the bang?", "NOT FOUND"),
    ],
)
def test_before_and_after_get_a_yes_or_no(question: str, start: str) -> None:
    assert answered(question).startswith(start)


TWICE = (piece("The budget is small.", 10), piece("Now a break.", 60), piece("The budget is large.", 100))


def with_search(question: str, *places: int, doubtful: bool = False) -> str:
    """The draft where a search finds only these of the three lines, and reading finds all."""

    def result_of(call: Call) -> ToolResult:
        chosen = [TWICE[place] for place in places] if call.name == "cross_modal_search" else TWICE
        heard = call.name != "extract_scene_text"
        lines = (item.model_copy(update={"trusted": not doubtful or item.span.start < 100}) for item in chosen)
        return ToolResult(tool=call.name, evidence=tuple(lines) if heard else ())

    return drafted(question, result_of, seconds=120.0)[0]


def test_every_place_is_looked_at_before_a_no() -> None:
    after = "Is the budget mentioned after the break?"
    yes = "Yes: “Now a break.” [00:01:00] comes before “The budget is large.” [00:01:40]."
    assert with_search(after, 0, 1, 2) == yes
    assert with_search(after, 0, 1) == yes
    assert with_search("Is the budget mentioned before the break?", 1, 2).startswith("Yes: “The budget is small.”")
    assert with_search("Is the break mentioned before the small budget?", 0, 1).startswith("No: “The budget is small")
    assert with_search(after, 0, 1, doubtful=True).startswith("NOT FOUND: Go to [00:01:40]")


def test_what_lies_between_two_places_of_the_other_is_neither_before_nor_after() -> None:
    draft = with_search("Is the break mentioned after the budget?", 0, 1, 2)
    assert draft.startswith("NOT FOUND: They begin at the same time, or the one is found between")


@pytest.mark.parametrize(
    "question",
    [
        "What is said first?",
        "What is said before the bang?",
        "Who was there after noon?",
        "Is there any mention of taxes after 10 minutes?",
        "Is the budget mentioned after 10 minutes?",
        "Is anything mentioned after the break?",
        "Was Lincoln president before Grant?",
        "Is he happy after the race?",
        "Did the accident happen before the war?",
        "Is the bridge named after Grant?",
        "Is the ferry mentioned after the break or before it?",
        "Did she say anything before leaving?",
    ],
)
def test_other_questions_compare_nothing(question: str) -> None:
    assert compared(question) is None
