"""Whether what moves is a person, on frames of real clips."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.media.clips import Picture

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.people.objects_people import joined_upright, likeness
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe


def frame(path: Path, time: float) -> Picture:
    [shown] = read_frames(path, probe(path), TimeSpan(start=time, end=time), lambda: None)
    return shown.bgr(640)


@pytest.mark.parametrize(
    ("time", "box"),
    [(11.7, (0.50, 0.03, 0.17, 0.89)), (34.9, (0.51, 0.02, 0.2, 0.9)), (127.8, (0.48, 0.0, 0.2, 0.93))],
)
def test_people_are_like_people(time: float, box: tuple[float, float, float, float], media: Path) -> None:
    picture = frame(media / "sample-videos" / "one-by-one-person-detection.mp4", time)
    assert likeness(picture, box) > 0.6
    assert likeness(picture, (0.05, *box[1:])) < 0.4


def test_what_is_low_or_lies_is_no_person(media: Path) -> None:
    picture = frame(media / "sample-videos" / "one-by-one-person-detection.mp4", 34.9)
    assert likeness(picture, (0.5, 0.5, 0.05, 0.15)) == 0
    assert likeness(picture, (0.1, 0.3, 0.8, 0.5)) == 0


def test_cars_are_not_like_people(media: Path) -> None:
    picture = frame(media / "bgslibrary" / "video03.avi", 2.38)
    assert likeness(picture, (0.26, 0.36, 0.23, 0.32)) < 0.4


def test_the_parts_of_a_person_are_joined_and_two_beside_each_other_are_not() -> None:
    upper, lower, beside = (0.47, 0.06, 0.21, 0.5), (0.5, 0.55, 0.11, 0.44), (0.75, 0.1, 0.15, 0.8)
    assert joined_upright([lower, beside, upper]) == [(0.47, 0.06, 0.21, 0.93), beside]
    assert joined_upright([upper, (0.5, 0.7, 0.11, 0.2)]) == [upper, (0.5, 0.7, 0.11, 0.2)]
