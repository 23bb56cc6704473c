"""Faults put into real clips are found where they are, and clips without any are left alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import Picture, write_clip

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import Anomaly, Measured, measure
from longtake.preprocess.analysis.picture_faults import find_freezes, find_noise, find_tints
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe

CLIPS = ("sam2/01_dog.mp4", "libopenshot/run.mp4", "bgslibrary/video03.avi", "shared-assets/flower.mp4")
RATE, FRAMES = 25, 75
FIRST, LAST = 30, 55  # frames with the fault, 1.2 to 2.2 s
Fault = Callable[[Picture, int], Picture]


@cache
def pictures(path: Path) -> list[Picture]:
    found = list[Picture]()
    for frame in read_frames(path, probe(path), TimeSpan(start=0, end=4), lambda: None):
        picture = frame.bgr(400)
        found.append(picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2])
    return found[:FRAMES]


def with_fault(path: Path, fault: Fault, target: Path) -> tuple[list[Measured], float]:
    """The frames of a clip of which some have a fault, coded and read again, and when the last one ends."""
    shown = [
        fault(picture, number) if FIRST <= number < LAST else picture for number, picture in enumerate(pictures(path))
    ]
    write_clip(target, shown, times=lambda number: number / RATE)
    frames = [measure(frame) for frame in read_frames(target, probe(target), None, lambda: None)]
    return frames, len(shown) / RATE


def unchanged(picture: Picture, number: int) -> Picture:
    return picture


def tinted(strength: float, colour: tuple[int, int, int]) -> Fault:
    return lambda picture, number: (picture * (1 - strength) + np.array(colour) * strength).astype(np.uint8)


def grain(picture: Picture, number: int) -> Picture:
    return np.clip(picture + np.random.default_rng(number).normal(0, 20, picture.shape), 0, 255).astype(np.uint8)


def salt_and_pepper(picture: Picture, number: int) -> Picture:
    chance = np.random.default_rng(number).random(picture.shape[:2])
    spoilt = picture.copy()
    spoilt[chance < 0.02], spoilt[chance > 0.98] = 0, 255
    return spoilt


def there(found: list[Anomaly]) -> Anomaly:
    """The one finding, which lies where the fault is."""
    [finding] = found
    assert (finding.span.start, finding.span.end) == pytest.approx((FIRST / RATE, LAST / RATE), abs=0.09)
    return finding


@pytest.mark.nightly
@pytest.mark.parametrize("clip", CLIPS)
def test_a_clip_without_a_fault_has_none(media: Path, clip: str, tmp_path: Path) -> None:
    frames, end = with_fault(media / clip, unchanged, tmp_path / "clip.mkv")
    assert [*find_tints(frames, end), *find_noise(frames, end), *find_freezes(frames)] == []


@pytest.mark.nightly
@pytest.mark.parametrize(("colour", "name"), [((0, 255, 0), "green"), ((255, 0, 255), "magenta"), ((0, 0, 255), "red")])
@pytest.mark.parametrize("strength", [0.12, 0.4])
def test_a_tint_is_found_with_its_colour(
    media: Path, strength: float, colour: tuple[int, int, int], name: str, tmp_path: Path
) -> None:
    found = there(find_tints(*with_fault(media / CLIPS[0], tinted(strength, colour), tmp_path / "clip.mkv")))
    assert found.text == f"the whole picture suddenly turns {name}, then back"
    assert found.sure > 0.9


@pytest.mark.nightly
@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("fault", [grain, salt_and_pepper])
def test_noise_is_found(media: Path, clip: str, fault: Fault, tmp_path: Path) -> None:
    frames, end = with_fault(media / clip, fault, tmp_path / "clip.mkv")
    assert there(find_noise(frames, end)).kind == "noisy"
    assert find_tints(frames, end) == []


@pytest.mark.parametrize("clip", CLIPS[:2])
def test_a_frame_that_stands_for_a_second_is_found(media: Path, clip: str, tmp_path: Path) -> None:
    stands = pictures(media / clip)[FIRST]
    frames, end = with_fault(media / clip, lambda picture, number: stands, tmp_path / "clip.mkv")
    assert there(find_freezes(frames)).kind == "frozen"
    assert find_noise(frames, end) == []


def test_a_film_in_black_and_white_is_reported_and_a_coloured_one_is_not(media: Path) -> None:
    path = media / "shared-assets" / "friday.mp4"
    span = TimeSpan(start=0, end=1)
    frames = [measure(frame) for frame in read_frames(path, probe(path), span, lambda: None)]
    assert [finding.kind for finding in find_tints(frames, 1.0)] == ["colourless"]
