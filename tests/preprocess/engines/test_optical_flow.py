"""What moves by itself is told with its way and its time; what the camera makes move is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from helpers.data.visual_pass import mixed, texture
from helpers.media.clips import Picture, noise, write_clip

from longtake.config import load
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.activity_engine import Activity
from longtake.preprocess.engines.optical_flow import OpticalFlow
from longtake.preprocess.media.media import probe


def scene(seed: int, width: int = 320) -> Picture:
    """Large and small things, as in a real picture."""
    return mixed(np.tile(noise(seed), (1, width // 320 + 1, 1))[:, :width], 0.6, texture(seed, width, 180))


GROUND = scene(1)


def activities(path: Path, cuts: Sequence[float] = ()) -> list[Activity]:
    media = probe(path)
    whole = TimeSpan(start=0, end=media.duration)
    return OpticalFlow(load()).activities(path, media, whole, cuts, lambda: None)


def with_block(place: tuple[float, float], ground: Picture = GROUND) -> Picture:
    """A patch of another texture, 60 pixels square, on the ground."""
    x, y = (round(each) for each in place)
    shown = ground.copy()
    part = shown[max(0, y) : y + 60, max(0, x) : x + 60]
    part[:] = scene(9)[: part.shape[0], : part.shape[1]]
    return shown


@pytest.mark.parametrize(
    ("step", "start", "reported"),
    [
        ((4.0, 0.0), (10, 60), "something moves to the right, from the left to the right"),
        ((-4.0, 0.0), (250, 60), "something moves to the left, from the right to the left"),
        ((0.0, 2.0), (130, 5), "something moves down, from the upper part to the lower part"),
    ],
)
def test_a_thing_that_crosses_is_reported_with_its_way(
    tmp_path: Path, step: tuple[float, float], start: tuple[int, int], reported: str
) -> None:
    moving = [with_block((start[0] + step[0] * n, start[1] + step[1] * n)) for n in range(60)]
    path = write_clip(tmp_path / "clip.mkv", [moving[0]] * 25 + moving + [moving[-1]] * 25)
    [found] = activities(path)
    assert found.text.startswith(reported)
    assert found.span.start == pytest.approx(1.0, abs=0.3)
    assert found.span.end == pytest.approx(3.4, abs=0.3)
    assert found.score > 0.8


def test_what_goes_to_and_fro_has_a_place_and_no_way(tmp_path: Path) -> None:
    moving = [with_block((30 + 25 * np.sin(n / 4), 60)) for n in range(100)]
    [found] = activities(write_clip(tmp_path / "clip.mkv", moving))
    assert found.text.startswith("movement in the left,")
    assert found.box[0] + found.box[2] < 0.5


def test_a_camera_that_pans_and_a_cut_move_nothing(tmp_path: Path) -> None:
    wide = scene(3, 1200)
    pan = [np.ascontiguousarray(wide[:, 3 * n : 3 * n + 320]) for n in range(75)]
    path = write_clip(tmp_path / "clip.mkv", [*pan, *[scene(4)] * 50])
    assert activities(path, [3.0]) == []


def test_what_moves_by_itself_is_found_while_the_camera_pans(tmp_path: Path) -> None:
    wide = scene(3, 1200)
    shown = [with_block((240 - 2.5 * n, 60), np.ascontiguousarray(wide[:, n : n + 320])) for n in range(75)]
    [found] = activities(write_clip(tmp_path / "clip.mkv", shown))
    assert "middle" in found.text or "left" in found.text
    assert found.box[2] < 0.6


def test_five_vehicles_drive_to_the_right(media: Path) -> None:
    found = activities(media / "bgslibrary" / "video.avi")
    assert len(found) == 5
    assert sum("to the right" in each.text for each in found) >= 3
    assert not any("to the left" in each.text for each in found)


@pytest.mark.nightly
def test_six_visitors_come_and_go(media: Path) -> None:
    found = sorted(activities(media / "sample-videos" / "one-by-one-person-detection.mp4"), key=lambda a: a.span.start)
    assert 12 <= len(found) <= 13  # the way of one who leaves may fall in two
    assert found[0].span.start == pytest.approx(6.0, abs=0.5)
    assert found[2].span.start == pytest.approx(22.7, abs=0.6)
    assert found[3].span.end == pytest.approx(45.1, abs=0.6)


def test_a_camera_in_the_hand_before_a_sculpture_moves_nothing(media: Path) -> None:
    assert activities(media / "libopenshot" / "test.avi") == []
