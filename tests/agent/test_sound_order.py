"""Sounds one after the other: which questions want them, which are named, and what is left open."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.claims import check_draft
from longtake.agent.orientation import Orientation, classify, quoted
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.steps import play
from longtake.agent.rules.time.sound_order import Row, find_row, row_asked
from longtake.agent.verdicts import Grounds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult


def heard(content: str, start: float, end: float) -> Evidence:
    span = TimeSpan(start=start, end=end)
    return Evidence(video="v", span=span, modality="audio", content=content, engine="e")


TRACK = (
    heard("tone of 800 Hz", 4, 5),
    heard("speech", 12, 19),
    heard("silence", 19, 20),
    heard("music", 20, 26),
    heard("siren-like sound", 27, 30),
    heard("siren-like sound", 31, 33),
    heard("applause-like sound", 34, 40),
    heard("impulse", 41.5, 41.6),
    heard("impulse", 42.5, 42.6),
    heard("speech", 44, 60),
    heard("tone of 500 Hz", 70, 71),
)


def answered(question: str, track: tuple[Evidence, ...] = TRACK) -> str:
    def result(call: Call) -> ToolResult:
        return ToolResult(tool=call.name, evidence=track if call.name == "detect_audio_events" else ())

    return drafted(question, result)[0]


def row_of(question: str) -> Row | None:
    kind, senses = classify(question)
    asked = Orientation(question=question, kind=kind, modalities=senses, quoted=quoted(question), videos={"v": 99.0})
    return row_asked(asked)


THREE = "“music” [00:00:20], then “siren-like sound” [00:00:27], then “applause-like sound” [00:00:34]."


@pytest.mark.parametrize(
    "question",
    [
        "Which sounds lead up to the bangs, in order?",
        "What can one hear before the bangs, one after another?",
        "In what order are the three noises before the first bang?",
        "Which sounds precede the loud bangs in sequence?",
        "Before the explosions, which three sounds are heard?",
        "Please list in order the sounds that precede the bangs.",
    ],
)
def test_the_sounds_that_lead_up_to_another_are_named_in_order(question: str) -> None:
    draft = answered(question)
    assert draft == THREE
    claims = check_draft(draft, TRACK, Grounds(measured=True)).claims
    assert [claim.verdict for claim in claims] == ["supported"]


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("Which sound follows the music?", "“siren-like sound” [00:00:27]."),
        ("What noise comes right after the applause?", "“impulse” [00:00:41]."),
        ("Which sound is heard right before the siren?", "“music” [00:00:20]."),
        ("What is heard directly after the bangs?", "“speech” [00:00:44]."),
        ("Which two sounds follow the music?", "“siren-like sound” [00:00:27], then “applause-like sound” [00:00:34]."),
    ],
)
def test_the_sound_right_beside_another_is_the_nearest_one(question: str, draft: str) -> None:
    assert answered(question) == draft


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Which four sounds are heard before the bangs?", "No such row of sounds was told apart."),
        ("Which sounds come before the tones, in order?", "No such row of sounds was told apart."),
        ("Which sound follows the siren?", "Several rows of sounds could be meant."),
    ],
)
def test_what_is_not_there_or_there_twice_is_left_open(question: str, reason: str) -> None:
    track = (*TRACK, heard("siren-like sound", 80, 84), heard("music", 85, 90)) if "siren" in question else TRACK
    assert answered(question, track) == f"NOT FOUND: {reason}"


def test_an_empty_picture_bounds_the_row() -> None:
    question = "Which sounds are heard in order while the screen is black?"
    row = row_of(question)
    assert row is not None
    assert row == Row("", (), "black", 0)
    empty = Evidence(
        video="v",
        span=TimeSpan(start=26.5, end=42),
        modality="visual",
        content="the picture is empty: black",
        engine="e",
    )
    asked = Orientation(question=question, kind="hear", videos={"v": 99.0}, names={"v": "v.mp4"}, blank=(empty,))
    calls = play(find_row(row, asked), [])
    assert isinstance(calls, list)

    done = [Done(call, ToolResult(tool=call.name, evidence=TRACK)) for call in calls]
    assert play(find_row(row, asked), done) == (
        "“siren-like sound” [00:00:27], then “applause-like sound” [00:00:34], then “impulse” [00:00:41]."
    )


@pytest.mark.parametrize(
    "question",
    [
        "Which sounds of the forest are mentioned, in order?",
        "In which order are the steps shown before the music?",
        "Which sounds are heard after the second slide, in order?",
        "In which order are the siren, the music and the bang heard?",
        "Which sound follows the music in the kitchen?",
        "Which sounds of the wooden gate lead up to the bangs, in order?",
        "Which annoying sound is heard right before the siren?",
        "Which dog sounds are heard before the bangs, in order?",
        "What is heard after “the music”, in order?",
        "What is heard after the music?",
        "How many sounds are heard?",
        "Which sounds are heard?",
    ],
)
def test_other_questions_want_no_row(question: str) -> None:
    assert row_of(question) is None
