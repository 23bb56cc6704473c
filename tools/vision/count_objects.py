"""`count_objects`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.objects_tracks import Track
from longtake.tools.context import ToolContext
from longtake.tools.objects import BETTER, look_for, read_query, seen_as
from longtake.tools.objects_looks import Seen
from longtake.tools.registry import Timestamp, tool
from longtake.tools.result import ToolError, ToolResult

WINDOW = 2.0
_STRAIGHT = 0.05  # of the picture that a thing has to cover to have come from a side


@tool(capabilities=("objects", "people"))
def count_objects(
    context: ToolContext,
    timestamp: Timestamp,
    object_query: Annotated[
        str, Field(description="What to count: 'people', 'red circles', 'moving things', 'different cars'.")
    ],
) -> ToolResult:
    """Count one kind of thing in a segment: the most at once, or, of moving or 'different' things, how many in all.

    The notes say which of the two the count is.
    """
    query = read_query(object_query)
    parsed = context.span(timestamp, window=WINDOW)
    seen = look_for(context, parsed.span, query)
    if seen.doubt:
        raise ToolError("unavailable", seen.doubt, f"`object_detection` shows those it is sure of; {BETTER}.")
    most, when = seen.most_at_once()
    count = len(seen.tracks) if query.over_time else most
    evidence = _different(context, seen) if query.over_time else _at_once(context, seen, when)
    at_most = f"the most in one picture is {most}, at {clock(when, decimals=1)}" if most else ""
    if not count:
        said = [f"no {query.phrase} in {seen.where}"]
    elif query.over_time:
        said = [f"different ones over time, each followed through {seen.where}", at_most]
    else:
        said = [f"not over time but at once: {at_most}, of {seen.where}"]
    if query.number not in (None, count):
        said.append(f"the query says {query.number}, {count} were found")
    return ToolResult(
        tool="count_objects",
        output={"object": query.phrase, "count": count},
        evidence=tuple(evidence),
        looked_at=seen.looked_at,
        notes=(*parsed.notes, *said, *seen.notes),
    )


def _at_once(context: ToolContext, seen: Seen, when: float) -> list[Evidence]:
    """The things in the picture that shows the most, from left to right."""
    found = [found for track in seen.tracks for time, found in track.sightings if time == when]
    moment = TimeSpan(start=when, end=when)
    return [
        seen_as(context, seen, moment, each, f"{each.name} {number} of {len(found)} at once")
        for number, each in enumerate(sorted(found, key=lambda each: each.box), 1)
    ]


def _different(context: ToolContext, seen: Seen) -> list[Evidence]:
    """Each thing over the time it was seen, with its place half way."""
    described = []
    for number, track in enumerate(seen.tracks, 1):
        time, found = track.nearest((track.start + track.end) / 2)
        name = f"{track.colour} {found.name}" if track.colour not in found.name else found.name
        words = f"{name} {number} of {len(seen.tracks)}{_way(track)}; the box is its place at {clock(time, decimals=1)}"
        described.append(seen_as(context, seen, TimeSpan(start=track.start, end=track.end), found, words))
    return described


def _way(track: Track) -> str:
    """Where a thing went, as in ", from left to right"; empty when it came back or hardly left its place."""
    across, down = track.way
    if max(abs(across), abs(down)) < _STRAIGHT:
        return ""
    if abs(across) >= abs(down):
        return ", from left to right" if across > 0 else ", from right to left"
    return ", from top to bottom" if down > 0 else ", from bottom to top"
