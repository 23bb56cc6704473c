"""The one parser of times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.memory.timespan import SpanError, TimeSpan, clock, joined, parse_span, parse_time, remaining


@pytest.mark.parametrize(
    ("written", "start", "end"),
    [
        ("00:12:30-00:13:00", 750, 780),
        ("12:30 to 13:00", 750, 780),
        ("12:30 – 13:00", 750, 780),
        ("[12:30, 13:00]", 750, 780),
        ("750-780", 750, 780),
        ("750.5 s to 780 seconds", 750.5, 780),
        ([750, 780], 750, 780),
        (["12:30", "00:13:00"], 750, 780),
        ((750.0, 780.0), 750, 780),
        ({"start": 750, "end": 780}, 750, 780),
        ({"start": "12:30", "end": "13:00"}, 750, 780),
        (TimeSpan(start=750, end=780), 750, 780),
        ("01:00:00,500-01:00:01.5", 3600.5, 3601.5),
        ("[750,780]", 750, 780),
        ("[40,46]", 40, 46),
        ("[12:30,13:00]", 750, 780),
        ("12:30,13:00", 750, 780),
        ("750, 780", 750, 780),
        ("40,5-46,25", 40.5, 46.25),
        ("90:00-1:31:00", 5400, 5460),
        ("from 12:30 to 13:00", 750, 780),
        ("12m 30s - 13 min", 750, 780),
        ("12 minutes and 30 seconds to 13 minutes", 750, 780),
        ({"from": 750, "to": "13:00"}, 750, 780),
    ],
)
def test_every_spelling_of_a_span_is_read(written: Any, start: float, end: float) -> None:
    parsed = parse_span(written, window=10, duration=7200)
    assert (parsed.span.start, parsed.span.end, parsed.notes) == (start, end, ())


@pytest.mark.parametrize(
    ("written", "start"), [("all", 0), ("the whole video", 0), ("12:30 - end", 750), ("12:30 to the end", 750)]
)
def test_a_span_may_go_on_to_the_end(written: str, start: float) -> None:
    assert parse_span(written, window=10, duration=7200).span == TimeSpan(start=start, end=7200)


@pytest.mark.parametrize(
    "written", [754.2, "754.2", "12:34.2", "00:12:34.2", [754.2], {"start": 754.2}, "754,2 s", "at 754.2s", "12m 34.2s"]
)
def test_a_point_widens_to_the_window_and_says_so(written: Any) -> None:
    parsed = parse_span(written, window=10, duration=7200)
    assert parsed.span == TimeSpan(start=749.2, end=759.2)
    assert "widened to 10 s" in parsed.notes[0]


def test_a_point_near_an_edge_stays_inside_the_video() -> None:
    assert parse_span(1, window=10, duration=60).span == TimeSpan(start=0, end=6)
    assert parse_span(59, window=10, duration=60).span == TimeSpan(start=54, end=60)


def test_reversed_bounds_are_swapped_and_said() -> None:
    parsed = parse_span("13:00-12:30", window=10, duration=7200)
    assert parsed.span == TimeSpan(start=750, end=780)
    assert "swapped" in parsed.notes[0]


def test_a_span_past_the_end_is_clipped_and_said() -> None:
    parsed = parse_span([50, 90], window=10, duration=60)
    assert parsed.span == TimeSpan(start=50, end=60)
    assert "clipped" in parsed.notes[0]


@pytest.mark.parametrize("written", [[70, 90], 61, "1:10-1:30"])
def test_a_span_outside_the_video_is_an_error_that_states_its_end(written: Any) -> None:
    with pytest.raises(SpanError, match="00:01:00"):
        parse_span(written, window=10, duration=60)


@pytest.mark.parametrize(
    "written", ["noon", "", "12:", "1:2:3:4", None, True, -3, [1, 2, 3], {"end": 3}, float("nan"), "5;7"]
)
def test_what_is_not_a_time_is_an_error_that_shows_a_right_one(written: Any) -> None:
    with pytest.raises(SpanError, match="00:12:34"):
        parse_span(written, window=10, duration=60)


@pytest.mark.parametrize(
    "written", ["750,780", "40,46", "754,2", "1,000-2,000", "1,000 s", "[12:30,500]", "[01:00:00,500]"]
)
def test_a_comma_that_may_mean_two_things_is_an_error(written: str) -> None:
    with pytest.raises(SpanError, match=r"ambiguous.* write 00:12:34\.5"):
        parse_span(written, window=10, duration=7200)


@pytest.mark.parametrize("written", ["12:75", "1:75:00", "12:30-12:75", ["12:75", "13:30"]])
def test_sixty_seconds_or_minutes_are_no_clock_time(written: Any) -> None:
    with pytest.raises(SpanError, match="is not a time"):
        parse_span(written, window=10, duration=7200)


@pytest.mark.parametrize("written", ["9" * 400, [0, "9" * 400], 10**400, 1e308, float("inf"), {"start": "9" * 400}])
def test_a_time_without_end_is_an_error(written: Any) -> None:
    with pytest.raises(SpanError, match="is not a time"):
        parse_span(written, window=10, duration=7200)


@pytest.mark.parametrize("text", ["9" * 400, f"{'9' * 400}:00:00", "750,780", "12:75"])
def test_a_single_time_is_as_strict(text: str) -> None:
    with pytest.raises(SpanError, match="is not a time"):
        parse_time(text)


def test_a_key_that_is_no_bound_is_named() -> None:
    with pytest.raises(SpanError, match=r"^stop "):
        parse_span({"start": 40, "stop": 46}, window=10, duration=7200)


@given(st.floats(0, 86_400))
def test_a_clock_read_back_is_the_second_it_was_written_from(seconds: float) -> None:
    assert abs(parse_time(clock(seconds, decimals=3)) - seconds) < 0.0011
    assert parse_time(clock(seconds)) <= seconds + 1e-5


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0.1, 90))
def test_any_two_bounds_give_a_span_inside_the_video_or_an_error(one: float, other: float, duration: float) -> None:
    try:
        span = parse_span([one, other], window=1, duration=duration).span
    except SpanError:
        assert min(one, other) >= duration
    else:
        assert 0 <= span.start <= span.end <= duration


@pytest.mark.parametrize(
    ("start", "end", "written"),
    [
        (12.0, 16.0, "00:00:12-00:00:16"),
        (12.9, 13.1, "00:00:12-00:00:13"),
        (12.2, 12.9, "00:00:12.2-00:00:12.9"),
        (12.21, 12.28, "00:00:12.21-00:00:12.28"),
        (12.2114, 12.2118, "00:00:12.211-00:00:12.211"),
        (12.5, 12.5, "00:00:12-00:00:12"),
    ],
)
def test_a_written_span_shows_its_length_with_no_more_decimals_than_that_takes(
    start: float, end: float, written: str
) -> None:
    assert str(TimeSpan(start=start, end=end)) == written


def test_a_span_outside_is_named_with_its_length() -> None:
    with pytest.raises(SpanError, match=r"^00:00:12\.2-00:00:12\.9"):
        parse_span([12.2, 12.9], window=1, duration=8)


def test_spans_are_half_open() -> None:
    assert not TimeSpan(start=0, end=5).overlaps(TimeSpan(start=5, end=9))
    assert TimeSpan(start=0, end=5).overlaps(TimeSpan(start=4.9, end=9))


SPANS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda pair: TimeSpan(start=pair[0], end=pair[0] + pair[1]))
)


@given(SPANS, SPANS)
def test_what_remains_is_what_was_not_taken(spans: list[TimeSpan], taken: list[TimeSpan]) -> None:
    def seconds(those: Iterable[TimeSpan]) -> set[int]:
        return {second for span in those for second in range(int(span.start), int(span.end))}

    left = remaining(spans, taken)
    assert seconds(left) == seconds(spans) - seconds(taken)
    assert left == joined(left)
