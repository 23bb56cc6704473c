"""What is drafted of things that move: their way, their place, who is among them, and of which there are more."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.rules import drafted
from helpers.sight import WHOLE, answered, seen

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.moves import Call
from longtake.agent.rules.sight.among_shapes import asks_among_shapes
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult


def mover(number: int, way: str) -> Evidence:
    return seen(f"moving thing {number} of 2{way}; the box is its place at 00:00:03.0", start=number)


def test_a_direction_is_told_only_where_all_agree() -> None:
    rightwards = [mover(number, ", from left to right") for number in (1, 2)]
    draft, calls = answered("Which way do the cars drive?", "count_objects", *rightwards)
    assert draft.startswith("All that moves goes to the right, from left to right: “moving thing 1 of 2, from left")
    assert calls[-1].arguments["object_query"] == "different moving things"
    for other in (mover(2, ", from right to left"), mover(2, "")):
        draft, _ = answered("Which way do the cars drive?", "count_objects", rightwards[0], other)
        assert draft.startswith("NOT FOUND: 2 things move, not all the same way")


def test_a_direction_is_not_told_where_the_camera_moves_or_not_all_was_looked_at() -> None:
    question, one = "Which way do the cars drive?", mover(1, ", from left to right")

    def with_camera(*moves: Evidence, seconds: float = 100.0) -> str:
        span = TimeSpan(start=0.0, end=seconds)
        found = {"count_objects": (one,), "inspect_motion": moves}
        return drafted(
            question,
            lambda call: ToolResult(tool=call.name, evidence=found.get(call.name, ()), looked_at=(span,)),
        )[0]

    assert with_camera().startswith("All that moves goes")
    assert (
        with_camera(seen("camera pans left, 20 % of the width a second"))
        == "NOT FOUND: The camera moves in 00:00:02-00:00:05."
    )
    assert with_camera(seconds=30.0).startswith(
        "NOT FOUND: Of 00:00:00-00:01:40 what was looked at is 00:00:00-00:00:30."
    )


def test_a_colour_chooses_what_moves() -> None:
    question = "In which direction does the red ball move?"
    draft, calls = answered(question, "count_objects", mover(1, ", from left to right"))
    assert calls[-1].arguments["object_query"] == "different moving red things"
    assert draft.startswith("All that is red and moves goes to the right, from left to right: ")


def shape(number: int, name: str = "red circle", way: str = ", from left to right", start: float = 2.0) -> Evidence:
    box = (0.8, 0.05, 0.1, 0.15)
    return seen(f"{name} {number} of 2{way}; the box is its place at 00:00:03.0", start, start + 3, box)


def test_the_way_of_a_shape_is_followed_by_its_shape_wherever_the_camera_moves() -> None:
    question = "Where do the red circles move?"
    draft, calls = answered(question, "count_objects", shape(1), shape(2))
    assert draft.startswith("Every red circle that moves goes to the right, from left to right: “red circle 1 of 2")
    assert [call.name for call in calls][-1:] == ["count_objects"]
    assert calls[-1].arguments["object_query"] == "different moving red circle"
    mixed, _ = answered(question, "count_objects", shape(1), shape(2, way=", from right to left"))
    assert mixed.startswith("NOT FOUND: 2 things move, not all the same way")


def test_a_shape_that_stands_has_a_place() -> None:
    question, standing = "In which corner does the red circle stand?", shape(1, way="")
    draft, _ = answered(question, "count_objects", standing, shape(2))
    assert draft.startswith("The red circle is in the top right corner: “red circle 1 of 2; the box")
    assert answered(question, "count_objects", shape(1))[0] == "NOT FOUND: Every red circle moves."
    elsewhere = standing.model_copy(update={"box": (0.05, 0.8, 0.1, 0.15), "content": "red circle 2 of 2; the box"})
    assert answered(question, "count_objects", standing, elsewhere)[0] == "NOT FOUND: A red circle stands at 2 places."


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Is a face seen while the shapes cross the picture?", True),
        ("While the circle moves, is anybody there?", True),
        ("Are there faces among the circles and squares?", True),
        ("Is anybody standing in the square?", False),
        ("Is a face seen in the video?", False),
        ("Which face is seen among the shapes?", False),
    ],
)
def test_whether_anybody_is_seen_among_shapes(question: str, asked: bool) -> None:
    kind, senses = classify(question)
    assert asks_among_shapes(Orientation(question=question, kind=kind, modalities=senses)) is asked


@pytest.mark.parametrize(("things", "start"), [(2, "No: all that is there is “red circle 1"), (3, "NOT FOUND: ")])
def test_nobody_is_there_where_all_that_is_seen_are_shapes(things: int, start: str) -> None:
    def result_of(call: Call) -> ToolResult:
        query = str(call.arguments.get("object_query", ""))
        if "circle" in query:
            return ToolResult(tool=call.name, evidence=(shape(1), shape(2)), output={"count": 2}, looked_at=WHOLE)
        if "faces" in query:
            failure = ToolFailure(kind="unavailable", message="No face was made out.")
            return ToolResult(tool=call.name, failure=failure)
        return ToolResult(tool=call.name, output={"count": things if "things" in query else 0}, looked_at=WHOLE)

    assert drafted("Is a face seen among the circles?", result_of)[0].startswith(start)


def compared(question: str, circles: int, squares: int, **more: Any) -> str:
    """The draft where so many red circles and blue squares are seen."""

    def result_of(call: Call) -> ToolResult:
        query = str(call.arguments.get("object_query", ""))
        name, count = ("red circle", circles) if "red circle" in query else ("blue square", squares)
        found = tuple(shape(number + 1, name) for number in range(count)) if query else ()
        output = {"object": name, "count": count} if query else {}
        return ToolResult(tool=call.name, evidence=found, output=output, **{"looked_at": WHOLE, **more})

    return drafted(question, result_of)[0]


@pytest.mark.parametrize(
    ("question", "counts", "start"),
    [
        ("Do more red circles or more blue squares cross?", (1, 3), "There are more blue squares, 3 against 1: “red"),
        ("Are there more red circles than blue squares?", (1, 3), "No: there are more blue squares, 3 against 1: “red"),
        (
            "Do the red circles outnumber the blue squares?",
            (2, 1),
            "Yes: there are more red circles, 2 against 1: “red",
        ),
        ("Are there fewer red circles than blue squares?", (1, 3), "Yes: there are fewer red circles, 1 against 3: “"),
        ("Which cross more often, red circles or blue squares?", (2, 2), "There are as many of both, the same number"),
        ("Are there more red circles than blue squares?", (0, 2), "No: there are more blue squares, 2 against none: “"),
        ("Are there more red circles than blue squares?", (0, 0), "NOT FOUND: Their numbers cannot be told for sure."),
    ],
)
def test_of_two_shapes_there_are_more_of_one(question: str, counts: tuple[int, int], start: str) -> None:
    assert compared(question, *counts).startswith(start)


def test_numbers_of_which_a_part_was_not_looked_at_are_not_compared() -> None:
    part = (TimeSpan(start=0.0, end=30.0),)
    assert compared("Are there more red circles than blue squares?", 1, 3, looked_at=part).startswith("NOT FOUND: Of ")
