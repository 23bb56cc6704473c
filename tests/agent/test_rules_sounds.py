"""Which questions the sound track answers, and how its sounds are counted."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.claims import check_draft
from longtake.agent.rules.moves import Call
from longtake.agent.rules.sounds import asked_kinds
from longtake.agent.verdicts import Grounds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, clock
from longtake.tools.result import ToolResult


def sound(content: str, start: float) -> Evidence:
    return Evidence(video="v", span=TimeSpan(start=start, end=start + 1), modality="audio", content=content, engine="e")


HEARD = (
    sound("tone of 1000 Hz", 5),
    sound("siren-like sound", 9),
    sound("tone of 800 Hz", 20),
    *(sound("impulse", 30 + second) for second in range(21)),
    *(sound("speech", 60 + second) for second in range(21)),
)


def answered(question: str) -> tuple[str, list[Call]]:
    def result(call: Call) -> ToolResult:
        return ToolResult(tool=call.name, evidence=HEARD if call.name == "detect_audio_events" else ())

    return drafted(question, result)


def test_every_sound_of_a_kind_is_told_with_its_time() -> None:
    draft, calls = answered("How many beeps are there?")
    assert [call.name for call in calls] == ["detect_audio_events"]
    assert draft == "“tone” occurs 2 times [00:00:05.0][00:00:20.0]"
    claims = check_draft(draft, HEARD, Grounds(measured=True)).claims
    assert [claim.verdict for claim in claims] == ["supported"]


@pytest.mark.parametrize(
    "question",
    ["Count the beeps.", "What is the number of beeps?", "Tell me how many tones there are.", "Number of beeps?"],
)
def test_a_count_may_be_asked_for_in_other_words(question: str) -> None:
    assert answered(question)[0] == "“tone” occurs 2 times [00:00:05.0][00:00:20.0]"


def test_sounds_that_follow_each_other_closely_are_each_proven() -> None:
    spans = [TimeSpan(start=30 + 0.9 * number, end=30.1 + 0.9 * number) for number in range(4)]
    close = tuple(Evidence(video="v", span=span, modality="audio", content="impulse", engine="e") for span in spans)
    draft = "".join(
        f"Impulse from {clock(item.span.start, decimals=1)} to {clock(item.span.end, decimals=1)} "
        f"[{clock(item.span.start, decimals=1)}]. "
        for item in close
    )
    made, _ = drafted("When are the bangs heard?", lambda call: ToolResult(tool=call.name, evidence=close))
    assert made == draft.strip()
    assert {claim.verdict for claim in check_draft(made, close, Grounds(measured=True)).claims} == {"supported"}


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("How many bangs are there?", "NOT FOUND: There are 21 or so, too many"),
        ("Is there applause?", "NOT FOUND: No applause was told apart in the sound, which does not prove"),
        ("Is anyone speaking?", "Speech from 00:01:00.0"),
    ],
)
def test_too_many_or_other_sounds_are_left_open(question: str, start: str) -> None:
    assert answered(question)[0].startswith(start)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When is the alarm tested?", []),
        ("What should I do if I hear the alarm?", []),
        ("Which alarm company installed it?", []),
        ("When does the alarm go off?", ["siren"]),
        ("When is an alarm heard?", ["siren"]),
        ("Does the alarm sound after the lecture?", ["siren"]),
        ("How many sirens are heard?", ["siren"]),
    ],
)
def test_an_alarm_is_a_sound_only_where_it_is_heard(question: str, kinds: list[str]) -> None:
    assert asked_kinds(question) == kinds


@pytest.mark.parametrize(
    "question",
    [
        "What sound means that the doors close?",
        "How loud is the siren?",
        "What does the siren mean?",
        "What is the tone called?",
        "When is there no siren?",
    ],
)
def test_what_is_heard_and_when_does_not_say_more_of_a_sound(question: str) -> None:
    assert answered(question)[0].startswith("NOT FOUND")


@pytest.mark.parametrize(
    "question",
    ["Which different sounds can be heard in the recording?", "What sounds are there between 0:04 and 0:10?"],
)
def test_all_that_is_heard_is_told_where_nothing_else_is_asked(question: str) -> None:
    assert "Siren-like sound from 00:00:09.0" in answered(question)[0]
