"""What is drafted of what the tools that look have found."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.rules import drafted

from longtake.agent.claims import check_draft
from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.moves import Call, Done, Move
from longtake.agent.rules.sight.among_shapes import asks_among_shapes
from longtake.agent.rules.sight.movement import asks_happenings, tell_happenings
from longtake.agent.verdicts import Grounds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult

Box = tuple[float, float, float, float]


WHOLE = (TimeSpan(start=0.0, end=100.0),)


def seen(content: str, start: float = 2.0, end: float = 5.0, box: Box | None = None) -> Evidence:
    span = TimeSpan(start=start, end=end)
    return Evidence(video="v", span=span, modality="visual", content=content, engine="e", box=box)


def answered(question: str, tool: str, *found: Evidence, **more: Any) -> tuple[str, list[Call]]:
    """The draft where one tool finds this, or fails, and no other finds anything."""

    given: dict[str, Any] = {"looked_at": WHOLE, **more}

    def result_of(call: Call) -> ToolResult:
        if call.name != tool:
            return ToolResult(tool=call.name, looked_at=WHOLE)
        return ToolResult(tool=tool, evidence=found, **given)

    draft, calls = drafted(question, result_of)
    assert tool in [call.name for call in calls]
    if not draft.startswith("NOT FOUND"):
        assert {
            claim.verdict for claim in check_draft(draft, found, Grounds(question=question, measured=True)).claims
        } == {"supported"}
    return draft, calls


PAN = seen("camera pans left, 20 % of the width a second")


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Is the camera moving?", "Yes: “camera pans left"),
        ("Is the camera static?", "No: “camera pans left"),
        ("Does the camera pan to the left?", "Yes: “camera pans left"),
        ("Does the camera pan to the right?", "“camera pans left"),
        (
            "Which way does the camera pan?",
            "“camera pans left, 20 % of the width a second” from 00:00:02.0 to 00:00:05.0",
        ),
        ("Does the camera pan or zoom, and which way?", "“camera pans left, 20 % of the width a second” from"),
        ("What movement of the camera is there?", "“camera pans left, 20 % of the width a second” from"),
        ("Tell me how the camera moves.", "“camera pans left, 20 % of the width a second” from"),
        ("Does the camera shake?", "NOT FOUND: No such move of the camera was measured."),
        ("Is the picture frozen?", "NOT FOUND: No frozen span was measured."),
    ],
)
def test_the_camera_is_told_as_it_was_measured(question: str, start: str) -> None:
    assert answered(question, "inspect_motion", PAN)[0].startswith(start)


def test_a_view_that_is_named_by_what_is_said_is_all_of_its_shot() -> None:
    said = Evidence(
        video="v",
        span=TimeSpan(start=10, end=12),
        modality="speech",
        content="This is the view of the bay.",
        engine="e",
    )
    cuts = [seen("cut to another shot", time, time) for time in (9.0, 20.0)]
    moves = seen("camera zooms in or moves closer, 5 % of its size a second", 13, 19), seen(PAN.content, 22, 25)
    found = {"inspect_motion": (*cuts, *moves), "cross_modal_search": (said,), "transcribe_speech": (said,)}
    draft, _ = drafted(
        "How does the camera move during the view of the bay?",
        lambda call: ToolResult(tool=call.name, evidence=found.get(call.name, ()), looked_at=WHOLE),
    )
    assert draft.startswith("“camera zooms in or moves closer, 5 % of its size a second” from 00:00:13.0")
    assert "pans" not in draft


def test_what_an_inspection_cannot_tell_is_no_answer() -> None:
    untold = ["reversed: the picture alone does not tell the direction of time; its sound does not tell"]
    draft, _ = answered("Is the clip reversed?", "inspect_motion", PAN, output={"cannot_tell": untold})
    assert draft.startswith("NOT FOUND: ")
    assert untold[0] in draft
    speed, calls = drafted("Is the clip sped up?", lambda call: ToolResult(tool=call.name))
    assert (speed, calls) == ("NOT FOUND: How fast time runs in the picture is not measured here.", [])


@pytest.mark.parametrize(
    ("question", "found", "start"),
    [
        ("Is the film in colour?", "in colour: 5 of 5 pictures have colour", "Yes: "),
        ("Is the film in colour?", "black and white: none of 5 pictures has colour", "No: "),
        ("Is the film black and white?", "black and white: none of 5 pictures has colour", "Yes: "),
        ("Is the film in colour or black and white?", "in colour: 5 of 5 pictures have colour", "“in colour"),
        ("Is the film in colour?", "some in colour: 1 of 24 pictures have colour", "“some in colour: 1 of 24"),
        ("Is the film black and white?", "some in colour: 1 of 24 pictures have colour", "“some in colour: 1 of 24"),
        ("Is the film in colour?", "camera shakes", "NOT FOUND: Its colour cannot be told."),
    ],
)
def test_a_film_is_in_colour_or_it_is_not(question: str, found: str, start: str) -> None:
    assert answered(question, "inspect_motion", seen(found))[0].startswith(start)


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
    assert with_camera(PAN) == "NOT FOUND: The camera moves in 00:00:02-00:00:05."
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


def happening(*found: Evidence) -> Move:
    """What is drafted where this is found around 0:03."""
    span = TimeSpan(start=3.0, end=3.0)
    asked = Orientation(question="What happens at 0:03?", kind="look", span=span, point=True, videos={"v": 100.0})
    done = [Done(Call("detect_activities", {}), ToolResult(tool="detect_activities", evidence=found))]
    assert asks_happenings(asked)
    return tell_happenings(asked, done)


def test_what_happens_is_told_of_a_short_time_and_an_empty_picture_does_not_happen() -> None:
    dissolve = seen("dissolve to another shot", 3.0, 3.0)
    assert happening(dissolve, seen("blank picture, black all over"), seen("cut to another shot", 6.0, 6.0)) == (
        "“dissolve to another shot” at 00:00:03.0 [00:00:03]."
    )
    assert "detect_activities" not in [
        call.name for call in drafted("What happens?", lambda call: ToolResult(tool=call.name))[1]
    ]


def test_a_picture_that_merely_stands_is_not_frozen() -> None:
    stands = seen("frozen picture, nothing changes")
    leaps = seen("frozen: one frame stands, and the picture moves before it and leaps after it")
    assert answered("Is there a freeze frame?", "inspect_motion", stands)[0].startswith("NOT FOUND: No frozen span")
    assert answered("Is there a freeze frame?", "inspect_motion", stands, leaps)[0].startswith(
        "Yes: “frozen: one frame"
    )


def test_a_thing_that_is_seen_is_told_with_its_times_once() -> None:
    circles = [seen(f"red circle {number} of 2", 4.0, 9.0) for number in (1, 2)]
    draft, calls = answered("When are the red circles shown?", "count_objects", *circles)
    assert calls[-1].arguments["object_query"] == "different red circles"
    assert draft == "“red circle 1 of 2” from 00:00:04.0 to 00:00:09.0 [00:00:04]."


def test_vague_movement_says_what_moves_and_not_what_happens() -> None:
    vague = seen("movement in the right, about 4 % of the picture")
    assert answered("What is moving?", "detect_activities", vague)[0].startswith("“movement in the right")
    assert str(happening(vague)).startswith("NOT FOUND:")


def test_what_a_person_does_is_no_movement() -> None:
    draft, calls = drafted("What is the man doing?", lambda call: ToolResult(tool=call.name, evidence=(PAN,)))
    assert "detect_activities" not in [call.name for call in calls]
    assert "watch_segment" in [call.name for call in calls]
    assert draft


def test_a_model_that_watches_is_quoted_before_anything_else() -> None:
    draft, _ = answered("What is the man doing?", "watch_segment", seen("He juggles a football."))
    assert draft == "“He juggles a football.” [00:00:02]"


def test_without_a_model_the_words_answer_as_ever() -> None:
    failure = ToolFailure(kind="unavailable", message="No model.")

    def result_of(call: Call) -> ToolResult:
        if call.name == "watch_segment":
            return ToolResult(tool=call.name, failure=failure)
        line = seen("The man wears a green helmet.").model_copy(update={"modality": "speech"})
        return ToolResult(tool=call.name, evidence=(line,) if call.name == "cross_modal_search" else ())

    draft, _ = drafted("What is the man wearing?", result_of)
    assert draft == "“The man wears a green helmet.” [00:00:02]"


def test_a_long_video_is_not_watched_whole() -> None:
    calls = drafted("What is the man wearing?", lambda call: ToolResult(tool=call.name), seconds=3600.0)[1]
    assert "watch_segment" not in [call.name for call in calls]


def test_a_flash_is_told_with_its_frames() -> None:
    flash = seen("flash: the picture or a part of it changes and returns, one frame", 4.0, 4.04)
    assert answered("Is there a flash?", "find_moments", flash)[0].startswith("Yes: “flash: ")
    assert answered("When does it flash?", "find_moments", flash)[0].startswith("“flash: ")
    none, _ = answered("Is there a flash?", "find_moments", notes=("no flash in 00:00:00-00:01:40",))
    assert none == "NOT FOUND: No flash in 00:00:00-00:01:40."
    unread, _ = answered("Which word flashes up?", "find_moments", flash)
    assert unread.startswith("NOT FOUND: No text flashes up")


def test_who_is_seen_is_named_only_where_enrolled() -> None:
    ada, stranger = seen("Ada Lovelace (face)"), seen("unknown (face)")
    assert answered("Who is this?", "detect_faces", ada, stranger)[0].startswith(
        "“Ada Lovelace (face)” from 00:00:02.0"
    )
    assert answered("Is Ada in the video?", "detect_faces", ada)[0].startswith("Yes: “Ada Lovelace (face)”")
    assert answered("Is Grace in the video?", "detect_faces", ada)[0].startswith("NOT FOUND: ")
    assert "whom no enrolled one is" in answered("Who is this?", "detect_faces", stranger)[0]
    failure = ToolFailure(kind="unavailable", message="Faces are compared on request.", remedy="Install them.")
    assert answered("Who is this?", "detect_faces", failure=failure)[0].endswith("on request. Install them.")


def test_a_thing_has_a_place_and_a_colour_where_they_are_seen() -> None:
    circle = seen("red circle 1 of 1 at 00:00:02.0", 2.0, 2.0, (0.7, 0.05, 0.1, 0.1))
    where, calls = answered("Where is the red circle at 0:02?", "object_detection", circle)
    assert where == "“red circle 1 of 1 at 00:00:02.0”, at the upper right [00:00:02]."
    assert calls[-1].arguments["categories"] == ["red circle"]
    assert answered("Is there a circle in the picture?", "object_detection", circle)[0].startswith("Yes: “red circle 1")
    assert answered("What colour is the circle?", "object_detection", circle)[0].startswith("“red circle 1 of 1")
    person = seen("person 1 of 1 at 00:00:02.0", 2.0, 2.0, (0.4, 0.4, 0.2, 0.2))
    assert answered("What colour is the person?", "object_detection", person)[0].startswith("NOT FOUND: ")
    failure = ToolFailure(kind="unavailable", message="The engine cannot know a ball.", remedy="owlv2 would.")
    draft, _ = answered("Where is the ball?", "object_detection", failure=failure)
    assert draft.endswith("The engine cannot know a ball. owlv2 would.")


def test_what_is_seen_in_one_look_only_is_no_sure_count() -> None:
    long, glimpse = seen("red circle 1 of 2"), seen("red circle 2 of 2", 9.0, 9.0)
    draft, _ = answered(
        "How many circles are there in total?", "count_objects", long, glimpse, output={"object": "circle", "count": 2}
    )
    assert draft == "NOT FOUND: At least 1 × circle are sure; 1 more may be there, seen in one look only."
