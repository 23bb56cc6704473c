"""Changes of a picture that rests before and after: what is cut or dissolves into something much alike is no new shot.

One slide follows another on the same ground: hardly any of the picture changes, so that no shot begins. That it changed
from one frame to the next, or little by little, is told by how much each frame differs from the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.core.evidence import evidence_of
from longtake.tools.core.tool_context import ToolContext

SUDDEN, GRADUAL = "sudden change of a part of the picture", "gradual change of a part of the picture"
_AT_REST = 0.1  # mean levels by which a frame of a picture at rest differs from the one before
_REST = 5  # frames at rest before and after
_LEAST = 2.0  # mean levels, in all, of a change
_FEWEST = 5  # frames of a gradual one,
_LARGEST_STEP = 0.4  # of which none makes so much of it
_AROUND = 2.0  # seconds before and after a span that may show the picture at rest


class _Step(NamedTuple):
    """A frame: its time in seconds, and by how many mean levels it differs from the one before."""

    time: float
    change: float


def quiet_changes(context: ToolContext, span: TimeSpan, cuts: Sequence[float]) -> list[Evidence]:
    """The changes that begin in a span at no cut, as evidence: "as by a cut" or "as by a dissolve".

    Args:
        context: of the open video.
        span: to look at.
        cuts: times at which a shot begins, or, of a gradual transition, lies.
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
        start, end, words = run[0].time, run[-1].time, _told([step.change for step in run])
        known = any(start - _AROUND / 2 <= cut <= end + _AROUND / 2 for cut in cuts)
        if words and not known and span.start <= start <= span.end:
            item = {"start": start, "end": end if words.startswith(GRADUAL) else start}
            found.append(evidence_of(item, words, "visual", layer, context.video.id))
    return found


def _runs(steps: Sequence[_Step]) -> Iterator[list[_Step]]:
    """The frames of each change, from the first that differs to the last, between two rests."""
    moving = [place for place, step in enumerate(steps) if step.change > _AT_REST]
    first = 0
    for place in range(len(moving)):
        ends = place + 1 == len(moving) or moving[place + 1] - moving[place] > _REST
        if ends:
            begin, end = moving[first], moving[place]
            if begin >= _REST and end + _REST < len(steps):
                yield list(steps[begin : end + 1])
            first = place + 1


def _told(changes: Sequence[float]) -> str:
    """What a change is like, in words; empty where it is too small, or neither of both."""
    if sum(changes) < _LEAST:
        return ""
    if len(changes) == 1:
        return f"{SUDDEN}, as by a cut"
    even = len(changes) >= _FEWEST and max(changes) <= _LARGEST_STEP * sum(changes)
    return f"{GRADUAL}, as by a dissolve" if even else ""
