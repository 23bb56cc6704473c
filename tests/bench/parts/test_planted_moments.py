"""What is planted is drawn where and when it is said, and is found in a quiet clip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import noise, write_clip

from longtake.bench.parts.planted_moments import Event, Kind, measure_moments, show_moments
from longtake.bench.parts.planting import half_of
from longtake.errors import MediaError

FLASH = Kind("flash", "flash", frames=2, share=0.5)
DISC = Kind("disc", "object", seconds=0.3, disc=72)


def test_a_planted_flash_shows_another_picture_in_its_place_and_frames() -> None:
    picture, other = np.zeros((90, 160, 3), np.uint8), np.full((90, 160, 3), 200, np.uint8)
    event = Event(FLASH, 10, 12, (0.5, 0.5), (0.5, 0.5))
    assert [event.draw(picture, number, other).any() for number in (9, 10, 11, 12)] == [False, True, True, False]
    drawn = event.draw(picture, 10, other)[:, :, 0]
    assert np.count_nonzero(drawn) == pytest.approx(90 * 160 / 4, rel=0.05)
    assert drawn[45, 80] == 200
    assert drawn[5, 5] == 0


def test_a_planted_disc_goes_from_its_first_place_to_its_last() -> None:
    picture = np.zeros((100, 200, 3), np.uint8)
    event = Event(DISC, 0, 5, (0.1, 0.5), (0.9, 0.5))
    columns = [np.nonzero(event.draw(picture, number, picture)[50, :, 0])[0].mean() for number in range(5)]
    assert columns == pytest.approx([20, 60, 100, 140, 180], abs=2)


def test_a_folder_without_clips_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="no clips"):
        measure_moments(tmp_path, 1, "held out", lambda _: None)


def test_what_is_planted_into_quiet_clips_is_found_and_nothing_else(tmp_path: Path) -> None:
    names = [name for name in (f"{number}.mkv" for number in range(20)) if half_of(name) == "tuning"][:2]
    for seed, name in enumerate(names):
        write_clip(tmp_path / name, [(noise(seed, 640, 360) // 2 + 40).astype(np.uint8)] * 250)
    report = measure_moments(tmp_path, 1, "tuning", lambda _: None)
    flashes = [share for name, share in report.recall.items() if name.startswith("whole")]
    assert sum(share.n for share in flashes) > 0
    assert all(share.count == share.n for share in flashes)
    assert report.false_alarms == ()
    assert report.seconds == pytest.approx(20, abs=0.1)
    assert any("false alarms: 0" in line for line in show_moments(report))
