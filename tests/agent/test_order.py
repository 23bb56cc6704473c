"""Which of two things comes first."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.agent.rules.order import compared
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


@pytest.mark.parametrize(
    "question", ["What is said first?", "What is said before the bang?", "Who was there after noon?"]
)
def test_other_questions_compare_nothing(question: str) -> None:
    assert compared(question) is None
