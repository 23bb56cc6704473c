"""Samples of every release of LongShOTBench become items; what is broken is told of and left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import flat, write_clip

from longtake.errors import ConfigError
from longtake.evalharness.items import Criterion, Item, ToolCall
from longtake.evalharness.suites.longshot import load_longshot

RUBRIC = [
    {
        "name": "kettle",
        "description": "Names the kettle.",
        "category": "high_priority",
        "weight": 5,
        "is_penalty": False,
    },
    {"name": "colour", "description": "Calls it blue.", "category": "low_priority", "weight": 1, "is_penalty": False},
    {
        "name": "hallucination",
        "description": "Must not mention a teapot.",
        "category": "penalty",
        "weight": -5,
        "is_penalty": True,
    },
]


def row(**changed: Any) -> dict[str, Any]:
    """A whole sample of v2 with one turn; a field given as ... is left out."""
    asked = {
        "role": "user",
        "content": "What stands on the stove?",
        "difficulty": 2,
        "modalities": ["visual", "speech"],
        "key_segments": [4, 5],
        "conversation_role": "opener",
    }
    whole = {
        "sample_id": "sample_1",
        "video_id": "abc",
        "source_videos": "kitchens",
        "title": "A kitchen",
        "duration": 2712.4,
        "categories": ["Howto"],
        "sample_type": "single_turn",
        "scenario": "cooking",
        "scenario_id": "abc_s1",
        "task": "entity_recognition",
        "task_id": "abc_s1_t1",
        "criteria_count": 3,
        "conversations": [asked, {"role": "assistant", "content": "A blue kettle.", "criteria": RUBRIC}],
    }
    return {name: value for name, value in {**whole, **changed}.items() if value is not ...}


def load(folder: Path, *lines: Any, media: Path | None = None) -> tuple[list[Item], list[str]]:
    file = folder / "bench.jsonl"
    file.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    reported: list[str] = []
    items = load_longshot(file, media, reported.append)
    return items, [text.replace(str(folder), "DIR") for text in reported]


def test_a_whole_sample_keeps_what_scores_need(tmp_path: Path) -> None:
    (item,), reported = load(tmp_path, row())
    assert reported == []
    assert (item.suite, item.id, item.video, item.task) == ("longshot", "sample_1", "abc", "entity_recognition")
    assert (item.format, item.seconds, item.media, item.tags) == ("rubric", 2712.4, None, {})
    assert item.temperature == 0.1
    (turn,) = item.turns
    assert (turn.question, turn.reference) == ("What stands on the stove?", "A blue kettle.")
    assert (turn.difficulty, turn.modalities, turn.tags) == (2, ("visual", "speech"), {"conversation_role": "opener"})
    assert turn.criteria == (
        Criterion(name="kettle", description="Names the kettle.", weight=5),
        Criterion(name="colour", description="Calls it blue.", weight=1),
        Criterion(name="hallucination", description="Must not mention a teapot.", weight=-5, penalty=True),
    )


def test_a_clean_export_gets_ids_and_weights(tmp_path: Path) -> None:
    criteria = [{"description": "Names it.", "category": name} for name in ("high_priority", "medium_priority")]
    criteria += [{"description": "Must not guess.", "category": "penalty"}]
    said = [{"role": "user", "content": "What?"}, {"role": "assistant", "content": "It.", "criteria": criteria}]
    clean = {"video_id": "abc", "task": "summarization", "conversations": said}
    items, reported = load(tmp_path, clean, "\n", clean)
    assert reported == []
    assert [item.id for item in items] == ["abc#summarization#1", "abc#summarization#3"]
    found = [(each.name, each.weight, each.penalty) for each in items[0].turns[0].criteria]
    assert found == [("criterion", 5, False), ("criterion 2", 3, False), ("criterion 3", -5, True)]


def test_nulls_count_as_absent_and_v0_calls_the_conversation_a_question(tmp_path: Path) -> None:
    said = row()["conversations"]
    asked = {**said[0], "difficulty": None, "modalities": [None], "criteria": None, "tool_calls": None}
    answered = {**said[1], "difficulty": None, "criteria": [{**RUBRIC[0], "weight": None, "is_penalty": None}]}
    nulls = row(sample_id=None, duration=None, title=None, conversations=None, question=[asked, answered])
    (item,), reported = load(tmp_path, nulls)
    assert reported == []
    assert (item.id, item.seconds) == ("abc#entity_recognition#1", None)
    assert (item.turns[0].modalities, item.turns[0].difficulty) == ((), None)
    assert item.turns[0].criteria[0] == Criterion(name="kettle", description="Names the kettle.", weight=5)


def test_a_conversation_keeps_its_turns_also_one_without_an_answer(tmp_path: Path) -> None:
    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "Ada.", "criteria": RUBRIC[:1]},
        {"role": "user", "content": "Where?"},
        {"role": "user", "content": "When?", "difficulty": 4},
        {"role": "assistant", "content": "At noon.", "criteria": [RUBRIC[0], RUBRIC[0]]},
    ]
    (item,), _ = load(tmp_path, row(sample_type="multi_turn", conversations=said))
    assert [(turn.question, turn.reference) for turn in item.turns] == [
        ("Who?", "Ada."),
        ("Where?", ""),
        ("When?", "At noon."),
    ]
    assert [[each.name for each in turn.criteria] for turn in item.turns] == [["kettle"], [], ["kettle", "kettle 2"]]


def test_tool_calls_are_read_however_they_are_written(tmp_path: Path) -> None:
    call = {"tool": "count_objects", "parameters": {"object_query": "cup", "k": None}, "expected_response": "3"}
    counted = ToolCall(tool="count_objects", arguments={"object_query": "cup"}, result="3")
    spoken = {"tool": "transcribe_speech", "parameters": None, "expected_response": {"transcript": "so"}}
    heard = ToolCall(tool="transcribe_speech", arguments={}, result='{"transcript": "so"}')
    asked = row()["conversations"][0]
    ways: list[dict[str, Any]] = [
        {"tool_calls": [call, spoken]},
        {"tool_calls": [json.dumps(call), json.dumps(spoken)]},
        {"tool_calls_json": json.dumps([call, spoken]), "tool_calls": None},
    ]
    rows = [
        row(sample_id=str(number), task="agentic_task", conversations=[asked, {"role": "assistant", **way}])
        for number, way in enumerate(ways)
    ]
    items, reported = load(tmp_path, *rows)
    assert reported == []
    assert [(item.format, item.turns[0].calls) for item in items] == [("calls", (counted, heard))] * 3


def test_older_names_of_tasks_are_mapped_and_unknown_ones_kept(tmp_path: Path) -> None:
    names = ("ocr_text_extraction", "safety_monitoring", "motion_analysis")
    items, reported = load(tmp_path, *(row(sample_id=name, task=name) for name in names))
    assert reported == []
    assert [(item.task, item.tags) for item in items] == [
        ("entity_recognition", {"task_in_file": "ocr_text_extraction"}),
        ("safety_monitoring", {}),
        ("motion_analysis", {}),
    ]


def test_a_broken_line_is_reported_by_line_and_field_and_the_rest_goes_on(tmp_path: Path) -> None:
    asked, answered = row()["conversations"]
    unweighted = {**answered, "criteria": [{"name": "x", "description": "y", "category": "vital"}]}
    items, reported = load(
        tmp_path,
        row(sample_id="first"),
        row(video_id=...),
        row(conversations=[answered]),
        row(conversations=[{**asked, "content": " "}, answered]),
        row(conversations=[asked, unweighted]),
        row(conversations=[asked, {**answered, "tool_calls": ["{"]}]),
        row(conversations=[asked, {**answered, "criteria": []}]),
        row(conversations=[asked]),
        row(duration="an hour"),
        '{"video_id": "torn", "conv\n',
        row(sample_id="last"),
    )
    assert [item.id for item in items] == ["first", "last"]
    places = [
        "video_id",
        "conversations",
        "conversations",
        "conversations.1.criteria.0",
        "conversations.1.tool_calls.0",
        "conversations",
        "conversations",
    ]
    assert [text.split(": ")[0] for text in reported[:7]] == [
        f"DIR/bench.jsonl, line {line}, {field}" for line, field in enumerate(places, 2)
    ]
    assert reported[3].endswith("it has no weight, and its category implies none; the row was left out.")
    assert reported[5].endswith("no answer has criteria or tool calls to score a reply by; the row was left out.")
    assert reported[7].startswith("DIR/bench.jsonl, line 9, duration: ")
    assert reported[8].startswith("DIR/bench.jsonl, line 10: ")
    assert len(reported) == 9


def test_a_repeated_id_is_reported_and_left_out(tmp_path: Path) -> None:
    items, reported = load(tmp_path, row(), row(sample_id="other"), row(task="summarization"))
    assert [(item.id, item.task) for item in items] == [
        ("sample_1", "entity_recognition"),
        ("other", "entity_recognition"),
    ]
    assert len(reported) == 1
    assert reported[0].startswith("DIR/bench.jsonl, line 3, sample_id: sample_1 ")


def test_videos_are_found_at_any_depth_and_measured_where_the_file_gives_no_length(tmp_path: Path) -> None:
    media = tmp_path / "media"
    (media / "some" / "where").mkdir(parents=True)
    write_clip(media / "some" / "where" / "abc.mkv", [flat((9, 9, 9))] * 50)
    items, reported = load(tmp_path, row(duration=0), row(sample_id="told"), media=media)
    assert reported == []
    assert [item.media for item in items] == [str(media / "some" / "where" / "abc.mkv")] * 2
    assert items[0].seconds == pytest.approx(2.0, abs=0.05)
    assert items[1].seconds == 2712.4


def test_a_missing_or_damaged_video_is_reported_once_and_its_samples_stay(tmp_path: Path) -> None:
    media = tmp_path / "media"
    media.mkdir()
    (media / "bad.mp4").write_bytes(b"no video")
    names = ("gone", "bad", "gone", "bad")
    rows = (row(sample_id=str(number), video_id=name) for number, name in enumerate(names))
    items, reported = load(tmp_path, *rows, media=media)
    assert len(items) == 4
    assert {item.media for item in items if item.video == "gone"} == {None}
    assert [text.split(": ")[0] for text in reported] == [
        "DIR/bench.jsonl, line 1, video_id",
        "DIR/bench.jsonl, line 2, video_id",
    ]
    assert "gone" in reported[0]
    assert "bad.mp4 isn't a video or audio file" in reported[1]


def test_a_file_without_a_sample_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no sample of LongShOTBench"):
        load(tmp_path, "\n", row(video_id=...))
    with pytest.raises(ConfigError, match="No such file"):
        load_longshot(tmp_path / "nowhere.jsonl", None, print)
