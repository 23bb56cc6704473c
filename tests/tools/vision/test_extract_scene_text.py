"""`extract_scene_text`: which readings of a text are one piece, and which are another."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.data.written_layers import write_layer

from longtake.memory.library import VideoRecord
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.vision.extract_scene_text import extract_scene_text

ID = "a" * 16
HOUR = 3600.0
Box = tuple[float, float, float, float]
MIDDLE: Box = (0.3, 0.4, 0.2, 0.1)
RIGHT: Box = (0.7, 0.4, 0.2, 0.1)
BELOW: Box = (0.3, 0.6, 0.2, 0.1)
TREMBLING: Box = (0.31, 0.39, 0.2, 0.11)
Shown = tuple[str, float, float, Box]


def read(folder: Path, *shown: Shown) -> list[tuple[str, float, float, Box | None]]:
    """What is read in an hour-long video whose file is gone and in which these lines were found."""
    workspace = Workspace(folder, Settings())
    items = [
        {"text": text, "start": start, "end": end, "box": list(box), "confidence": 0.9}
        for text, start, end, box in shown
    ]
    layer = write_layer(workspace.library.layers(ID), "scene_text", *items, covered=[TimeSpan(start=0, end=HOUR)])
    record = VideoRecord(
        id=ID,
        name="v.mp4",
        path="/gone/v.mp4",
        size=9,
        modified=1,
        duration=HOUR,
        layers={"scene_text": layer.key},
    )
    handles = {record.id: VideoHandle(record, workspace.library)}
    context = ToolContext(handles, workspace.engines, workspace.index, workspace.settings, Budget(60))
    result = Toolbox([extract_scene_text]).call("extract_scene_text", {"timestamp": [0, HOUR]}, context)
    assert result.output["texts"] == [item.text for item in result.evidence]
    return [(item.text, item.span.start, item.span.end, item.box) for item in result.evidence]


def test_a_text_that_is_shown_again_later_is_another_piece(tmp_path: Path) -> None:
    shown = [("SALE", 10.0, 14.0, MIDDLE), ("SALE", 1800.0, 1804.0, MIDDLE), ("SALE", 3000.0, 3001.0, RIGHT)]
    assert read(tmp_path, *shown) == shown


def test_equal_cells_of_a_table_are_all_there(tmp_path: Path) -> None:
    table = [
        ("Ada", 5.0, 9.0, MIDDLE),
        ("7", 5.0, 9.0, RIGHT),
        ("Bob", 5.0, 9.0, BELOW),
        ("7", 5.0, 9.0, (0.7, 0.6, 0.2, 0.1)),
    ]
    assert read(tmp_path, *table) == table


@pytest.mark.parametrize("again", [11.0, 14.0, 15.5])
def test_a_text_that_goes_on_at_its_place_is_the_longest_of_its_readings(again: float, tmp_path: Path) -> None:
    first: Shown = ("SALE", 10.0, 14.0, MIDDLE)
    assert read(tmp_path, first, ("SALE", again, again + 1, TREMBLING)) == [first]


def test_a_text_that_is_lost_now_and_then_stays_one(tmp_path: Path) -> None:
    looks: list[Shown] = [("SALE", second, second, MIDDLE) for second in (10.0, 11.5, 13.0, 14.5)]
    assert read(tmp_path, *looks) == looks[:1]
