"""How often words occur in what is said or written."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult


def piece(content: str, start: float, modality: Modality = "speech") -> Evidence:
    return Evidence(
        video="v", span=TimeSpan(start=start, end=start + 2), modality=modality, content=content, engine="e"
    )


HELD = (
    piece("Buy the red", 10),
    piece("kettle today, the red kettle.", 12),
    piece("A kettle sings.", 40),
    piece("RED KETTLE", 50, "scene_text"),
)


def _result(call: Call) -> ToolResult:
    sense = "speech" if call.name == "transcribe_speech" else "scene_text"
    return ToolResult(
        tool=call.name,
        evidence=tuple(item for item in HELD if item.modality == sense),
        looked_at=(TimeSpan(start=0, end=100),),
    )


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ('How many times is "kettle" said?', "“kettle” occurs 3 times [00:00:12][00:00:40]"),
        ('How many times is "red kettle" said?', "“red kettle” occurs 2 times [00:00:10][00:00:12]"),
        ('How often is "red kettle" written?', "“red kettle” occurs once [00:00:50]"),
        ("How many times is the kettle mentioned?", "“kettle” occurs 3 times [00:00:12][00:00:40]"),
        ('How many times is "lid" said?', "NOT FOUND: “lid” does not occur in 3 pieces of text."),
    ],
)
def test_every_occurrence_counts_also_over_the_end_of_a_line(question: str, draft: str) -> None:
    assert drafted(question, _result)[0] == draft


def test_a_count_of_what_was_partly_read_is_left_open() -> None:
    def result(call: Call) -> ToolResult:
        looked = TimeSpan(start=0, end=60)
        return _result(call).model_copy(update={"looked_at": (looked,)})

    draft, _ = drafted('How many times is "kettle" said?', result)
    assert draft.startswith("NOT FOUND: Of 00:00:00-00:01:40 what was looked at is 00:00:00-00:01:00. In what was read")


def test_what_is_not_counted_in_words_is_looked_up() -> None:
    def result(call: Call) -> ToolResult:
        if call.name != "cross_modal_search":
            return ToolResult(tool=call.name, failure=ToolFailure(kind="unavailable", message="Not here."))
        return ToolResult(tool=call.name, evidence=(piece("The alarm is tested often, every Monday.", 5),))

    draft, calls = drafted("How often is the alarm tested?", result)
    assert calls[0].name == "cross_modal_search"
    assert draft.startswith(("“The alarm is tested", "NOT FOUND"))
