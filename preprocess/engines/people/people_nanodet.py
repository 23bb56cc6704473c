"""Finds people with NanoDet wherever they are, sitting, bending or standing still, and counts their visits.

A person is followed by overlap and place. One who leaves for a few seconds and comes back counts again. Faces are those
of `people_opencv`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.nanodet import PERSON, detect, engine_id
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import Track, follow
from longtake.preprocess.engines.people.people_engine import Footage, FoundPeople
from longtake.preprocess.engines.people.people_opencv import OpenCvPeople
from longtake.settings import Settings

_STEP, _FINEST = 1.0, 0.25  # seconds between looks, in long and in short spans
_LOOKS = 40  # as many as short spans get
_LOST = 3.0  # seconds for which someone may be hidden
_LASTING = 1.0  # seconds for which a person is seen, or half of a shorter shot
_SURE = 0.5  # median score over the looks; a person of a cartoon, or a part of one, mostly has less
_CLEAR = 0.6  # the same for one seen for less time, who may be someone
_LONG_SIDE = 640  # pixels of the pictures searched
_MISSED = "people who are tiny or mostly hidden may be missed"


@dataclass(frozen=True)
class _Found:
    """Certain and possible people in a shot, and when there was none of either."""

    sure: list[Track]
    perhaps: list[Track]
    nobody: list[TimeSpan]
    pictures: int


class NanoDetPeople:
    """Finds people anywhere, and faces; doesn't distinguish men, women or children."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet."""
        self.id = engine_id()
        self._faces = OpenCvPeople(settings)

    def knows(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return self.recognises(query) or self._faces.knows(query)

    def recognises(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return query.thing == PERSON and not (query.colour or query.shape)

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """See `PeopleEngine`."""
        if not self.recognises(query):
            return self._faces.find(query, shots)
        step = min(_STEP, max(_FINEST, sum(shot.span.length for shot in shots) / _LOOKS))
        found = [_in_shot(shot, step, moving=query.moving) for shot in shots]
        again = ["anyone who leaves and comes back is counted again"] if query.over_time else []
        return FoundPeople(
            tuple(track for each in found for track in each.sure),
            tuple(track for each in found for track in each.perhaps),
            max((len(each.sure) for each in found), default=0),
            sum(each.pictures for each in found),
            (_MISSED, *again),
            _doubt(found, query.over_time),
            tuple(span for each in found for span in each.nobody),
        )


def _in_shot(shot: Footage, step: float, *, moving: bool) -> _Found:
    looks = [
        (time, [each for each in detect(frame.bgr(_LONG_SIDE)) if each.name == PERSON])
        for time, frame in shot.frames(step)
    ]
    tracks = follow(looks, _LOST)
    empty = groupby((time for time, _ in looks), lambda time: not any(one.start <= time <= one.end for one in tracks))
    runs = [list(times) for nobody, times in empty if nobody]
    least = min(_LASTING, (looks[-1][0] - looks[0][0]) / 2) if looks else 0.0
    if moving:
        tracks = [track for track in tracks if track.travelled]
    lasting = [track for track in tracks if track.end - track.start >= least]
    sure = [track for track in lasting if track.confidence >= _SURE]
    brief = [track for track in tracks if track not in lasting and track.confidence >= _CLEAR]
    perhaps = [track for track in lasting if track not in sure] + brief
    nobody = [TimeSpan(start=run[0], end=run[-1]) for run in runs if run[-1] > run[0]]
    return _Found(sure, perhaps, nobody, len(looks))


def _doubt(found: Sequence[_Found], over_time: bool) -> str:
    """Why there may be more than were found; empty if the number is certain."""
    sure, perhaps = (any(tracks) for tracks in ([each.sure for each in found], [each.perhaps for each in found]))
    if perhaps:
        return "Something else may be a person, too." if sure else "Something may be a person, or only look like one."
    if over_time and sum(bool(each.sure) for each in found) > 1:
        return "A person after a cut may or may not be the same as before it, so there may be more."
    return ""
