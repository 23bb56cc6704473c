"""Questions of several parts: each is planned on its own, in the same rounds."""

from __future__ import annotations

from longtake.agent.orientation import Orientation, classify, split_parts
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.parts import join_drafts, parts_of
from longtake.agent.rules.planner import next_move
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

SENSES = {"transcribe_speech": "speech", "extract_scene_text": "scene_text", "detect_audio_events": "audio"}


def piece(content: str, start: float, modality: Modality = "speech") -> Evidence:
    span = TimeSpan(start=start, end=start + 2)
    return Evidence(video="v", span=span, modality=modality, content=content, engine="e")


HELD = (
    piece("The wind reached 130 kilometres an hour.", 5),
    piece("impulse", 15, "audio"),
    piece("Nobody was hurt.", 20),
    piece("Safety rules", 20, "scene_text"),
    piece("music", 40, "audio"),
)


def oriented(question: str) -> Orientation:
    kind, senses = classify(question)
    parts = split_parts(question)
    return Orientation(
        question=question, kind=kind, modalities=senses, parts=parts, videos={"v": 100.0}, names={"v": "talk.mp4"}
    )


def answered(question: str) -> tuple[str, int]:
    """The draft, and the rounds it took."""
    done: list[Done] = []
    for rounds in range(8):
        move = next_move(oriented(question), done)
        if isinstance(move, str):
            return move, rounds
        done += [Done(call, _result(call)) for call in move]
    raise AssertionError("the rules do not come to an end")


def _result(call: Call) -> ToolResult:
    senses = call.arguments["modalities"] if call.name == "cross_modal_search" else [SENSES.get(call.name)]
    return ToolResult(tool=call.name, evidence=tuple(item for item in HELD if item.modality in senses))


def test_each_part_is_answered_by_its_own_kind_of_plan() -> None:
    draft, rounds = answered("How fast was the wind, and when does the music start?")
    assert draft == (
        "“The wind reached 130 kilometres an hour.” [00:00:05] Music from 00:00:40.0 to 00:00:42.0 [00:00:40.0]."
    )
    assert rounds == 2


def test_a_part_without_an_answer_is_named_behind_the_others() -> None:
    draft, _ = answered("Who built the telescope, and when does the music start?")
    assert draft.startswith("Music from 00:00:40.0")
    assert "NOT FOUND: “Who built the telescope?”: " in draft


def test_parts_that_name_no_place_share_the_one_that_is_named() -> None:
    parts = parts_of(oriented("What is said and what is shown after the bang?"))
    assert [part.question for part in parts] == ["What is said after the bang?", "what is shown after the bang?"]
    parts = parts_of(oriented("What is said at 0:30, and what is shown?"))
    assert [part.span for part in parts] == [TimeSpan(start=30, end=30)] * 2


def test_nothing_found_at_all_is_an_abstention_that_names_every_part() -> None:
    asked = oriented("Who built it, and where is the key?")
    draft = join_drafts(parts_of(asked), ["NOT FOUND: one.", "NOT FOUND: two."])
    assert draft == "NOT FOUND: “Who built it?”: one. “where is the key?”: two."
