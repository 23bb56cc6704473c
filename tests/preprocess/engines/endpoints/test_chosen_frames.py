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


@pytest.mark.parametrize(
    ("length", "count", "seen", "fewest"),
    [
        (600, 32, (100, 110), 3),
        (600, 16, (100, 110), 2),
        (600, 16, (100, 160), 7),
        (600, 32, (0, 600), 32),
        (3600, 32, (1800, 1860), 3),
        (60, 32, (20, 30), 8),
        (10, 16, (3, 4), 2),
    ],
    ids=str,
)
def test_frames_for_the_question_are_near_what_it_asks_and_never_clustered(
    length: int, count: int, seen: tuple[int, int], fewest: int
) -> None:
    span, busy = TimeSpan(start=0, end=length), changes({seen[0]: 0.3})
    found = [seen[0] + number / 10 for number in range(10 * (seen[1] - seen[0]))]
    times = choose_times(span, busy, count, asked=[found[::-1], found], exact=True)
    assert len(times) == count
    assert sum(seen[0] <= time < seen[1] for time in times) >= fewest
    assert max(sum(first <= time < first + 1 for time in times) for first in times) <= max(1, 4 * count // length)
    assert max(later - earlier for earlier, later in pairwise([0, *times, length])) < 3 * length / count


def test_the_ways_to_find_what_is_asked_take_turns_up_to_half_of_the_frames() -> None:
    similar, sighted = ([first + number for number in range(100)] for first in (100, 400))
    times = choose_times(TimeSpan(start=0, end=600), [], 32, asked=[similar, sighted, []])
    evenly = choose_times(TimeSpan(start=0, end=600), [], 32)
    asked = [time for time in times if time in similar or time in sighted]
    assert len(times) == len(evenly) == 32
    assert (sum(time < 300 for time in asked), sum(time > 300 for time in asked)) == (8, 8)


@pytest.mark.parametrize("asked", [[], [[], []], [[15.0, 30.0, 49.9, 60.5]]], ids=["no way", "nothing", "not shown"])
def test_without_a_place_that_shows_what_is_asked_nothing_changes(asked: list[list[float]]) -> None:
    span, blank = TimeSpan(start=0, end=60), [TimeSpan(start=10, end=50)]
    busy = changes({second: 0.3 * (second == 55) for second in range(60)})
    plain = choose_times(span, busy, 16, blank=blank, shots=[span])
    assert choose_times(span, busy, 16, asked=asked, blank=blank, shots=[span], sections=[span]) == plain
    assert not any(10 <= time < 50 for time in plain)


def test_frames_are_spread_over_the_sections_of_a_video() -> None:
    bounds = [0, 16, 46, 100, 130, 142, 180, 300, 330, 410, 600]
    sections = [TimeSpan(start=start, end=end) for start, end in pairwise(bounds)]
    hand_held = changes(dict.fromkeys(range(130, 142), 0.1))
    times = choose_times(TimeSpan(start=0, end=600), hand_held, 16, sections=sections)
    shown = [sum(section.start <= time < section.end for time in times) for section in sections]
    assert min(shown) >= 1
    assert shown[sections.index(TimeSpan(start=130, end=142))] == 1
    assert max(shown) == shown[-1] > 2


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
