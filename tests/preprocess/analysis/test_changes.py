"""The change signal, at the file's own frame rate."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.data.visual_pass import look_at
from helpers.media.clips import flat


def test_each_frame_has_its_change_in_the_item_of_its_second(tmp_path: Path) -> None:
    pictures = [flat((50, 50, 50))] * 30 + [flat((150, 150, 150))] * 35
    items = look_at(tmp_path, pictures).items("changes")
    assert [(item["start"], item["end"]) for item in items] == [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]
    assert [len(item["times"]) for item in items] == [25, 25, 15]
    for item in items:
        assert len(item["times"]) == len(item["change"]) == len(item["area"])
        assert all(item["start"] <= time < item["end"] for time in item["times"])
    changes = {time: change for item in items for time, change in zip(item["times"], item["change"], strict=True)}
    assert changes.pop(1.2) == pytest.approx(100 * 219 / 255, abs=3)
    assert set(changes.values()) == {0.0}
    assert items[1]["area"][5] == 1.0


def test_a_drift_too_slow_to_see_from_frame_to_frame_adds_up(tmp_path: Path) -> None:
    items = look_at(tmp_path, [flat((50 + n, 50 + n, 50 + n)) for n in range(75)]).items("changes")
    assert sum(change for item in items for change in item["change"]) == pytest.approx(74 * 219 / 255, abs=4)
