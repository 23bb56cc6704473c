"""`memory_tool`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longtake.memory.notes import MAX_NOTE_LENGTH, MAX_NOTES, Notes
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.retrieval.memory import MAX_FOUND, memory_tool


@pytest.fixture
def noting(talk: ToolContext, tmp_path: Path) -> ToolContext:
    return replace(talk, notes=Notes(tmp_path / "memory.sqlite"), thread="kettles")


def called(context: ToolContext, func: str, data: Any) -> ToolResult:
    return Toolbox([memory_tool]).call("memory_tool", {"func": func, "data": data}, context)


def done(context: ToolContext, func: str, data: Any) -> Any:
    result = called(context, func, data)
    assert result.failure is None
    assert result.evidence == ()
    assert result.output["success"], result.output
    return result.output["output"]


def test_a_note_is_added_found_and_deleted(noting: ToolContext) -> None:
    number = done(noting, "add", "the blue kettle costs $249")["id"]
    assert done(noting, "search", "kettles") == [{"id": number, "text": "the blue kettle costs $249"}]
    assert done(noting, "delete", number) == {"deleted": 1}
    assert done(noting, "search", "kettles") == []


def test_one_toolbox_sees_what_it_has_just_written(noting: ToolContext) -> None:
    toolbox = Toolbox([memory_tool])
    search = {"func": "search", "data": "kettle"}
    assert toolbox.call("memory_tool", search, noting).output["output"] == []
    for _ in range(2):
        assert toolbox.call("memory_tool", {"func": "add", "data": "a kettle"}, noting).output["success"]
    assert len(toolbox.call("memory_tool", search, noting).output["output"]) == 2
    deletions = [toolbox.call("memory_tool", {"func": "delete", "data": "a kettle"}, noting) for _ in range(2)]
    assert [deletion.output["success"] for deletion in deletions] == [True, False]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"price": 249, "item": "kettle"}, '{"item":"kettle","price":249}'),
        (["kettle", 2.5], '["kettle",2.5]'),
        (249, "249"),
        (True, "true"),
        ("  Kessel für 20 €  ", "Kessel für 20 €"),
    ],
    ids=str,
)
def test_json_is_kept_as_it_is_written_and_deleted_by_it(noting: ToolContext, data: Any, text: str) -> None:
    number = done(noting, "add", data)["id"]
    assert done(noting, "search", "") == [{"id": number, "text": text}]
    assert done(noting, "delete", data) == {"deleted": 1}


@pytest.mark.parametrize("way", [int, str, lambda number: {"id": number}, lambda number: {"id": number, "text": "x"}])
def test_an_id_is_taken_in_every_form_that_search_suggests(noting: ToolContext, way: Any) -> None:
    number = done(noting, "add", "a kettle")["id"]
    done(noting, "add", "a pot")
    assert done(noting, "delete", way(number)) == {"deleted": 1}
    assert [note["text"] for note in done(noting, "search", "")] == ["a pot"]


def test_what_is_not_there_cannot_be_deleted(noting: ToolContext) -> None:
    assert called(noting, "delete", "a pot").output == {
        "success": False,
        "output": "No note of this conversation has this id or text.",
    }


def test_another_thread_has_its_own_notes(noting: ToolContext) -> None:
    number = done(noting, "add", "a kettle")["id"]
    other = replace(noting, thread="pots")
    assert done(other, "search", "kettle") == []
    assert not called(other, "delete", number).output["success"]
    assert len(done(noting, "search", "kettle")) == 1


def test_sizes_are_bounded(noting: ToolContext) -> None:
    assert noting.notes
    done(noting, "add", "x" * MAX_NOTE_LENGTH)
    failure = called(noting, "add", "x" * (MAX_NOTE_LENGTH + 1)).failure
    assert failure
    assert (failure.kind, failure.message) == (
        "bad_arguments",
        "data: it has 4,001 characters, and a note at most 4,000.",
    )
    with noting.notes._open() as connection:
        for _ in range(MAX_NOTES - 1):
            connection.execute("INSERT INTO notes (thread, text, written) VALUES ('kettles', 'kettle', 0.0)")
    assert len(done(noting, "search", "kettle")) == MAX_FOUND
    assert "500 notes" in called(noting, "add", "one more").output["output"]


@pytest.mark.parametrize(
    ("func", "data", "said"),
    [
        ("add", " ", "nothing to add"),
        ("delete", "", "nothing to delete"),
        ("add", float("nan"), "neither text nor JSON"),
        ("add", "half \ud800", "neither text nor JSON"),
        ("add", None, "data: None"),
        ("find", "kettle", "func: "),
    ],
)
def test_what_cannot_be_noted_is_refused(noting: ToolContext, func: str, data: Any, said: str) -> None:
    failure = called(noting, func, data).failure
    assert failure
    assert failure.kind == "bad_arguments"
    assert said in failure.message


def test_without_a_place_for_notes_it_is_unavailable(talk: ToolContext) -> None:
    failure = called(replace(talk, notes=None), "add", "a kettle").failure
    assert failure
    assert failure.kind == "unavailable"
