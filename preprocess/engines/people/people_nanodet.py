"""Finds people with NanoDet wherever they are, sitting, bending or standing still; faces as `people_cascades` does."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.preprocess.engines.objects.nanodet import PERSON, detect, engine_id, kind_of
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.engines.objects.objects_tracks import HIDDEN, follow
from longtake.preprocess.engines.people.people_cascades import CascadeFaces
from longtake.preprocess.engines.people.people_engine import Footage, FoundPeople
from longtake.preprocess.engines.people.people_tracks import Followed, people_among
from longtake.settings import Settings

CLOSE = 40.0  # seconds that are looked at more than once a second
_STEP, _FINEST = 1.0, 0.25  # seconds between looks, in long and in short spans
_LONG_SIDE = 640  # pixels of the pictures searched


class NanoDetPeople:
    """Finds people anywhere, and faces; doesn't distinguish men, women or children."""

    def __init__(self, settings: Settings) -> None:
        """Load nothing yet."""
        self.id = engine_id()
        self._faces = CascadeFaces(settings)

    def knows(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return kind_of(query) == PERSON or self._faces.knows(query)

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """See `PeopleEngine`."""
        if kind_of(query) != PERSON:
            return self._faces.find(query, shots)
        step = min(_STEP, max(_FINEST, _STEP * sum(shot.span.length for shot in shots) / CLOSE))
        return people_among(query, [_in_shot(shot, step) for shot in shots])


def _in_shot(shot: Footage, step: float) -> Followed:
    looks = [
        (time, [each for each in detect(frame.bgr(_LONG_SIDE)) if each.name == PERSON])
        for time, frame in shot.frames(step)
    ]
    return Followed([time for time, _ in looks], follow(looks, HIDDEN))
