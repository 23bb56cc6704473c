"""Following: one thing is one track, also when it is hidden, missed or beside others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from longtake.preprocess.engines.objects.object_engine import FoundObject
from longtake.preprocess.engines.objects.objects_tracks import Track, follow

Place = tuple[float, float]


def at(x: float, y: float, size: float = 0.1, name: str = "thing") -> FoundObject:
    return FoundObject(name, (x - size / 2, y - size / 2, size, size), 1.0)


def followed(*ways: Callable[[float], Place | None], seconds: float = 4.0, rate: float = 10.0) -> list[Track]:
    """The tracks of things whose places are functions of the time, None where they are not seen."""
    looks: list[tuple[float, Sequence[FoundObject]]] = []
    for number in range(round(seconds * rate)):
        places = [way(number / rate) for way in ways]
        looks.append((number / rate, [at(*place) for place in places if place]))
    return follow(looks)


def rightwards(t: float) -> Place:
    return 0.1 + 0.2 * t, 0.5


def test_a_thing_on_its_way_is_one() -> None:
    [track] = followed(rightwards)
    assert (track.start, track.end) == (0.0, 3.9)
    assert track.travelled
    assert track.way == pytest.approx((0.78, 0.0))


def test_a_thing_that_is_missed_for_a_moment_is_still_one() -> None:
    assert len(followed(lambda t: None if 1.0 < t < 1.8 else rightwards(t))) == 1


def test_a_thing_that_is_away_for_long_is_another() -> None:
    assert len(followed(lambda t: None if 1.0 < t < 2.8 else (0.5, 0.5))) == 2


def test_two_that_keep_apart_are_two() -> None:
    first, second = followed(rightwards, lambda t: (0.1 + 0.2 * t, 0.8))
    assert {round(track.sightings[0][1].middle[1], 3) for track in (first, second)} == {0.5, 0.8}


@pytest.mark.parametrize("speed", [0.2, 0.05], ids=["fast", "slow"])
def test_two_that_hide_each_other_go_on_as_they_went(speed: float) -> None:
    looks: list[tuple[float, Sequence[FoundObject]]] = []
    count = round(8 / speed)
    for number in range(count):
        time = number / 10
        x, other = 0.1 + speed * time, 0.9 - speed * time
        if abs(x - other) < 0.1:  # one region holds both
            width = abs(x - other) + 0.1
            looks.append((time, [FoundObject("thing", (min(x, other) - 0.05, 0.4, width, 0.2), 1.0)]))
        else:
            looks.append((time, [at(x, 0.5), at(other, 0.5)]))
    way = speed * (count - 1) / 10
    assert sorted(track.way[0] for track in follow(looks)) == pytest.approx([-way, way])


def test_things_of_different_names_are_different() -> None:
    looks = [(0.0, [at(0.5, 0.5, name="cat")]), (0.1, [at(0.5, 0.5, name="dog")])]
    assert [track.sightings[0][1].name for track in follow(looks)] == ["cat", "dog"]


def test_looks_far_apart_still_follow_what_stays() -> None:
    [track] = followed(lambda t: (0.5, 0.5), seconds=60, rate=0.5)
    assert len(track.sightings) == 30
    assert not track.travelled


def test_a_thing_that_comes_back_has_travelled() -> None:
    [track] = followed(lambda t: (0.3 + 0.2 * min(t, 4 - t), 0.5), seconds=4.05, rate=10)
    assert track.travelled
    assert abs(track.way[0]) < 0.05


def test_nothing_seen_is_nothing_followed() -> None:
    assert follow([]) == []
    assert follow([(0.0, []), (1.0, [])]) == []
