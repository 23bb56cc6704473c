"""`object_detection`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.object_search import NOBODY, look_for, nobody_in, one_of, perhaps_seen, read_query, seen_as

WINDOW = 2.0


@tool(capabilities=("objects", "people"))
def object_detection(
    context: ToolContext,
    timestamp: Timestamp,
    categories: Annotated[
        list[str],
        Field(min_length=1, max_length=20, description="Kinds of objects to find: ['person', 'red circle', 'logo']."),
    ],
) -> ToolResult:
    """Where in the picture things of the named kinds are, or when nobody is there.

    `timestamp`, `object` and `bounding_box` are lists with one entry per object: seconds, name, and [left, top, width,
    height] as shares of the picture. Each object is listed once, as near to the middle of the segment as it is seen. If
    some are doubtful, their evidence isn't trusted, and `confidence` is another such list, from 0 to 1.
    """
    queries = [read_query(category) for category in categories]
    parsed = context.span(timestamp, window=WINDOW)
    middle = (parsed.span.start + parsed.span.end) / 2
    evidence: list[tuple[str, Moment]] = []
    notes = list(parsed.notes)
    failures: list[ToolError] = []
    looked_at: list[TimeSpan] = []
    unsure = False
    for query in queries:
        try:
            seen = look_for(context, parsed.span, query)
        except ToolError as error:
            failures.append(error)
            continue
        looked_at = [*looked_at, *(span for span in seen.looked_at if span not in looked_at)]
        if query.absent:
            evidence += [(NOBODY, nobody_in(context, seen, span)) for span in seen.nobody]
            notes += [*seen.notes, *([] if seen.nobody else [f"at every time there is somebody in {seen.where}"])]
            continue
        notes += [
            *seen.notes,
            *([seen.doubt] if seen.doubt else []),
            *([f"{len(seen.listed)} of {len(seen.tracks)} are listed"] if len(seen.listed) < len(seen.tracks) else []),
            *([] if seen.tracks or seen.perhaps else [f"no {query.phrase} in {seen.where}"]),
        ]
        unsure = unsure or bool(seen.perhaps)
        for number, track in seen.listed:
            time, found = track.nearest(middle)
            words = f"{one_of(seen, number)} at {clock(time, decimals=1)}"
            evidence.append((found.name, seen_as(context, seen, TimeSpan(start=time, end=time), found, words)))
        for track in seen.likeliest:
            time, found = track.nearest(middle)
            evidence.append((found.name, perhaps_seen(context, seen, track, time)))
    if len(failures) == len(queries):
        raise failures[0]
    notes += [f"{error.failure.message} {error.failure.remedy}" for error in failures]
    evidence.sort(key=lambda each: each[1].span.start)
    return ToolResult(
        tool="object_detection",
        output={
            "timestamp": [item.span.start for _, item in evidence],
            "object": [name for name, _ in evidence],
            "bounding_box": [list(item.box or ()) for _, item in evidence],
        }
        | ({"confidence": [item.score for _, item in evidence]} if unsure else {}),
        evidence=tuple(item for _, item in evidence),
        looked_at=tuple(looked_at),
        notes=tuple(dict.fromkeys(notes)),
    )
