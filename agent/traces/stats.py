"""Statistics over runs: how they ended, what they cost, and each tool's part of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import ceil
from statistics import median

from pydantic import Field

from longtake.agent.traces.recorded import Event, LenientRun
from longtake.console import counted
from longtake.memory.records import Record

CONTROLLER = "controller"  # the name of the controller's replies among the tools

_SHOWN = 3  # maximum problems printed


class Spread(Record):
    """Median, 95th percentile and total of some values; zeros if there are none."""

    median: float = 0.0
    p95: float = Field(default=0.0, description="By nearest rank: the lowest value that 95 % don't exceed.")
    total: float = 0.0


class ToolStats(Record):
    """The calls of a tool; times are seconds."""

    tool: str
    calls: int
    errors: int
    cached: int
    seconds: Spread
    share: float = Field(description="Of the time of all calls and replies, 0 to 1.")


class Stats(Record):
    """Statistics over runs."""

    runs: int
    statuses: dict[str, int]
    guards: dict[str, int] = Field(description="Runs ended by a guard, by guard.")
    rounds: Spread
    seconds: Spread
    tokens: Spread
    cost: Spread
    tools: tuple[ToolStats, ...] = Field(description="Sorted by share of the time, largest first.")
    problems: tuple[str, ...]


def stats_of(runs: Iterable[LenientRun]) -> Stats:
    """The statistics of some runs, which are read one at a time."""
    statuses: Counter[str] = Counter()
    guards: Counter[str] = Counter()
    events: dict[str, list[Event]] = defaultdict(list)
    usages, problems = [], []
    for run in runs:
        statuses[run.status] += 1
        # The text in brackets differs from run to run.
        guards.update(str(event.data.get("guard")).partition(" (")[0] for event in run.of("guard"))
        for event in run.events:
            if event.type == "tool":
                events[str(event.data.get("tool"))].append(event)
            elif event.type == "model":
                events[CONTROLLER].append(event)
        usages.append(run.usage)
        problems += run.problems
    return Stats(
        runs=len(usages),
        statuses=dict(statuses.most_common()),
        guards=dict(guards.most_common()),
        rounds=spread([usage.rounds for usage in usages]),
        seconds=spread([usage.seconds for usage in usages]),
        tokens=spread([usage.input_tokens + usage.output_tokens for usage in usages]),
        cost=spread([usage.cost for usage in usages if usage.cost is not None]),
        tools=_tools(events),
        problems=tuple(problems),
    )


def spread(values: Sequence[float]) -> Spread:
    """The spread of some values."""
    if not values:
        return Spread()
    high = sorted(values)[ceil(0.95 * len(values)) - 1]
    return Spread(median=round(median(values), 6), p95=round(high, 6), total=round(sum(values), 6))


def _tools(events: dict[str, list[Event]]) -> tuple[ToolStats, ...]:
    whole = sum(event.seconds for called in events.values() for event in called) or 1.0
    tools = [
        ToolStats(
            tool=name,
            calls=len(called),
            errors=sum(bool(event.data.get("failure")) for event in called),
            cached=sum(event.data.get("cached") is True for event in called),
            seconds=(seconds := spread([event.seconds for event in called])),
            share=round(seconds.total / whole, 4),
        )
        for name, called in events.items()
    ]
    return tuple(sorted(tools, key=lambda tool: (-tool.share, tool.tool)))


def table_of(stats: Stats) -> list[str]:
    """The statistics as lines of a table."""
    rows = [("", "calls", "errors", "cached", "median s", "p95 s", "of the time")]
    for tool in stats.tools:
        seconds = tool.seconds
        figures = (str(tool.calls), str(tool.errors), str(tool.cached), f"{seconds.median:.3f}", f"{seconds.p95:.3f}")
        rows.append((tool.tool, *figures, f"{tool.share:.0%}"))
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(wide[0]), *(cell.rjust(width) for cell, width in zip(row[1:], wide[1:], strict=True))])
        for row in rows
    ]
    more = len(stats.problems) - _SHOWN
    return [
        f"{stats.runs:,} runs: {_counts(stats.statuses)}",
        _spread("rounds", stats.rounds, "g"),
        _spread("seconds", stats.seconds, ".2f"),
        _spread("tokens", stats.tokens, ",.0f"),
        _spread("cost", stats.cost, ".4f"),
        f"ended by a guard: {_counts(stats.guards) or 'none'}",
        "",
        *lines,
        *stats.problems[:_SHOWN],
        *([f"and {counted(more, 'more problem')}"] if more > 0 else []),
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _spread(name: str, of: Spread, form: str) -> str:
    return f"{name}: median {of.median:{form}}, p95 {of.p95:{form}}, total {of.total:{form}}"
