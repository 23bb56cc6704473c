"""People and things from the layer `detections`: nothing is decoded, so a span may be hours long."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from longtake.memory.layers import Layer
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.nanodet import PERSON, kind_of
from longtake.preprocess.engines.objects.object_engine import FoundObject, ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import Track
from longtake.preprocess.engines.people.people_tracks import Followed, people_among
from longtake.preprocess.layers.detections import Detections
from longtake.tools.core.evidence import examined, unexamined
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.object_frames import Seen, seen_people, shots_of

_ONCE = "the picture of every second was examined: what is there for less time may be missed"


def has_detections(context: ToolContext) -> bool:
    """Whether the video has the layer."""
    return context.video.layer(Detections.name) is not None


def in_index(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> Seen | None:
    """What the layer has of the things of a query in a span; None if it can't tell. Only people are certain."""
    layer, kind = context.video.layer(Detections.name), kind_of(query)
    looked_at = examined(layer, span) if layer else ()
    if layer is None or kind is None or not looked_at:
        return None
    seconds = [item for item in context.video.items("keyframes", span) if item["kind"] == "second"]
    times = [round(item["time"], 3) for item in seconds]
    tracks = _tracks(layer, kind, times)
    notes = (_ONCE, *unexamined(layer, span))
    if kind == PERSON:
        shots = _by_shot(shots_of(context, span), times, tracks)
        return seen_people(people_among(query, shots), layer.engine, looked_at, notes)
    perhaps = tuple(track for track in tracks if track.travelled or not query.moving)
    doubt = f"The detector misses many a {kind} and takes other things for one."
    return Seen((), layer.engine, looked_at, len(times), notes, doubt, perhaps)


def _tracks(layer: Layer, kind: str, times: Sequence[float]) -> list[Track]:
    """All that the layer calls so, with their sightings at these times."""
    wanted = set(times)
    found = (_track(item, wanted) for item in layer.items() if item["name"] == kind)
    return [track for track in found if track.sightings]


def _track(item: Mapping[str, Any], times: set[float]) -> Track:
    seen = ((time, (left, top, width, height)) for time, left, top, width, height in item["boxes"] if time in times)
    return Track([(time, FoundObject(item["name"], box, item["confidence"])) for time, box in seen])


def _by_shot(shots: Sequence[TimeSpan], times: Sequence[float], tracks: Sequence[Track]) -> list[Followed]:
    """The times in each shot, and the tracks that start in it."""
    tracks = sorted(tracks, key=lambda track: track.start)
    starts = [track.start for track in tracks]

    def within(shot: TimeSpan, of: Sequence[float]) -> slice:
        return slice(bisect_left(of, shot.start), bisect_left(of, shot.end))

    return [Followed(times[within(shot, times)], tracks[within(shot, starts)]) for shot in shots]
