"""What is said or written in another language: which of it is meant, and how its translation is told."""

from __future__ import annotations

import pytest
from helpers.rules import drafted

from longtake.agent.rules.moves import Call
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult

ENGLISH = {"Cerrado": "Closed", "No hay agua hoy.": "There is no water today.", "Llueve mucho.": "It rains a lot."}
BY = "translated by dictionary-1, which often mistakes words"


def piece(content: str, start: float, modality: Modality, top: float = 0.1) -> Evidence:
    box = (0.1, top, 0.4, 0.08) if modality == "scene_text" else None
    span = TimeSpan(start=start, end=start + 4)
    return Evidence(video="v", span=span, modality=modality, content=content, engine="e", box=box)


SHOWN = (
    piece("Weather report", 0, "scene_text"),
    piece("Cerrado", 10, "scene_text"),
    piece("No hay agua hoy.", 10, "scene_text", 0.3),
    piece("Our guest", 20, "scene_text"),
    piece("Marta Ruiz", 20, "scene_text", 0.3),
    piece("Jon Adams", 30, "scene_text"),
)
HEARD = (piece("Good morning.", 1, "speech"), piece("Llueve mucho.", 21, "speech"))


def in_english(item: Evidence) -> Evidence:
    return item.model_copy(update={"content": ENGLISH[item.content], "engine": "dictionary-1 of e", "trusted": False})


def answered(question: str, shown: tuple[Evidence, ...] = SHOWN) -> tuple[str, list[Call]]:
    def result_of(call: Call) -> ToolResult:
        if call.name == "extract_scene_text":
            return ToolResult(tool=call.name, evidence=shown)
        notes = (f"{BY}: it proves nothing",)
        if call.name == "translate_text":
            lines = [ENGLISH.get(line) or line for line in call.arguments["text"].split("\n")]
            output = {"translated_text": "\n".join(lines), "from_lang": "Spanish"}
            return ToolResult(tool=call.name, output=output, notes=notes)
        others = tuple(in_english(item) for item in HEARD if item.content in ENGLISH)
        return ToolResult(tool=call.name, evidence=(*HEARD, *others), notes=notes)

    return drafted(question, result_of)


SIGN = f"“Cerrado” is “Closed” [00:00:10]. “No hay agua hoy.” is “There is no water today.”, {BY} [00:00:10]."
RAIN = f"“Llueve mucho.” is “It rains a lot.”, {BY} [00:00:21]."


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("What does the Spanish sign mean in English?", SIGN),
        ("Translate the notice into English.", SIGN),
        ("Give me the English translation of the text on the poster.", SIGN),
        ('What does the sign "Cerrado" say, in English?', SIGN.partition(". ")[2]),
        ("What does Marta Ruiz say, in English?", RAIN),
        ("Translate what is said in Spanish into English.", RAIN),
        ("What does what is said in Spanish mean in English?", RAIN),
        ("What does the guest say in English?", RAIN),
    ],
)
def test_what_is_in_the_other_language_is_quoted_and_translated(question: str, draft: str) -> None:
    assert answered(question)[0] == draft


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What does Jon Adams say, in English?", "Nothing is said there in another language than English."),
        ("What does Ada Stone say, in English?", "Who that is cannot be told from what is written."),
        ("What does the French sign mean in English?", "Nothing is written there in French that can be told."),
        ("What does the sign at the bottom mean in English?", "It cannot be told which text is meant."),
    ],
)
def test_where_it_is_not_sure_what_is_meant_nothing_is_translated(question: str, reason: str) -> None:
    assert answered(question)[0] == f"NOT FOUND: {reason}"


def test_of_two_signs_none_is_chosen() -> None:
    two = (*SHOWN, piece("Llueve mucho.", 40, "scene_text"))
    assert answered("What does the sign mean in English?", two)[0] == (
        "NOT FOUND: Writing in another language than English was found in several places: [00:00:10][00:00:40]."
    )


def test_words_of_the_question_alone_prove_nothing_of_the_video() -> None:
    draft, calls = answered("Translate “Llueve mucho.” from Spanish into English.")
    assert draft == f"NOT FOUND: A translation proves nothing of the video ({BY}): “It rains a lot.”."
    assert calls[-1].arguments == {"text": "Llueve mucho.", "from_lang": "Spanish", "to_lang": "English"}


def test_without_a_translator_the_reason_is_told() -> None:
    failure = ToolFailure(kind="unavailable", message="Nothing here translates.", remedy="Install one.")

    def result_of(call: Call) -> ToolResult:
        if call.name == "extract_scene_text":
            return ToolResult(tool=call.name, evidence=SHOWN)
        return ToolResult(tool=call.name, failure=failure)

    for question in ("What does the sign mean in English?", "What does Marta Ruiz say in English?"):
        assert drafted(question, result_of)[0] == "NOT FOUND: Nothing here translates. Install one."
