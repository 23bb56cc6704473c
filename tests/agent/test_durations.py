"""How long something lasts, and how much time passes between two things."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.claims import check_draft
from longtake.agent.rules.moves import Call
from longtake.agent.rules.time.durations import elapsed
from longtake.agent.verdicts import Grounds
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.calculator import evaluate
from longtake.tools.result import ToolFailure, ToolResult

SENSES = {"transcribe_speech": "speech", "extract_scene_text": "scene_text", "detect_audio_events": "audio"}


def piece(content: str, start: float, end: float, modality: Modality) -> Evidence:
    return Evidence(video="v", span=TimeSpan(start=start, end=end), modality=modality, content=content, engine="e")


HELD = (
    piece("tone of 440 Hz", 10.2, 11.7, "audio"),
    piece("music", 20.0, 24.0, "audio"),
    piece("music", 40.0, 50.5, "audio"),
    piece("Harbour tariffs", 12, 30, "scene_text"),
    piece("The trip takes ten minutes.", 60, 62, "speech"),
)


def answered(question: str) -> tuple[str, list[str]]:
    """The draft, and the verdicts on its claims."""
    draft, calls = drafted(question, _result)
    sums = [str(call.arguments["expression"]) for call in calls if call.name == "calculator"]
    checked = check_draft(
        draft, HELD, Grounds([f"{text} = {evaluate(text)}" for text in sums], question, measured=True)
    )
    return draft, [claim.verdict for claim in checked.claims]


def _result(call: Call) -> ToolResult:
    if call.name == "calculator":
        return ToolResult(tool=call.name, output={"result": evaluate(call.arguments["expression"])})
    senses = call.arguments["modalities"] if call.name == "cross_modal_search" else [SENSES[call.name]]
    return ToolResult(tool=call.name, evidence=tuple(item for item in HELD if item.modality in senses))


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        (
            "How long does the tone sound?",
            "“tone of 440 Hz” is heard for 1.5 s, from 00:00:10.2 to 00:00:11.7 [00:00:10]",
        ),
        (
            "How long are the “Harbour tariffs” shown?",
            "“Harbour tariffs” is shown for about 18 s, from 00:00:12 to 00:00:30 [00:00:12]",
        ),
        (
            "For how long does the music play?",
            "“music” is heard for 10.5 s at the longest, from 00:00:40.0 to 00:00:50.5, "
            "and 14.5 s in all over several stretches [00:00:40]",
        ),
        (
            "How much time passes between the tone and the music?",
            "9.8 s from the beginning of “tone of 440 Hz” to that of “music”, "
            "from 00:00:10.2 to 00:00:20.0 [00:00:10][00:00:20]",
        ),
    ],
)
def test_lengths_are_worked_out_and_proven_at_both_ends(question: str, draft: str) -> None:
    assert answered(question) == (draft, ["supported"])


@pytest.mark.parametrize(
    "question", ["How long does the tone sound?", "How much time passes between the tone and the music?"]
)
def test_without_the_calculator_no_length_is_told(question: str) -> None:
    failure = ToolFailure(kind="timeout", message="It took too long.")
    failing = ToolResult(tool="calculator", failure=failure)
    draft, _ = drafted(question, lambda call: failing if call.name == "calculator" else _result(call))
    assert draft == "NOT FOUND: The calculator did not work the time out."


def test_a_wrong_length_is_not_supported() -> None:
    draft, _ = answered("How long does the tone sound?")
    wrong = check_draft(draft.replace("1.5 s", "3.5 s"), HELD, Grounds(["11.7 s - 10.2 s = 1.5 s"], measured=True))
    assert [claim.verdict for claim in wrong.claims] != ["supported"]


@pytest.mark.parametrize(
    "question",
    [
        "How many minutes pass between the tone and the siren?",
        "How long does the siren sound?",
        "How long between the tone and the siren?",
        "How long is the mast shown?",
    ],
)
def test_what_is_not_there_has_no_length(question: str) -> None:
    assert answered(question)[0].startswith("NOT FOUND: It cannot be told when")


def test_a_length_that_is_told_is_quoted() -> None:
    assert answered("How long does the trip take?")[0].startswith("“The trip takes ten minutes.”")


@pytest.mark.parametrize(
    "question", ["How long is the bridge between the two banks?", "How long does the trip take?", "How long from here?"]
)
def test_other_lengths_are_not_measured_in_time(question: str) -> None:
    assert elapsed(question) is None
