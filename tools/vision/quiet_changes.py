"""Finds changes of a picture that is still before and after: a cut or dissolve into something similar is no new shot.

When one slide follows another on the same background, little of the picture changes and no shot begins. The difference
of each frame to the one before shows whether the change was sudden or gradual.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.core.evidence import evidence_of
from longtake.tools.core.tool_context import ToolContext

SUDDEN, GRADUAL = "sudden change of a part of the picture", "gradual change of a part of the picture"
_AT_REST = 0.1  # mean levels by which a frame of a still picture differs from the one before
_REST = 5  # still frames before and after
_LEAST = 2.0  # mean levels of the whole change
_FEWEST = 5  # frames of a gradual one,
_LARGEST_STEP = 0.4  # largest share of the change in one frame
_AROUND = 2.0  # seconds before and after a span that may show the still picture


class _Step(NamedTuple):
    """A frame: its time in seconds, and its difference to the one before in mean levels."""

    time: float
    change: float


def quiet_changes(context: ToolContext, span: TimeSpan, cuts: Sequence[float]) -> list[Evidence]:
    """The changes in a span that aren't at a cut, as evidence: "as by a cut" or "as by a dissolve".

    Args:
        context: the context of the open video.
        span: the span to examine.
        cuts: times of shot changes, also gradual ones.
    """
    layer = context.video.layer("changes")
    if layer is None:
        return []
    wide = span.widened(_AROUND, _AROUND, context.video.duration)
    steps = [
        _Step(time, change)
        for item in context.video.items("changes", wide)
        for time, change in zip(item["times"], item["change"], strict=True)
    ]
    found = []
    for run in _runs(steps):
        start, end, words = run[0].time, run[-1].time, _described([step.change for step in run])
        known = any(start - _AROUND / 2 <= cut <= end + _AROUND / 2 for cut in cuts)
        if words and not known and span.start <= start <= span.end:
            item = {"start": start, "end": end if words.startswith(GRADUAL) else start}
            found.append(evidence_of(item, words, "visual", layer, context.video.id))
    return found


def _runs(steps: Sequence[_Step]) -> Iterator[list[_Step]]:
    """The frames of each change, from the first to the last that differs."""
    moving = [place for place, step in enumerate(steps) if step.change > _AT_REST]
    first = 0
    for place in range(len(moving)):
        ends = place + 1 == len(moving) or moving[place + 1] - moving[place] > _REST
        if ends:
            begin, end = moving[first], moving[place]
            if begin >= _REST and end + _REST < len(steps):
                yield list(steps[begin : end + 1])
            first = place + 1


def _described(changes: Sequence[float]) -> str:
    """A change in words; empty if it is too small or neither sudden nor gradual."""
    if sum(changes) < _LEAST:
        return ""
    if len(changes) == 1:
        return f"{SUDDEN}, as by a cut"
    even = len(changes) >= _FEWEST and max(changes) <= _LARGEST_STEP * sum(changes)
    return f"{GRADUAL}, as by a dissolve" if even else ""
