"""What is drafted of what the tools that look have found."""

from __future__ import annotations

import pytest
from helpers.rules import drafted
from helpers.sight import WHOLE, answered, seen

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move
from longtake.agent.rules.sight.movement import asks_happenings, tell_happenings
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolFailure, ToolResult

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
