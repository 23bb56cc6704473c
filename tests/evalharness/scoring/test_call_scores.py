"""Calls beside the gold ones: pairs, order, and when two arguments say the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest

from longtake.evalharness.items import ToolCall, ToolDefinition
from longtake.evalharness.scoring.call_scores import (
    Compared,
    Spans,
    best_pairs,
    common_length,
    compare_calls,
    same_value,
)

TOOLS = (
    ToolDefinition(name="count", inputs=("timestamp", "thing", "limit?")),
    ToolDefinition(name="find", inputs=("query", "modalities[]", "language")),
)


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(tool=tool, arguments=arguments)


def compared(gold: Sequence[ToolCall], made: Sequence[ToolCall]) -> Compared:
    return compare_calls(gold, made, TOOLS)


def matches(gold: Sequence[ToolCall], made: Sequence[ToolCall]) -> list[bool]:
    return [argument.matches for argument in compared(gold, made).arguments]


def test_calls_are_counted_by_tool() -> None:
    gold = [call("count"), call("count"), call("find"), call("read")]
    made = [call("find"), call("find"), call("find"), call("count"), call("guess"), call("guess")]
    found = compared(gold, made)
    assert found.hits == {"count": 1, "find": 1}
    assert (found.missed, found.wrong, found.superfluous) == (2, 2, 2)


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [("", "abc", 0), ("abc", "abc", 3), ("abc", "cba", 1), ("abcab", "xbxcaxb", 4), ("aab", "ab", 2)],
)
def test_order_is_the_longest_common_subsequence(first: str, second: str, length: int) -> None:
    assert common_length(first, second) == length
    assert compared([call(tool) for tool in first], [call(tool) for tool in second]).in_order == length


def test_a_call_left_out_loses_all_its_arguments() -> None:
    found = compared([call("count", thing="cup", timestamp=5), call("find", query="a")], [call("find", query="a")])
    kinds = [(each.tool, each.name, each.required, each.matches) for each in found.arguments]
    assert kinds == [
        ("count", "thing", True, False),
        ("count", "timestamp", False, False),
        ("find", "query", True, True),
    ]


def test_optional_are_marked_ones_lists_timestamps_and_languages() -> None:
    assert [tool.parameters for tool in TOOLS] == [
        {"timestamp": False, "thing": True, "limit": False},
        {"query": True, "modalities": False, "language": False},
    ]
    unknown = compared([call("unknown", query="a")], [call("unknown", query="a")])
    assert [(each.required, each.matches) for each in unknown.arguments] == [(False, True)]


def test_calls_of_one_tool_are_paired_so_that_most_arguments_match() -> None:
    gold = [call("count", thing="cup", limit=3), call("count", thing="cup", limit=4)]
    # In order, the first gold call would take the second's twin, and one argument of each would be lost.
    made = [
        call("count", thing="cup", limit=4),
        call("count", thing="jug", limit=9),
        call("count", thing="cup", limit=3),
    ]
    assert matches(gold, made) == [True, True, True, True]


def test_of_pairs_that_match_alike_the_one_with_more_overlap_is_taken() -> None:
    gold = [call("count", timestamp="0-10"), call("count", timestamp="5-20")]
    made = [call("count", timestamp="5-20"), call("count", timestamp="0-10")]
    assert [each.spans for each in compared(gold, made).arguments] == [Spans(1.0, True)] * 2


def test_pairs_are_the_best_there_are() -> None:
    drawn = random.Random(4)
    for _ in range(300):
        rows, columns = drawn.randint(1, 4), drawn.randint(0, 5)
        worth = [[float(drawn.randint(0, 4)) for _ in range(columns)] for _ in range(rows)]
        paired = best_pairs(worth)
        taken = [column for column in paired if column is not None]
        assert len(taken) == len(set(taken)) == min(rows, columns)
        total = sum(worth[row][column] for row, column in enumerate(paired) if column is not None)
        padded = [row + [0.0] * rows for row in worth]
        ways = permutations(range(columns + rows), rows)
        assert total == max(sum(padded[row][column] for row, column in enumerate(way)) for way in ways)


@pytest.mark.parametrize(
    ("gold", "given", "match", "spans"),
    [
        ("00:00:10-00:00:20", [10, 20], True, Spans(1.0, True)),
        ("10-20", {"start": 15, "end": 25}, True, Spans(5 / 15, False)),  # 5 s shared of 10 to 25
        ("10-20", "00:10.5-00:20.9", True, Spans(9.5 / 10.9, True)),
        ("10-20", "20.5-30", True, Spans(0.0, False)),  # half a second apart
        ("10-20", "21.5-30", False, Spans(0.0, False)),
        (754.2, "00:12:34", True, Spans(0.0, True)),
        (754, "00:12:34", True, Spans(1.0, True)),
        ("10-20", "0-3600", True, Spans(10 / 3600, False)),
        ("10-20", "soon", False, Spans(0.0, False)),
        ("10-20", None, False, Spans(0.0, False)),
        ("at the start", "At the start.", True, None),
    ],
)
def test_timestamps_match_where_they_overlap_or_nearly_do(
    gold: Any, given: Any, match: bool, spans: Spans | None
) -> None:
    (argument,) = compared([call("count", timestamp=gold)], [call("count", timestamp=given)]).arguments
    assert (argument.matches, argument.spans) == (match, pytest.approx(spans) if spans else None)


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        (5, "5.0"),
        ("1e3", 1000),
        ("NaN", "nan"),
        (0.1 + 0.2, 0.3),
        ("Blue  Kettle.", "blue kettle"),
        ("the kettle’s price", "The kettle's price"),
        ("3+4 * 2", "3 + 4*2"),
        ("two cups", "2 cups"),
        (["speech", "scene_text"], ["scene_text", "speech"]),
        (["cup"], "cup"),
        ({"a": 1, "b": ["x"]}, {"b": ["X"], "a": "1"}),
        (True, "true"),
    ],
)
def test_values_that_say_the_same(gold: Any, given: Any) -> None:
    assert same_value(gold, given)
    assert same_value(given, gold)


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        (5, 6),
        (5, "five or six"),
        (1, True),
        ("3+4", "3*4"),
        ("2*(3+4)", "2*3+4"),
        ("blue kettle", "kettle blue"),
        ("-5", "5"),
        (["cup"], ["cup", "cup"]),
        (["cup", "jug"], ["cup", "cup"]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ("", "cup"),
        (10**400, 10**401),
        ("nan", "inf"),
    ],
)
def test_values_that_say_something_else(gold: Any, given: Any) -> None:
    assert not same_value(gold, given)
    assert not same_value(given, gold)
