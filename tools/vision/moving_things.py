"""Finds moving objects in a span and follows each through its shot."""

from __future__ import annotations

from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_moving import MovingThings
from longtake.preprocess.engines.objects.objects_tracks import Track, follow
from longtake.tools.core.result import ToolError
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.vision.object_frames import AGAIN, SeenObjects, followed, moving_in, shots_of

_STEP = 1 / 15  # seconds between two looks
_FEWEST = 3  # sightings of an object; fewer are noise


def look_for_movement(context: ToolContext, span: TimeSpan, query: ObjectQuery) -> SeenObjects:
    """Follow moving objects in a span, of the query's colour if it names one.

    Raises:
        ToolError: `unavailable` if the camera moves all the time.
    """
    looked, notes = followed(span)
    shots = shots_of(context, looked)
    tracks: list[Track] = []
    looked_at: list[TimeSpan] = []
    missed: list[str] = []
    pictures = 0
    for shot, looks in moving_in(context, shots, _STEP):
        steady = [(time, found) for time, found in looks if found is not None]
        if 2 * len(steady) < len(looks):
            missed.append(str(shot))
            continue
        found = [track for track in follow(steady) if len(track.sightings) >= min(_FEWEST, len(steady))]
        tracks += [track for track in found if track.travelled and query.colour in ("", track.colour)]
        looked_at.append(shot)
        pictures += len(looks)
    if not looked_at:
        raise ToolError("unavailable", f"In {looked} the camera moves, so other movement can't be detected.")
    doubt = f"the camera moves in {', '.join(missed)}: what else moves there cannot be told" if missed else ""
    if doubt and not tracks:
        notes.append(doubt)
        doubt = ""
    notes += ["objects that move in place aren't counted", *([AGAIN] if len(shots) > 1 else [])]
    notes += _camera(context, looked)
    return SeenObjects(
        tuple(tracks), MovingThings.id, joined(looked_at), pictures, tuple(notes), doubt, different=len(tracks)
    )


def _camera(context: ToolContext, span: TimeSpan) -> list[str]:
    """A note if the camera moves, even if only slightly."""
    where = ", ".join(map(str, camera_moves(context, span)))
    return [f"the camera moves in {where}: some of what seems to move there may stand still"] if where else []


def camera_moves(context: ToolContext, span: TimeSpan) -> tuple[TimeSpan, ...]:
    """The times in a span when the camera moves."""
    return joined(TimeSpan(start=i["start"], end=i["end"]) for i in context.video.items("motion", span))
