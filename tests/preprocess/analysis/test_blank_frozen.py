"""Where there is nothing to see, and where nothing changes."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from helpers.data.visual_pass import look_at
from helpers.media.clips import flat, noise, written

GREY = (60, 60, 60)


def test_spans_of_one_colour_are_reported_with_their_kind_and_colour(tmp_path: Path) -> None:
    pictures = [flat((0, 0, 0))] * 25 + [noise(1)] * 25 + [flat((255, 255, 255))] * 10 + [flat((200, 40, 40))] * 15
    still = look_at(tmp_path, pictures).items("still")
    assert [(item["start"], item["end"]) for item in still] == [(0.0, 1.0), (2.0, 2.4), (2.4, 3.0)]
    assert [item["kind"] for item in still] == ["black", "white", "blank"]
    assert [item["colour"] for item in still[:2]] == ["black", "white"]
    red, green, blue = (int(still[2]["colour"][at : at + 2], 16) for at in (1, 3, 5))
    assert np.abs(np.array([red, green, blue]) - (40, 40, 200)).max() < 12


def test_noise_does_not_fill_a_blank_picture(tmp_path: Path) -> None:
    grain = np.random.default_rng(0)
    pictures = [np.clip(40 + grain.normal(0, 3, (180, 320, 3)), 0, 255).astype(np.uint8) for _ in range(20)]
    assert look_at(tmp_path, pictures).spans("still") == [(0.0, 0.8)]


def test_dark_pictures_and_small_writing_are_not_blank(tmp_path: Path) -> None:
    dim = (noise(3) // 8).astype(np.uint8)
    small = written(flat((0, 0, 0)), "end", scale=0.4)
    assert look_at(tmp_path, [dim] * 15 + [small] * 15).items("still") == []


def test_small_writing_that_appears_on_a_blank_picture_ends_it(tmp_path: Path) -> None:
    wide = flat((0, 0, 0), 1280, 720)
    dotted = wide.copy()
    dotted[101:611:8, 101] = dotted[101:611:8, 103] = 255  # between the pixels of the small picture
    ((start, end),) = look_at(tmp_path, [wide] * 30 + [dotted] * 40).spans("still")
    assert start == 0.0
    assert 1.2 <= end <= 1.8


def test_a_picture_that_stays_for_two_seconds_is_frozen(tmp_path: Path) -> None:
    still = look_at(tmp_path, [noise(1)] * 75 + [noise(2)] * 40).items("still")
    assert still == [{"start": 0.0, "end": 3.0, "kind": "frozen"}]


def test_a_picture_in_which_something_small_moves_is_not_frozen(tmp_path: Path) -> None:
    plain = written(flat(GREY, 640, 360), "A title")
    moving = [cv2.circle(plain.copy(), (40 + 3 * n, 250), 8, (255, 255, 255), -1) for n in range(75)]
    assert look_at(tmp_path, [np.asarray(picture, np.uint8) for picture in moving]).items("still") == []


def test_pictures_shown_in_pieces_are_reported_with_the_colour_of_the_rest(tmp_path: Path) -> None:
    whole = noise(5)
    columns = np.arange(whole.shape[1]) // 10 % 4
    pieces = [np.where((columns == number % 4)[None, :, None], whole, np.uint8(0)) for number in range(50)]
    [found] = look_at(tmp_path, [noise(6)] * 25 + pieces + [noise(7)] * 25).items("still")
    assert (found["kind"], found["colour"], found["start"], found["end"]) == ("pieces", "black", 1.0, 3.0)
