"""Faces brought together into people, on vectors whose distances are known."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from longtake.memory.gallery import EnrolledFace, Person
from longtake.preprocess.engines.people.dlib_faces import DlibFaces
from longtake.preprocess.engines.people.face_grouping import Sighting, recognise
from longtake.preprocess.engines.people.people_engine import Face
from longtake.settings import Settings

ENGINE = DlibFaces(Settings())  # people lie up to 0.6 apart


def at(*place: float) -> tuple[float, ...]:
    return place + (0.0,) * (4 - len(place))


def seen(places: Iterable[tuple[float, ...]], confidence: float = 0.7) -> list[Sighting]:
    return [Sighting(number, Face((0, 0, 0.1, 0.1), confidence, place)) for number, place in enumerate(places)]


def enrolled(name: str, *places: tuple[float, ...], engine: str = ENGINE.id, role: str = "") -> Person:
    return Person(name=name, role=role, faces=tuple(EnrolledFace(engine=engine, embedding=place) for place in places))


def reported(places: Iterable[tuple[float, ...]], *gallery: Person) -> list[tuple[str, int]]:
    """Names and numbers of sightings."""
    return [(person.name, len(person.sightings)) for person in recognise(seen(places), gallery, ENGINE)]


def test_no_faces_are_nobody() -> None:
    assert recognise([], [enrolled("Ada", at(0))], ENGINE) == []


def test_strangers_who_differ_are_numbered_by_first_sight() -> None:
    assert reported([at(2), at(0), at(2.1), at(0.1), at(0.2)]) == [("unknown 1", 2), ("unknown 2", 3)]
    assert reported([at(0), at(0.1)]) == [("unknown", 2)]


def test_only_the_enrolled_person_gets_the_name() -> None:
    people = recognise(seen([at(2), at(0.3)]), [enrolled("Ada", at(0), role="countess")], ENGINE)
    assert [(person.name, person.role, person.confidence) for person in people] == [
        ("unknown", "", 0.7),
        ("Ada", "countess", 0.75),
    ]


@pytest.mark.parametrize(("distance", "name"), [(0.59, "Ada"), (0.61, "unknown")])
def test_a_name_ends_at_the_threshold(distance: float, name: str) -> None:
    [person] = recognise(seen([at(distance)]), [enrolled("Ada", at(0))], ENGINE)
    assert person.name == name
    assert person.confidence >= 0.5


def test_the_nearest_of_the_enrolled_names_the_face() -> None:
    ada, grace = enrolled("Ada", at(0), at(5)), enrolled("Grace", at(0.5))
    assert reported([at(0.4)], ada, grace) == [("Grace", 1)]
    assert reported([at(4.9)], ada, grace) == [("Ada", 1)]


def test_a_face_beyond_the_threshold_gets_the_name_of_those_it_belongs_to() -> None:
    places = [at(0.3), at(0.4), at(0.65)]
    assert reported(places, enrolled("Ada", at(0))) == [("Ada", 3)]
    assert reported(places[2:], enrolled("Ada", at(0))) == [("unknown", 1)]


def test_groups_that_prove_near_join() -> None:
    # The third lies between two that are too far apart for each other.
    assert reported([at(0), at(0.7), at(0.35), at(0.35)]) == [("unknown", 4)]


def test_two_groups_with_one_name_are_one_person() -> None:
    front, side = at(0), at(0, 0.9)
    people = recognise(seen([front, side, at(0, 0.7), at(0.12)]), [enrolled("Ada", front, side)], ENGINE)
    [ada] = people
    assert [sighting.picture for sighting in ada.sightings] == [0, 1, 2, 3]
    assert ada.confidence == 0.95  # of the nearer group, 0.06 away


def test_faces_of_another_engine_are_not_compared() -> None:
    both = Person(name="Grace", faces=(*enrolled("", at(3), engine="other-2").faces, *enrolled("", at(1)).faces))
    assert reported([at(0)], enrolled("Ada", at(0), engine="other-2")) == [("unknown", 1)]
    assert reported([at(3)], both) == [("unknown", 1)]
    assert reported([at(1)], both) == [("Grace", 1)]
