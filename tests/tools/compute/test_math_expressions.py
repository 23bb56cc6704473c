"""`extract_math_exp` on pictures with formulas on them, read by the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip, written

from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> ToolContext:
    """Four seconds of two formulas beside a date and a price, then four with none."""
    folder = tmp_path_factory.mktemp("lesson")
    ground = flat((60, 40, 20), 960, 540)
    board = written(written(ground, "37*12+56=?", (80, 120), 1.8), "2y + 3 = 11", (80, 250), 1.8)
    board = written(written(board, "12/05/2024", (80, 380), 1.8), "$249", (80, 490), 1.8)
    write_clip(folder / "lesson.mp4", [board] * 100 + [written(ground, "GOODBYE", (80, 250), 2.0)] * 100)
    workspace = Workspace(tmp_path_factory.mktemp("library"), Settings())
    workspace.add(folder / "lesson.mp4")
    record = workspace.library.resolve("lesson")
    handles = {record.id: VideoHandle(record, workspace.library)}
    return ToolContext(handles, workspace.engines, workspace.index, workspace.settings, Budget(600))


def extract(context: ToolContext, *span: float) -> ToolResult:
    result = Toolbox(ALL_TOOLS).call("extract_math_exp", {"timestamp": list(span)}, context)
    assert result.failure is None
    return result


@pytest.mark.slow
def test_each_expression_is_reported_as_seen_as_read_and_with_its_value(lesson: ToolContext) -> None:
    result = extract(lesson, 2.0)
    assert [(each["expression"], each["value"]) for each in result.output["expressions"]] == [
        ("37*12 + 56", "500"),
        ("2*y + 3 = 11", "y = 4"),
    ]
    for each, line in zip(result.output["expressions"], result.evidence, strict=True):
        assert each["seen"] in line.text
        assert (line.modality, bool(line.box)) == ("scene_text", True)
        assert line.engine.startswith("rapidocr")


def test_where_there_is_none_the_lines_that_were_read_are_counted(lesson: ToolContext) -> None:
    result = extract(lesson, 6.0)
    assert (result.output, result.evidence) == ({"expressions": []}, ())
    assert "no mathematical expression in 1 lines of text read there" in result.notes


def test_a_file_that_moved_is_answered_from_the_index(lesson: ToolContext, tmp_path: Path) -> None:
    [(key, handle)] = lesson.videos.items()
    record = handle.record.model_copy(update={"path": str(tmp_path / "gone.mp4")})
    moved = ToolContext(
        {key: VideoHandle(record, handle.library)}, lesson.engines, lesson.index, lesson.settings, lesson.budget
    )
    result = extract(moved, 1.0, 3.0)
    assert {each["expression"] for each in result.output["expressions"]} == {"37*12 + 56", "2*y + 3 = 11"}
    assert any("not read again" in note for note in result.notes)
