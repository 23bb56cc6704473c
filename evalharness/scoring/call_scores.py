"""Compares tool calls with the gold calls exactly: tools, order and arguments.

The gold calls of each tool are paired with the calls made of it so that most arguments match. Of a gold call that is
left over no argument matches. What an argument says counts, not how it is written: numbers by value, lists in any
order, texts by their words and signs. Timestamps match where they overlap or lie no more than a tolerance apart; how
much they overlap is told beside that, because a span of the whole video overlaps everything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from longtake.evalharness.items import ToolCall, ToolDefinition
from longtake.evalharness.scoring.grading import plain
from longtake.memory.timespan import SpanError, TimeSpan, parse_span

TOLERANCE = 1.0  # seconds
_NO_END = 1e9  # seconds; no video is so long
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Spans(NamedTuple):
    """How near a timestamp is to the gold one."""

    overlap: float  # shared seconds over all seconds, 0 to 1
    near: bool  # whether both ends lie within the tolerance


class ArgumentMatch(NamedTuple):
    """A gold argument and its outcome."""

    tool: str
    name: str
    required: bool
    matches: bool
    spans: Spans | None  # of a timestamp that can be read


@dataclass(frozen=True, slots=True)
class Compared:
    """The calls of one turn, paired with the gold calls."""

    gold: Counter[str]  # calls by tool
    made: Counter[str]
    in_order: int  # longest part of the gold sequence of tools that was called in this order
    arguments: tuple[ArgumentMatch, ...]

    @property
    def hits(self) -> Counter[str]:
        """Calls made of a tool, as far as gold calls it."""
        return self.gold & self.made

    @property
    def missed(self) -> int:
        """Gold calls that were not made."""
        return (self.gold - self.made).total()

    @property
    def wrong(self) -> int:
        """Calls of tools that gold does not call."""
        return sum(count for tool, count in self.made.items() if tool not in self.gold)

    @property
    def superfluous(self) -> int:
        """Calls of gold's tools beyond as many as gold has."""
        return (self.made - self.gold).total() - self.wrong


def compare_calls(gold: Sequence[ToolCall], made: Sequence[ToolCall], tools: Sequence[ToolDefinition]) -> Compared:
    """Compare the calls of a turn with the gold ones, both in order.

    `tools` define which parameters are required; the parameters of other tools count as optional.
    """
    required = {tool.name: tool.parameters for tool in tools}
    arguments: list[ArgumentMatch] = []
    for name in dict.fromkeys(call.tool for call in gold):
        wanted, given = ([call for call in calls if call.tool == name] for calls in (gold, made))
        pairs = [[_arguments(one, other, required.get(name, {})) for other in given] for one in wanted]
        nothing = [_arguments(one, None, required.get(name, {})) for one in wanted]
        chosen = best_pairs([[_worth(pair, len(wanted)) for pair in row] for row in pairs])
        for row, column in enumerate(chosen):
            arguments += nothing[row] if column is None else pairs[row][column]
    return Compared(
        gold=Counter(call.tool for call in gold),
        made=Counter(call.tool for call in made),
        in_order=common_length([call.tool for call in gold], [call.tool for call in made]),
        arguments=tuple(arguments),
    )


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence (Wagner and Fischer 1974)."""
    lengths = [0] * (len(second) + 1)
    for one in first:
        before = lengths
        lengths = [0]
        for place, other in enumerate(second):
            lengths.append(before[place] + 1 if one == other else max(before[place + 1], lengths[place]))
    return lengths[-1]


def best_pairs(worth: Sequence[Sequence[float]]) -> list[int | None]:
    """For each row the column it is paired with, no column twice, so that the sum is the largest; None: left over.

    The Hungarian method (Kuhn 1955) with potentials: rows are added one by one, each along the cheapest path of
    exchanges. It takes rows squared times columns steps.
    """
    rows, columns = len(worth), max(map(len, worth), default=0)
    width = max(rows, columns)
    cost = [[*(-value for value in row), *[0.0] * (width - columns)] for row in worth]
    of_row, of_column = [0.0] * rows, [0.0] * (width + 1)
    owner: list[int] = [-1] * (width + 1)  # the row of each column; paths start at the last column
    for row in range(rows):
        owner[width], column = row, width
        slack, before, done = [float("inf")] * width, [width] * width, set[int]()
        while owner[column] >= 0:
            done.add(column)
            here = owner[column]
            for other in range(width):
                if other not in done and (left := cost[here][other] - of_row[here] - of_column[other]) < slack[other]:
                    slack[other], before[other] = left, column
            column = min((other for other in range(width) if other not in done), key=slack.__getitem__)
            step = slack[column]
            for other in done:
                of_row[owner[other]] += step
                of_column[other] -= step
            slack = [left if other in done else left - step for other, left in enumerate(slack)]
        while column != width:
            owner[column], column = owner[before[column]], before[column]
    paired: list[int | None] = [None] * rows
    for column, row in enumerate(owner[:columns]):
        if row >= 0:
            paired[row] = column
    return paired


def same_value(gold: Any, given: Any) -> bool:
    """Whether two arguments say the same: numbers by value, lists in any order, texts by their words and signs."""
    if isinstance(gold, Mapping) and isinstance(given, Mapping):
        return gold.keys() == given.keys() and all(same_value(gold[name], given[name]) for name in gold)
    if isinstance(gold, list | tuple) or isinstance(given, list | tuple):
        return _same_members(gold, given)
    first, second = _number(gold), _number(given)
    if first is not None and second is not None:
        return abs(first - second) <= 1e-9 * max(abs(first), abs(second))
    return _tokens(gold) == _tokens(given)


def compare_argument(name: str, gold: Any, given: Any) -> tuple[bool, Spans | None]:
    """Whether an argument matches the gold one of its name, and, of a timestamp that can be read, how near it is.

    A name that starts with `timestamp` means a time or a span. What was left out is None.
    """
    first, second = (_span(value) if name.startswith("timestamp") else None for value in (gold, given))
    if first is None:
        return given is not None and same_value(gold, given), None
    if second is None:
        return False, Spans(0.0, near=False)
    near = max(abs(first.start - second.start), abs(first.end - second.end)) <= TOLERANCE
    return first.widened(TOLERANCE, TOLERANCE, _NO_END).overlaps(second), Spans(_overlap(first, second), near)


def _arguments(gold: ToolCall, made: ToolCall | None, required: Mapping[str, bool]) -> list[ArgumentMatch]:
    """Each argument of a gold call, with the call's argument of the same name."""
    given = made.arguments if made else {}
    return [
        ArgumentMatch(gold.tool, name, required.get(name, False), *compare_argument(name, value, given.get(name)))
        for name, value in gold.arguments.items()
    ]


def _worth(arguments: Sequence[ArgumentMatch], calls: int) -> float:
    """What a pair is worth: first its matching arguments, then how its timestamps overlap."""
    overlap = sum(argument.spans.overlap for argument in arguments if argument.spans)
    return sum(argument.matches for argument in arguments) + overlap / (calls * len(arguments) + 1)


def _span(value: Any) -> TimeSpan | None:
    try:
        return parse_span(value, window=0, duration=_NO_END).span
    except SpanError:
        return None


def _overlap(first: TimeSpan, second: TimeSpan) -> float:
    """Intersection over union; of two moments, whether they are the same."""
    shared = min(first.end, second.end) - max(first.start, second.start)
    whole = max(first.end, second.end) - min(first.start, second.start)
    return max(0.0, shared) / whole if whole else 1.0


def _same_members(gold: Any, given: Any) -> bool:
    """Whether two lists have the same members in any order; a single value is a list of one."""
    wanted, given = (list(each) if isinstance(each, list | tuple) else [each] for each in (gold, given))
    for value in wanted:
        found = next((place for place, other in enumerate(given) if same_value(value, other)), None)
        if found is None:
            return False
        given.pop(found)
    return not given


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _tokens(value: Any) -> list[str]:
    return _TOKEN.findall(plain(str(value)).strip().rstrip(".?!"))
