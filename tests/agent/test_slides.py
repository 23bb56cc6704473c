"""Slides that are named by their titles, tables, first and last things, and what stands beside them."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.planner import next_move
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

TOOLS = {"scene_text": "extract_scene_text", "speech": "transcribe_speech", "audio": "detect_audio_events"}


def piece(
    content: str,
    start: float,
    end: float,
    left: float = 0.1,
    top: float = 0.1,
    modality: Modality = "scene_text",
    height: float = 0.1,
) -> Evidence:
    box = (left, top, 0.2, height) if modality == "scene_text" else None
    return Evidence(
        video="v", span=TimeSpan(start=start, end=end), modality=modality, content=content, engine="e", box=box
    )


TALK = (
    piece("Keeping Bees", 0, 12),
    piece("12 March 2025", 0, 12, top=0.6, height=0.06),
    piece("Equipment prices", 12, 30),
    piece("Smoker: $9", 12, 30, top=0.3),
    piece("Hive tool: $12", 12, 30, top=0.5),
    piece("Harvest 2024", 30, 45),
    piece("City", 30, 45, top=0.3),
    piece("Hives", 30, 45, 0.4, 0.3),
    piece("Honey (kg)", 30, 45, 0.7, 0.3),
    piece("Cairo", 30, 45, top=0.5),
    piece("22", 30, 45, 0.4, 0.5),
    piece("480", 30, 45, 0.7, 0.5),
    piece("Phone 555-0199", 60, 70, top=0.8),
    piece("Good morning.", 1, 5, modality="speech"),
    piece("The smoker costs forty dollars.", 13, 18, modality="speech"),
    piece("Goodbye.", 65, 69, modality="speech"),
    piece("silence", 20, 23, modality="audio"),
    piece("silence", 27, 29, modality="audio"),
    piece("tone", 30, 31, modality="audio"),
)


def result_of(call: Call) -> ToolResult:
    if call.name == "calculator":
        one, _, other = str(call.arguments["expression"]).replace(" s", "").partition(" - ")
        return ToolResult(tool=call.name, output={"result": f"{float(one) - float(other):g} s"})
    if call.name == "cross_modal_search":
        return ToolResult(tool=call.name, evidence=tuple(item for item in TALK if item.modality != "audio"))
    start, end = call.arguments.get("timestamp", [0.0, 100.0])
    found = (item for item in TALK if TOOLS[item.modality] == call.name and item.span.start < end > start)
    return ToolResult(tool=call.name, evidence=tuple(item for item in found if item.span.end > start))


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("What is shown before the prices slide?", "“Keeping Bees” [00:00:00] “12 March 2025” [00:00:00]"),
        (
            "What is shown after the prices slide?",
            "“Harvest 2024” [00:00:30] “City · Hives · Honey (kg)” [00:00:30] “Cairo · 22 · 480” [00:00:30]",
        ),
        ("What is the date on the title slide?", "“12 March 2025” [00:00:00]"),
        ("What is the most expensive item on the price slide?", "“Hive tool: $12” [00:00:12]"),
        ("What is the cheapest item on the price slide?", "“Smoker: $9” [00:00:12]"),
        ("What is the last thing written on the screen?", "“Phone 555-0199” [00:01:00]"),
        ("What is said first?", "“Good morning.” [00:00:01]"),
        ("What is said last?", "“Goodbye.” [00:01:05]"),
        ("What is the title of the talk?", "“Keeping Bees” [00:00:00]"),
        ("How much honey did Cairo harvest?", "“Honey (kg)”: “Cairo”, “480” [00:00:30]"),
        ("How many hives does Cairo have?", "“Hives”: “Cairo”, “22” [00:00:30]"),
    ],
)
def test_what_a_hurried_reader_asks_of_slides(question: str, draft: str) -> None:
    assert drafted(question, result_of)[0] == draft


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What is shown after the harvest slide?", "NOT FOUND: No text stands right after it."),
        ("What is shown before the weather slide?", "NOT FOUND: It cannot be told which slide is meant."),
        ("What is the date on the prices slide?", "NOT FOUND: Nothing on that slide"),
        ("How many items are on the price slide?", "NOT FOUND: Nothing on that slide"),
        ("How long is the price slide shown?", "“Equipment prices” is shown for about 18 s"),
        ("How long is the silence before the tone?", "“silence” is heard for 2.0 s, from 00:00:27.0"),
        ("How much honey did Lima harvest?", "NOT FOUND"),
        ("Does the slide price of the smoker agree with what is said?", "NOT FOUND: Of what is shown and"),
        ("What is said at 0:14 in Spanish?", "NOT FOUND: Nothing is said there in another language"),
    ],
)
def test_lengths_and_what_no_rule_is_sure_of(question: str, start: str) -> None:
    assert drafted(question, result_of)[0].startswith(start)


def test_of_running_codes_the_last_one_is_told() -> None:
    codes = tuple(piece(f"01:00:0{n}:00", n, n + 1) for n in range(8))
    draft, _ = drafted("What is the last timecode shown?", lambda call: ToolResult(tool=call.name, evidence=codes))
    assert draft == "“01:00:07:00” [00:00:07]"
    none, _ = drafted("What is the last timecode shown?", lambda call: ToolResult(tool=call.name))
    assert none.startswith("NOT FOUND")


def test_an_equation_in_the_question_goes_to_the_calculator() -> None:
    draft, calls = drafted(
        "What is the solution of 2x + 6 = 20?", lambda call: ToolResult(tool=call.name, output={"result": "x = 7"})
    )
    assert (draft, calls) == ("2x + 6 = 20: x = 7", [Call("calculator", {"expression": "2x + 6 = 20"})])


BLACK = piece("the picture is empty: black", 48, 54, modality="visual")
SHOTS = piece("There are 2 shots; cuts at 12.00 s.", 0, 100, modality="metadata")


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Is there ever a black screen?", "Yes: “the picture is empty: black” from 00:00:48.0"),
        ("Is there any white picture?", "NOT FOUND: No such picture was found."),
        ("Is there ever a red screen?", "NOT FOUND: Whether the whole picture is red"),
        ("How many cuts are there?", "There are 2 shots; cuts at 12.00 s."),
        ("How many shots are there?", "There are 2 shots"),
        ("Is there a fade?", "NOT FOUND: No fade"),
        ("When does the picture fade to black?", "NOT FOUND: No fade"),
    ],
)
def test_what_is_known_of_the_picture_needs_no_tool(question: str, start: str) -> None:
    kind, senses = classify(question)
    orientation = Orientation(
        question=question,
        kind=kind,
        modalities=senses,
        parts=(question,),
        videos={"v": 100.0},
        names={"v": "talk.mp4"},
        facts=(SHOTS,),
        blank=(BLACK,),
    )
    move = next_move(orientation, [])
    assert isinstance(move, str)
    assert move.startswith(start)


def test_the_order_of_a_sound_and_a_black_picture() -> None:
    siren = piece("siren-like sound", 42, 47, modality="audio")
    question = "Is the siren before the black screen?"
    orientation = Orientation(
        question=question, kind="fact", parts=(question,), videos={"v": 100.0}, names={"v": "talk.mp4"}, blank=(BLACK,)
    )
    calls = next_move(orientation, [])
    assert isinstance(calls, list)
    done = [Done(call, ToolResult(tool=call.name, evidence=(siren,))) for call in calls]
    told = "Yes: “siren-like sound” [00:00:42] comes before “the picture is empty: black” [00:00:48]."
    assert next_move(orientation, done) == told


def test_a_sound_that_is_no_noun_is_said_as_it_should_be() -> None:
    draft, _ = drafted("Is there a loud sound?", lambda call: ToolResult(tool=call.name))
    assert draft == "NOT FOUND: Nothing loud was heard."


def test_the_address_of_the_speaker_is_read() -> None:
    mail = piece("Contact: bees@example.org", 60, 70)
    draft, _ = drafted("What is the speaker's email address?", lambda call: _only(call, mail))
    assert draft == "“Contact: bees@example.org” [00:01:00]"


def _only(call: Call, item: Evidence) -> ToolResult:
    return ToolResult(tool=call.name, evidence=(item,) if call.name == TOOLS[item.modality] else ())
