"""Plots the statistics of the tools as SVG: each tool's share of the time, and the duration of its calls."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import ceil, floor, log10

from longtake.agent.traces.stats import Stats, ToolStats

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
