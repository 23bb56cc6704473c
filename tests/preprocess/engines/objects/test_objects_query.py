"""Queries for objects, as people and small models write them."""

from __future__ import annotations

import pytest

from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_query import kinds_named, parse_query


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("red circles", ObjectQuery(colour="red", shape="circle")),
        ("How many red discs are there?", ObjectQuery(colour="red", shape="circle")),
        ("three Gray squares", ObjectQuery(colour="grey", shape="square", number=3)),
        ("12 triangular things", ObjectQuery(shape="triangle", number=12)),
        ("moving things", ObjectQuery(moving=True)),
        ("objects that move through the picture", ObjectQuery(moving=True)),
        ("people", ObjectQuery(thing="person")),
        ("different humans", ObjectQuery(thing="person", counting="over_time")),
        ("persons at the same time", ObjectQuery(thing="person", counting="at_once")),
        ("anybody in the picture", ObjectQuery(thing="person")),
        ("people come", ObjectQuery(thing="person", counting="over_time")),
        ("visitors at once", ObjectQuery(thing="person", counting="at_once")),
        ("nobody", ObjectQuery(thing="person", absent=True)),
        ("no one at the table", ObjectQuery(thing="person", absent=True)),
        ("knives", ObjectQuery(thing="knife")),
        ("pedestrians", ObjectQuery(thing="pedestrian")),
        ("faces", ObjectQuery(thing="face")),
        ("traffic lights", ObjectQuery(thing="traffic light")),
        ("red cars crossing", ObjectQuery(colour="red", thing="car", moving=True)),
        ("oranges", ObjectQuery(thing="orange")),
        ("orange", ObjectQuery(colour="orange")),
        ("blue glass boxes", ObjectQuery(colour="blue", thing="glass box")),
        ("Apple logo", ObjectQuery(thing="apple logo")),
        ("cherries", ObjectQuery(thing="cherry")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_query_is_taken_apart(text: str, meant: ObjectQuery) -> None:
    assert parse_query(text) == meant


@pytest.mark.parametrize("text", ["", "how many are there?", "3", "!?"])
def test_what_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="names nothing to look for"):
        parse_query(text)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("3 moving red discs", "moving red circle"),
        ("moving things", "moving thing"),
        ("men", "man"),
        ("red things", "red thing"),
    ],
)
def test_a_query_is_repeated_in_the_singular(text: str, phrase: str) -> None:
    assert parse_query(text).phrase == phrase


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What do the dogs do?", {"dog"}),
        ("Who has the dog's lead?", {"dog", "person"}),
        ("How many people wait, and where is the man's bike?", {"person", "bicycle"}),
        ("Which women come?", {"person"}),
        ("Is a hot dog eaten?", {"hot dog"}),
        ("Whose phone lies on the sofa?", {"person", "cell phone"}),
        ("the scissors", {"scissors"}),
        ("What costs 12 euros?", set()),
        ("", set()),
    ],
)
def test_a_question_names_kinds_of_things(text: str, named: set[str]) -> None:
    kinds = ["person", "dog", "hot dog", "bicycle", "cell phone", "scissors", "sports ball"]
    assert kinds_named(text, kinds) == named
    assert kinds_named(text, []) == set()
