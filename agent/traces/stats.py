"""Statistics over runs: how they ended, what they cost, and each tool's part of it, also as a plot in SVG."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from statistics import median

from pydantic import Field

from longtake.agent.traces.lenient_run import LenientRun, TraceEvent
from longtake.console import counted
from longtake.memory.records import Record

CONTROLLER = "controller"  # the name of the controller's replies among the tools

_SHOWN = 3  # maximum problems printed


class ValueSpread(Record):
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
    seconds: ValueSpread
    share: float = Field(description="Of the time of all calls and replies, 0 to 1.")


class Stats(Record):
    """Statistics over runs."""

    runs: int
    statuses: dict[str, int]
    guards: dict[str, int] = Field(description="Runs ended by a guard, by guard.")
    rounds: ValueSpread
    seconds: ValueSpread
    tokens: ValueSpread
    cost: ValueSpread
    tools: tuple[ToolStats, ...] = Field(description="Sorted by share of the time, largest first.")
    problems: tuple[str, ...]


def stats_of(runs: Iterable[LenientRun]) -> Stats:
    """The statistics of some runs, which are read one at a time."""
    statuses: Counter[str] = Counter()
    guards: Counter[str] = Counter()
    events: dict[str, list[TraceEvent]] = defaultdict(list)
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


def spread(values: Sequence[float]) -> ValueSpread:
    """The spread of some values."""
    if not values:
        return ValueSpread()
    high = sorted(values)[ceil(0.95 * len(values)) - 1]
    return ValueSpread(median=round(median(values), 6), p95=round(high, 6), total=round(sum(values), 6))


def _tools(events: dict[str, list[TraceEvent]]) -> tuple[ToolStats, ...]:
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


def _spread(name: str, of: ValueSpread, form: str) -> str:
    return f"{name}: median {of.median:{form}}, p95 {of.p95:{form}}, total {of.total:{form}}"


# Pixels: height of a row, and distances from the left.
_ROW = 26
_TOP = 56
_NAMES, _SHARES, _TIMES, _END = 168, 176, 408, 704
_WIDE = 760
_BAR = 190  # width for a share of 100 %
_SHORTEST = 0.001  # seconds; shorter times are drawn at the left edge
_STYLE = """
svg { font: 13px system-ui, sans-serif; color-scheme: light dark; background: #fafaf8; }
text { fill: #1d2023; } .faint { fill: #5c6269; font-size: 12px; } line { stroke: #e2e2dc; }
rect, circle { fill: #17616f; } .span { stroke: #17616f; stroke-width: 3; stroke-linecap: round; }
.end { fill: #b98a35; }
@media (prefers-color-scheme: dark) {
  svg { background: #121416; } text { fill: #e7e9ea; } .faint { fill: #a1a8af; } line { stroke: #2c3135; }
  rect, circle { fill: #79c5d3; } .span { stroke: #79c5d3; } .end { fill: #cda45a; }
}
"""


def plot_of(stats: Stats) -> str:
    """An SVG document with the tools' figures of `table_of`, drawn and as a label."""
    high = _TOP + _ROW * len(stats.tools) + 12
    powers = _powers(stats.tools)
    drawn = [*_axis(powers, high), *(part for row, tool in enumerate(stats.tools) for part in _row(row, tool, powers))]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="{high}" viewBox="0 0 {_WIDE} {high}" '
        f'role="img" aria-label="{escape(_words(stats))}"><style>{_STYLE}</style>{"".join(drawn)}</svg>\n'
    )


def _words(stats: Stats) -> str:
    tools = [f"{each.tool} {each.share:.0%}, median {each.seconds.median:.3f} s" for each in stats.tools]
    return f"Tools over {stats.runs} runs, by their share of the time: {'; '.join(tools)}."


def _powers(tools: tuple[ToolStats, ...]) -> tuple[int, int]:
    """The powers of ten at the ends of the time axis."""
    times = [max(_SHORTEST, time) for tool in tools for time in (tool.seconds.median, tool.seconds.p95)] or [1.0]
    low, high = floor(log10(min(times))), ceil(log10(max(times)))
    return low, max(high, low + 1)


def _axis(powers: tuple[int, int], high: int) -> Iterator[str]:
    yield f'<text x="{_SHARES}" y="20">Share of the time</text>'
    yield f'<text x="{_TIMES}" y="20">Seconds per call: median to 95th percentile</text>'
    for power in range(powers[0], powers[1] + 1):
        x = _across(10.0**power, powers)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{high}"/>'
        yield f'<text class="faint" x="{x:.1f}" y="{_TOP - 14}" text-anchor="middle">{10.0**power:g}</text>'


def _row(row: int, tool: ToolStats, powers: tuple[int, int]) -> Iterator[str]:
    y = _TOP + _ROW * row + _ROW / 2
    bar = max(1.0, _BAR * tool.share)
    middle, end = (_across(time, powers) for time in (tool.seconds.median, tool.seconds.p95))
    yield f'<text x="{_NAMES}" y="{y + 4}" text-anchor="end">{escape(tool.tool)}</text>'
    yield f'<rect x="{_SHARES}" y="{y - 6}" width="{bar:.1f}" height="12" rx="2"/>'
    yield f'<text class="faint" x="{_SHARES + bar + 6:.1f}" y="{y + 4}">{tool.share:.0%}</text>'
    yield f'<line class="span" x1="{middle:.1f}" x2="{end:.1f}" y1="{y}" y2="{y}"/>'
    yield f'<circle cx="{middle:.1f}" cy="{y}" r="5"/><circle class="end" cx="{end:.1f}" cy="{y}" r="3.5"/>'


def _across(seconds: float, powers: tuple[int, int]) -> float:
    """The place of a time on the logarithmic axis, in pixels from the left."""
    share = (log10(max(_SHORTEST, seconds)) - powers[0]) / (powers[1] - powers[0])
    return _TIMES + 8 + min(1.0, max(0.0, share)) * (_END - _TIMES)
