"""Counts the visits of people who were followed by overlap and place, and says when nobody was there.

One who leaves for a few seconds and comes back counts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import Track
from longtake.preprocess.engines.people.people_engine import FoundPeople

_LASTING = 1.0  # seconds for which a person is seen, or half of a shorter shot
_SURE = 0.5  # median score over the looks; a person of a cartoon, or a part of one, mostly has less
_CLEAR = 0.6  # the same for one seen for less time, who may be someone
_MISSED = "people who are tiny or mostly hidden may be missed"


@dataclass(frozen=True, slots=True)
class Followed:
    """(Part of) a shot: the times of the pictures searched, in order, and all who were seen in any of them."""

    times: Sequence[float]
    tracks: Sequence[Track]


@dataclass(frozen=True)
class _Found:
    """Certain and possible people in a shot."""

    sure: list[Track]
    perhaps: list[Track]


def is_clear(confidence: float, seconds: float) -> bool:
    """Whether what was followed for some seconds is a person, by the median of its scores."""
    return confidence >= (_SURE if seconds >= _LASTING else _CLEAR)


def people_among(query: ObjectQuery, shots: Sequence[Followed]) -> FoundPeople:
    """The people of all shots in order that match a query."""
    found = [_sorted_out(shot, moving=query.moving) for shot in shots]
    again = ["anyone who leaves and comes back is counted again"] if query.over_time else []
    return FoundPeople(
        tuple(track for each in found for track in each.sure),
        tuple(track for each in found for track in each.perhaps),
        max((len(each.sure) for each in found), default=0),
        sum(len(shot.times) for shot in shots),
        (_MISSED, *again),
        _doubt(found, query.over_time),
        _nobody(shots),
    )


def _sorted_out(shot: Followed, *, moving: bool) -> _Found:
    least = min(_LASTING, (shot.times[-1] - shot.times[0]) / 2) if shot.times else 0.0
    tracks = [track for track in shot.tracks if track.travelled or not moving]
    lasting = [track for track in tracks if track.end - track.start >= least]
    brief = [track for track in tracks if track.end - track.start < least and track.confidence >= _CLEAR]
    sure = [track for track in lasting if track.confidence >= _SURE]
    return _Found(sure, [track for track in lasting if track.confidence < _SURE] + brief)


def _nobody(shots: Sequence[Followed]) -> tuple[TimeSpan, ...]:
    """From the first to the last of successive pictures without anyone, certain or possible."""
    looks = [(time, any(one.start <= time <= one.end for one in shot.tracks)) for shot in shots for time in shot.times]
    runs = [[time for time, _ in run] for someone, run in groupby(looks, lambda look: look[1]) if not someone]
    return tuple(TimeSpan(start=run[0], end=run[-1]) for run in runs if run[-1] > run[0])


def _doubt(found: Sequence[_Found], over_time: bool) -> str:
    """Why there may be more than were found; empty if the number is certain."""
    sure, perhaps = (any(tracks) for tracks in ([each.sure for each in found], [each.perhaps for each in found]))
    if perhaps:
        return "Something else may be a person, too." if sure else "Something may be a person, or only look like one."
    if over_time and sum(bool(each.sure) for each in found) > 1:
        return "A person after a cut may or may not be the same as before it, so there may be more."
    return ""
