"""`count_objects`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from longtake.memory.records import Moment
from longtake.memory.timespan import ParsedSpan, TimeSpan, clock
from longtake.preprocess.engines.endpoints.caption_engine import VisualQuestionEngine
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import Track
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.object_frames import SeenObjects
from longtake.tools.vision.object_search import (
    BETTER,
    DENSE,
    asks_a_model,
    look_for,
    one_of,
    perhaps_seen,
    read_query,
    seen_as,
)
from longtake.tools.vision.timed_lines import TimedStatement, read_reply
from longtake.tools.vision.visual_questions import ask_to_count, read_pictures, seen_by

WINDOW = 2.0
_COUNT = re.compile(r"\b(in all|at once)\b[^\d\n]*(\d{1,4}).*", re.IGNORECASE)


@tool(capabilities=("objects", "people"))
def count_objects(
    context: ToolContext,
    timestamp: Timestamp,
    object_query: Annotated[
        str, Field(description="What to count: 'people', 'red circles', 'moving things', 'different cars'.")
    ],
) -> ToolResult:
    """Counts one kind of thing.

    A vision-language model counts the different ones in all, and `at_once` is the most in one picture. Where a detector
    is better, or the only one, the count is the most at once, or, for moving or 'different' objects, the total. The
    notes say which of the two it is; `in_all` is the total if it differs. If there may be more, `at_least` is true and
    `confidence` is between 0 and 1: the lowest among the counted objects, each by the median of the detector's scores.
    Doubtful objects are counted only if none is certain.
    """
    query = read_query(object_query)
    if query.absent:
        raise ToolError("bad_arguments", "Nobody can't be counted.", "object_detection says when nobody is there.")
    parsed = context.span(timestamp, window=WINDOW)
    if asks_a_model(context, query):
        return _counted_by_model(context, object_query, query, parsed)
    seen = look_for(context, parsed.span, query)
    if seen.doubt and not (seen.tracks or seen.perhaps):
        raise ToolError("unavailable", seen.doubt, f"{BETTER}.")
    counted = seen if seen.tracks or not seen.doubt else replace(seen, tracks=seen.perhaps, different=0)
    most, when = counted.most_at_once()
    # One picture proves as many as it shows, even if they replaced others.
    in_all = max(seen.different, most) if seen.doubt else len(seen.tracks)
    count = in_all if query.over_time else most
    evidence = _different(context, seen) if query.over_time else _at_once(context, seen, when)
    evidence += [perhaps_seen(context, seen, track, when) for track in seen.likeliest]
    at_most = f"the most in one picture is {most}, at {clock(when, decimals=1)}" if most else ""
    if not count:
        said = [f"no {query.phrase} in {seen.where}"]
    elif query.over_time:
        said = [f"different ones over time, each followed through {seen.where}", at_most]
    else:
        said = [f"at once, not over time: {at_most}, of {seen.where}"]
    output: dict[str, Any] = {"object": query.phrase, "count": count}
    if in_all != count:
        output["in_all"] = in_all
    if seen.doubt:
        confidence = _confidence(counted.tracks if query.over_time else counted.seen_at(when), count)
        output |= {"at_least": True, "confidence": confidence}
        said.append(f"at least {count}, confidence {confidence:g}: {seen.doubt}")
    if query.number not in (None, count):
        said.append(f"the query says {query.number}, {count} were found")
    return ToolResult(
        tool="count_objects",
        output=output,
        evidence=tuple(evidence),
        looked_at=seen.looked_at,
        notes=(*parsed.notes, *said, *seen.notes),
    )


def _counted_by_model(context: ToolContext, things: str, query: ObjectQuery, parsed: ParsedSpan) -> ToolResult:
    """What a vision-language model counts over frames with their times."""
    engine: VisualQuestionEngine = context.engines.load("visual_question")
    chosen = read_pictures(context, [parsed.span], asked=things, point=parsed.point)
    text, shown = ask_to_count(context, things, chosen)
    reply = read_reply(_COUNT.sub("", text), shown.spans)
    if reply.unsure and not reply.said:
        raise ToolError("unavailable", f"{engine.id} can't count them: {reply.unsure}", "Ask for another span.")
    counted = {name.casefold(): int(number) for name, number in _COUNT.findall(text)}
    timed = [each for each in reply.said if each.timed]
    if not (counted or timed):
        raise ToolError("engine_failed", f"{engine.id} wrote no number.", "Ask watch_segment how many there are.")
    at_once = counted.get("at once", 0)
    count = max(counted.get("in all", len(timed)), at_once)
    words = f"{query.phrase}: {count} in all, {at_once} at most in one picture"
    notes = [*parsed.notes, f"{engine.id} was shown {shown.where}, not the video"]
    output: dict[str, Any] = {"object": query.phrase, "count": count}
    if at_once != count:
        output["at_once"] = at_once
    limited = len(shown.pictures) >= context.settings.visual_question.pictures or shown != chosen
    if limited and len(shown.pictures) < DENSE * parsed.span.length:  # else they are as many as the changes need
        output["doubtful"] = True
        notes.append(f"doubtful: a picture every {parsed.span.length / len(shown.pictures):.1f} s misses what is brief")
    total = TimedStatement(parsed.span, words)
    return ToolResult(
        tool="count_objects",
        output=output,
        evidence=seen_by(context, engine, [*timed, total]),
        looked_at=shown.spans,
        notes=tuple(notes),
    )


def _confidence(tracks: Sequence[Track], count: int) -> float:
    """Confidence in this count: the lowest among that many most confident tracks."""
    return sorted((track.confidence for track in tracks), reverse=True)[count - 1]


def _at_once(context: ToolContext, seen: SeenObjects, when: float) -> list[Moment]:
    """The objects in the picture that shows the most, from left to right."""
    found = [found for track in seen.tracks for time, found in track.sightings if time == when]
    moment = TimeSpan(start=when, end=when)
    return [
        seen_as(context, seen, moment, each, f"{each.name} {number} of {len(found)} at once")
        for number, each in enumerate(sorted(found, key=lambda each: each.box), 1)
    ]


def _different(context: ToolContext, seen: SeenObjects) -> list[Moment]:
    """Each object over the time it was seen, with its position halfway."""
    described = []
    for number, track in seen.listed:
        time, found = track.nearest((track.start + track.end) / 2)
        words = f"{one_of(seen, number)}; the box is its place at {clock(time, decimals=1)}"
        described.append(seen_as(context, seen, TimeSpan(start=track.start, end=track.end), found, words))
    return described
