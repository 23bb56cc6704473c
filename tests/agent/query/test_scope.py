"""The part of a video that a question names, by grammar."""

from __future__ import annotations

import pytest

from longtake.agent.query.query import Anchor
from longtake.agent.query.scope import quoted, read_scope
from longtake.memory.timespan import SpanError, TimeSpan

DURATION = 200.0
SHOTS = tuple(TimeSpan(start=start, end=start + 50) for start in (0.0, 50.0, 100.0, 150.0))


def span_of(question: str) -> tuple[float, float] | None:
    span = read_scope(question, DURATION, SHOTS).span
    return (span.start, span.end) if span else None


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("What is said between 0:18 and 0:22?", (18, 22)),
        ("What is said from 1:00 to 1:30?", (60, 90)),
        ("What is shown from 10 to 20 seconds?", (10, 20)),
        ("What happens in the first 30 seconds?", (0, 30)),
        ("What happens in the last half minute?", (170, 200)),
        ("What happens in the first minute?", (0, 60)),
        ("What is shown in the second shot?", (50, 100)),
        ("What is shown in shot 4?", (150, 200)),
    ],
)
def test_a_named_span(question: str, span: tuple[float, float]) -> None:
    scope = read_scope(question, DURATION, SHOTS)
    assert (span_of(question), scope.named, scope.point) == (span, True, False)


@pytest.mark.parametrize(
    ("question", "moment"),
    [
        ("What is said at 0:42?", 42),
        ("What is on the screen at 1 minute 5 seconds?", 65),
        ("Who speaks at second 12?", 12),
        ("Who speaks at minute 2?", 120),
        ("Who speaks a minute in?", 60),
        ("What is heard ninety seconds in?", 90),
        ("What is shown at 2m?", 120),
        ("What is shown at 1 m 20 s?", 80),
    ],
)
def test_a_moment(question: str, moment: float) -> None:
    scope = read_scope(question, DURATION, SHOTS)
    assert (span_of(question), scope.named, scope.point) == ((moment, moment), True, True)


@pytest.mark.parametrize(
    "question", ["Is a speed of 10 m/s mentioned?", "If v = 3 m/s, what is E?", "What lies 3 m from the start line?"]
)
def test_a_unit_of_length_or_speed_is_no_time(question: str) -> None:
    assert not read_scope(question, DURATION, SHOTS).named


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("What is said at the beginning?", (0, 30)),
        ("How does the video start?", (0, 30)),
        ("What is shown at the very end?", (170, 200)),
        ("What happens halfway through?", (85, 115)),
        ("What is said from beginning to end?", None),
        ("From end to end, how long does it take?", None),
    ],
)
def test_an_edge_is_a_part_but_no_named_time(question: str, span: tuple[float, float] | None) -> None:
    assert span_of(question) == span
    assert not read_scope(question, DURATION, SHOTS).named


def test_the_edges_of_a_short_video_do_not_meet() -> None:
    first, last = (read_scope(f"What is shown at the {edge}?", 3.0, ()).span for edge in ("beginning", "end"))
    assert (first, last) == (TimeSpan(start=0, end=1.5), TimeSpan(start=1.5, end=3))


@pytest.mark.parametrize(
    "question",
    ["How long is the video?", "How many seconds does the tone last?", "Who is “at 0:10”?", "What costs 45 dollars?"],
)
def test_what_names_no_part(question: str) -> None:
    assert span_of(question) is None


@pytest.mark.parametrize("question", ["What is said at 1:59:00?", "What is shown in shot 9?"])
def test_a_part_that_there_is_not_is_an_error(question: str) -> None:
    with pytest.raises(SpanError):
        read_scope(question, DURATION, SHOTS)


@pytest.mark.parametrize(
    ("question", "ordinal"),
    [
        ("What is the second thing said?", 1),
        ("Which item is the last?", -1),
        ("What is the 3rd line?", 2),
        ("What is shown in the second shot?", None),
        ("What is said?", None),
    ],
)
def test_a_place_in_an_order(question: str, ordinal: int | None) -> None:
    assert read_scope(question, DURATION, SHOTS).ordinal == ordinal


@pytest.mark.parametrize(
    ("question", "anchors"),
    [
        ("What is said right after the bang?", [("after", "the bang")]),
        ("What is shown before the timetable?", [("before", "the timetable")]),
        ("What is shown while the music plays?", [("while", "the music plays")]),
        ("What is said between the tone and the bang?", [("after", "the tone"), ("before", "the bang")]),
        ("Between the castle and the lake, what is shown?", [("after", "the castle"), ("before", "the lake")]),
        ("What is said after 0:10?", []),
        ("When is it shown?", []),
    ],
)
def test_what_else_is_named_and_how_the_answer_lies_to_it(question: str, anchors: list[tuple[str, str]]) -> None:
    found = read_scope(question, DURATION, SHOTS).anchors
    assert [(each.relation, each.phrase) for each in found] == anchors
    assert all(isinstance(each, Anchor) for each in found)


@pytest.mark.parametrize(
    ("question", "region"),
    [
        ("What is written in the top left corner?", (0.0, 0.0, 0.5, 0.5)),
        ("What is at the bottom of the screen?", (0.0, 0.5, 1.0, 0.5)),
        ("What is on the right side?", (0.5, 0.0, 0.5, 1.0)),
        ("What is in the middle of the picture?", (0.25, 0.25, 0.5, 0.5)),
        ("Is that right?", None),
        ("Who left first?", None),
    ],
)
def test_a_part_of_the_frame(question: str, region: tuple[float, ...] | None) -> None:
    assert read_scope(question, DURATION, SHOTS).region == region


def test_what_is_quoted_stands_alone() -> None:
    assert quoted('When is "nobody was hurt" said, and “Gate 5” shown?') == ("nobody was hurt", "Gate 5")
    assert quoted("When is 01:00:32:03 shown?") == ("01:00:32:03",)
    assert quoted("What is said?") == ()


def test_a_time_past_the_end_that_describes_a_thing_is_content() -> None:
    scope = read_scope("what happened to the 9:15 ferry to Lund?", 160.0, [])
    assert scope.span is None
    assert not scope.named
    with pytest.raises(SpanError):
        read_scope("What happens at 9:15?", 160.0, [])
    assert read_scope("what happened to the 1:15 ferry to Lund?", 160.0, []).named
