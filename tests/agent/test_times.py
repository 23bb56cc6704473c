"""A running code that is looked for: its place is between the two texts that the picture shows around it."""

from __future__ import annotations

from longtake.agent.orientation import Orientation, classify, quoted
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.time.times import find_time
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

QUESTION = "At which time of the video does the screen show 01:00:32:03?"
ASKED = Orientation(
    question=QUESTION,
    kind=classify(QUESTION)[0],
    modalities=classify(QUESTION)[1],
    quoted=quoted(QUESTION),
    parts=(QUESTION,),
    videos={"v": 100.0},
    names={"v": "reel.mp4"},
)
SEEN_EVERY_SECOND = (("01:00:03:20", 1.0, 2.0), ("01:00:31:20", 30.0, 31.0), ("01:00:33:01", 31.0, 32.0))


def shown(*texts: tuple[str, float, float]) -> list[Evidence]:
    return [
        Evidence(
            video="v", span=TimeSpan(start=start, end=end), modality="scene_text", content=text, score=1.0, engine="e"
        )
        for text, start, end in texts
    ]


def search_and_read(
    *closely: tuple[str, float, float], held: tuple[str, float, float] = SEEN_EVERY_SECOND[0]
) -> tuple[list[Call], str]:
    """The calls for a closer look, and the draft once it has shown these texts."""
    seen = shown(*SEEN_EVERY_SECOND, held)
    done: list[Done] = []
    for _ in range(2):
        move = find_time(ASKED, done)
        assert isinstance(move, list)
        done += [Done(call, ToolResult(tool=call.name, evidence=tuple(seen))) for call in move]
    closer = find_time(ASKED, done)
    assert isinstance(closer, list)
    done += [Done(call, ToolResult(tool=call.name, evidence=tuple(shown(*closely)))) for call in closer]
    draft = find_time(ASKED, done)
    assert isinstance(draft, str)
    return closer, draft


def test_a_running_code_is_looked_for_after_the_last_one_before_it() -> None:
    calls, draft = search_and_read(("01:00:32:02", 31.4, 31.44), ("01:00:32:03", 31.44, 31.48))
    assert [call.arguments["timestamp"] for call in calls] == [[28.0, 33.0]]
    assert draft.startswith("“01:00:32:03” is shown from 00:00:31.4")


def test_a_code_that_the_picture_leaps_over_is_placed_between_its_neighbours() -> None:
    _, draft = search_and_read(("01:00:32:02", 31.4, 31.44), ("01:00:32:04", 31.44, 31.48))
    assert "“01:00:32:02” is shown" in draft
    assert "“01:00:32:04” is shown" in draft


def test_what_the_search_holds_for_long_does_not_hide_the_closer_reading() -> None:
    held = ("01:00:32:02", 31.4, 32.4)
    _, draft = search_and_read(("01:00:32:02", 31.4, 31.44), ("01:00:32:04", 31.44, 31.48), held=held)
    assert "“01:00:32:04” is shown" in draft


def test_neighbours_that_stand_for_long_do_not_tell_when_it_was() -> None:
    _, draft = search_and_read()
    assert draft.startswith("NOT FOUND")
