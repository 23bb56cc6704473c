"""Finds faces by OpenCV's cascades, reporting only those that persist over several looks.

Uncertain matches make the number a lower bound, and finding none proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import Track, follow
from longtake.preprocess.engines.people.objects_faces import FACE, ID, LONG_SIDE, find_faces
from longtake.preprocess.engines.people.people_engine import Footage, FoundPeople
from longtake.settings import Settings

_STEP = 0.5  # minimum seconds between looks
_LOST = 3.0  # seconds after which a face that appears in the same place counts as a different one
_MAX_LOOKS = 30  # per call
_MIN_LOOKS = 3  # in which a face must be found
_SURE, _PERHAPS = 0.5, 0.3  # minimum median confidence over its looks
_MISSED = "faces that are small, dark or turned far away are missed"


@dataclass(frozen=True)
class _Found:
    """Certain and possible faces in a shot."""

    sure: list[Track]
    perhaps: list[Track]
    pictures: int

    @property
    def different(self) -> int:
        """How many of the certain faces are certainly distinct: one that takes another's place may be the same."""
        return sum(not any(_takes_over(new, old) for old in self.sure) for new in self.sure)


class CascadeFaces:
    """Finds faces, but not people who don't show theirs."""

    id = ID

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""

    def knows(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return query.thing == FACE and not (query.colour or query.shape)

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """See `PeopleEngine`."""
        step = max(_STEP, sum(shot.span.length for shot in shots) / _MAX_LOOKS)
        found = [_in_shot(shot, step, moving=query.moving) for shot in shots]
        again = ["anyone who leaves and comes back is counted again"] if query.over_time else []
        return FoundPeople(
            tuple(track for each in found for track in each.sure),
            tuple(track for each in found for track in each.perhaps),
            max((each.different for each in found), default=0),
            sum(each.pictures for each in found),
            (_MISSED, *again),
            _doubt(found, query.over_time),
        )


def _in_shot(shot: Footage, step: float, *, moving: bool) -> _Found:
    """Tracks with enough sightings, split by median confidence."""
    looks = [(time, find_faces(frame.bgr(LONG_SIDE))) for time, frame in shot.frames(step)]
    lasting = [
        track
        for track in follow(looks)
        if len(track.sightings) >= min(_MIN_LOOKS, len(looks)) and (track.travelled or not moving)
    ]
    sure = [track for track in lasting if track.confidence >= _SURE]
    return _Found(sure, [track for track in lasting if _PERHAPS <= track.confidence < _SURE], len(looks))


def _takes_over(new: Track, old: Track) -> bool:
    """Whether a track starts where and about when another ended, so that both may be the same."""
    x, y = new.sightings[0][1].middle
    left, top, width, height = old.sightings[-1][1].box
    soon = new is not old and new.start > old.start and abs(new.start - old.end) <= _LOST
    return soon and left <= x <= left + width and top <= y <= top + height


def _doubt(found: Sequence[_Found], over_time: bool) -> str:
    """Why there may be more than were found; empty if the number is certain."""
    sure, perhaps = (any(tracks) for tracks in ([each.sure for each in found], [each.perhaps for each in found]))
    if not sure and perhaps:
        return "Something may be a face, or may only look like one."
    if not sure:
        return "No face was found, which doesn't prove that there is none."
    if perhaps:
        return "Apart from each certain face, there is something that may be one, so there may be more."
    if any(_takes_over(new, old) for each in found for new in each.sure for old in each.sure):
        return "A face was lost and found again in the same place, so it may be one or two."
    if over_time and sum(bool(each.sure) for each in found) > 1:
        return "A face after a cut may or may not be the same as before it, so there may be more."
    return ""
