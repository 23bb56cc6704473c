"""Footage that was joined or pasted into is told from footage that goes on; cuts and captions are no faults."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, noise, write_clip

from longtake.preprocess.analysis.frame_measures import Measured, measure
from longtake.preprocess.analysis.joins import find_interruptions, find_jumps
from longtake.preprocess.analysis.overlays import find_overlays
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe

RATE = 25


@cache
def scene(seed: int, frames: int = 150) -> list[Picture]:
    """A ball that swings and a train that passes, in front of a picture."""
    shown = []
    for number in range(frames):
        picture = noise(seed)
        place = (round(160 + 90 * np.sin(number / 17)), 120)
        cv2.circle(picture, place, 26, (30, 30, 220), -1, cv2.LINE_AA)
        cv2.rectangle(picture, (2 * number - 60, 20), (2 * number, 60), (240, 220, 40), -1)
        shown.append(picture)
    return shown


def measured(pictures: Sequence[Picture], path: Path) -> list[Measured]:
    write_clip(path, list(pictures), times=lambda number: number / RATE)
    return [measure(frame) for frame in read_frames(path, probe(path), None, lambda: None)]


def pasted(pictures: Sequence[Picture], first: int, last: int) -> list[Picture]:
    """With a wheel in some of the frames."""
    shown = []
    for number, picture in enumerate(pictures):
        copy = picture.copy()
        if first <= number < last:
            cv2.circle(copy, (250, 130), 34, (20, 20, 20), -1)
            cv2.circle(copy, (250, 130), 18, (230, 230, 230), -1)
        shown.append(copy)
    return shown


def test_what_goes_on_has_no_fault(tmp_path: Path) -> None:
    frames = measured(scene(1), tmp_path / "a.mp4")
    assert not find_jumps(frames)
    assert not find_interruptions(frames)
    assert not find_overlays(frames)


def test_a_piece_that_was_cut_out_is_found_where_it_was(tmp_path: Path) -> None:
    frames = measured([*scene(1)[:60], *scene(1)[100:]], tmp_path / "a.mp4")
    [jump] = find_jumps(frames)
    assert jump.span.start == pytest.approx(60 / RATE, abs=0.05)


def test_footage_in_between_is_found_from_its_start_to_its_end(tmp_path: Path) -> None:
    frames = measured([*scene(1)[:60], *scene(2)[:50], *scene(1)[60:]], tmp_path / "a.mp4")
    [other] = find_interruptions(frames)
    assert (other.span.start, other.span.end) == pytest.approx((60 / RATE, 110 / RATE), abs=0.05)


@pytest.mark.parametrize("again", [90, 130])
def test_an_ordinary_edit_is_no_fault(tmp_path: Path, again: int) -> None:
    """Time has passed when the first scene is shown again."""
    frames = measured([*scene(1)[:60], *scene(2)[:50], *scene(1)[again:]], tmp_path / "a.mp4")
    assert not find_interruptions(frames)
    assert not find_jumps(frames)


def test_an_object_that_was_put_in_is_found_where_it_is(tmp_path: Path) -> None:
    [overlay] = find_overlays(measured(pasted(scene(1), 40, 110), tmp_path / "a.mp4"))
    assert (overlay.span.start, overlay.span.end) == pytest.approx((40 / RATE, 110 / RATE), abs=0.05)
    left, top, width, height = overlay.box
    assert (left + width / 2, top + height / 2) == pytest.approx((250 / 320, 130 / 180), abs=0.1)


def test_what_appears_on_a_still_slide_is_no_fault(tmp_path: Path) -> None:
    assert not find_overlays(measured(pasted([noise(1)] * 150, 40, 110), tmp_path / "a.mp4"))
