"""A model is shown more frames where more changes, within the budget."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, noise, write_clip

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.endpoints.chosen_frames import choose_times, read_chosen
from longtake.preprocess.media.media import probe


def changes(areas: dict[int, float]) -> list[dict[str, Any]]:
    """Seconds in which a share of the picture changes in each of 25 frames."""
    return [
        {"start": at, "end": at + 1, "times": [at + n / 25 for n in range(25)], "area": [area] * 25, "change": []}
        for at, area in areas.items()
    ]


def test_a_picture_that_rests_needs_few_frames_evenly_apart() -> None:
    times = choose_times(TimeSpan(start=10, end=16), changes(dict.fromkeys(range(60), 0.0)), 16)
    assert times == pytest.approx([10.75, 12.25, 13.75, 15.25], abs=0.03)


def test_most_frames_are_chosen_where_most_changes() -> None:
    times = choose_times(TimeSpan(start=0, end=60), changes({second: 0.3 * (second == 30) for second in range(60)}), 16)
    assert len(times) == 16
    assert times == sorted(times)
    assert sum(30 <= time < 31 for time in times) >= 4
    assert times[0] < 10
    assert times[-1] > 50


def test_half_of_the_frames_are_evenly_spread_and_half_are_where_the_picture_changes() -> None:
    busy = changes({second: 0.3 * (second == 30) for second in range(600)})
    times = choose_times(TimeSpan(start=0, end=600), busy, 32)
    assert sum(30 <= time < 31 for time in times) == pytest.approx(16, abs=1)
    rest = [time for time in times if not 30 <= time < 31]
    assert max(later - earlier for earlier, later in pairwise([0, *rest, 600])) < 600 / 16 * 1.5
    assert len(set(times)) == 32


def test_no_frame_is_of_a_blank_stretch_unless_there_is_nothing_else() -> None:
    span, blank = TimeSpan(start=0, end=60), [TimeSpan(start=10, end=50)]
    times = choose_times(span, changes(dict.fromkeys(range(60), 0.01)), 16, blank=blank)
    assert not any(10 <= time < 50 for time in times)
    assert len(choose_times(TimeSpan(start=20, end=30), [], 8, blank=blank)) == 6


def test_as_many_frames_as_are_asked_for() -> None:
    assert len(choose_times(TimeSpan(start=0, end=4), [], 64)) == 3
    assert len(set(choose_times(TimeSpan(start=0, end=4), [], 64, exact=True))) == 64


def test_a_moment_and_a_video_without_changes_have_times_too() -> None:
    assert choose_times(TimeSpan(start=3, end=3), [], 16) == [3]
    assert choose_times(TimeSpan(start=0, end=60), [], 3) == pytest.approx([10, 30, 50], abs=0.03)


def sizes(jpegs: list[bytes]) -> set[tuple[int, int]]:
    shown = [cv2.imdecode(np.frombuffer(each, np.uint8), cv2.IMREAD_COLOR) for each in jpegs]
    return {(picture.shape[1], picture.shape[0]) for picture in shown if picture is not None}


@pytest.mark.slow
def test_frames_are_shrunk_alike_until_they_fit_and_left_out_last(tmp_path: Path) -> None:
    grain = np.random.default_rng(1)

    def busy(number: int) -> Picture:
        return np.clip(noise(number, 960, 540) + grain.normal(0, 30, (540, 960, 3)), 0, 255).astype(np.uint8)

    path = write_clip(tmp_path / "clip.mkv", [busy(number) for number in range(5)], times=lambda number: number)
    media, times = probe(path), [0.5, 1.5, 1.6, 2.5, 3.5]
    free = read_chosen(path, media, times, 10**8, lambda: None)
    assert [each.time for each in free] == [0, 1, 2, 3]
    assert sizes([each.jpeg for each in free]) == {(896, 504)}
    tight = read_chosen(path, media, times, 200_000, lambda: None)
    assert [each.time for each in tight] == [0, 1, 2, 3]
    assert sum(len(each.jpeg) for each in tight) <= 200_000
    [(width, height)] = sizes([each.jpeg for each in tight])
    assert width < 896
    assert width / height == pytest.approx(16 / 9, abs=0.02)
    assert [each.time for each in read_chosen(path, media, times, 1, lambda: None)] == [0]
