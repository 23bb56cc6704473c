"""Finds passing objects: something small that moves straight and evenly through the picture and disappears.

Tracks are built from points alone. Three evenly spaced spots in successive frames start one. It takes the spots where
it leads, and it counts if it is long and fits a straight, even motion better than chance or the edges of something
large would (compare Primet and Moisan, "Point tracking: an a contrario approach", 2012). So other motion elsewhere in
the picture doesn't matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.novelty import Spot

MAX_SIDE = 24  # pixels of a small picture; the longer side of a spot
_MIN_SPEED, _MAX_SPEED = 1.5, 48.0  # pixels per frame
_UNEVEN, _UNEVEN_SHARE = 1.5, 0.1  # pixels, and share of a step, by which a spot may miss its predicted place
_COURSE = 6  # spots at the end of a track that predict the next
_MISSED = 5  # frames in which it may be hidden
_MAX_FREE = 6  # strongest spots of a frame, which may start tracks
_MIN_SPOTS = 5  # spots
_MIN_PATH = 40.0  # pixels, a quarter of the width
_OFF_COURSE = 0.01  # share of the path by which the spots may miss a straight, even motion
_MAX_SECONDS = 2.0
_ALIKE, _ALIKE_SHARE = 1.0, 0.1  # pixels per frame, and share of the step, by which things moving together may differ


class _Free(NamedTuple):
    """The spots of a frame without a track."""

    time: float
    spots: list[Spot]


@dataclass(slots=True)
class Track:
    """The sightings of an object: frame numbers, times in seconds, and spots."""

    numbers: list[int]
    times: list[float]
    spots: list[Spot]

    def add(self, number: int, time: float, spot: Spot) -> None:
        """Add a sighting."""
        self.numbers.append(number)
        self.times.append(time)
        self.spots.append(spot)

    def leads_to(self, number: int) -> tuple[complex, float]:
        """The predicted place in frame `number`, and the tolerance in pixels."""
        since, last = max(0, len(self.spots) - _COURSE), self.spots[-1].centre
        step = (last - self.spots[since].centre) / (self.numbers[-1] - self.numbers[since])
        return last + step * (number - self.numbers[-1]), _UNEVEN + _UNEVEN_SHARE * abs(step)

    @property
    def step(self) -> complex:
        """Its motion in pixels per frame."""
        return (self.spots[-1].centre - self.spots[0].centre) / (self.numbers[-1] - self.numbers[0])

    def moves_with(self, other: Track) -> bool:
        """Whether the two move alike for a while, like parts of something large, or like everything during a pan."""
        at_once = other.numbers[0] < self.numbers[-1] and self.numbers[0] < other.numbers[-1]
        return at_once and abs(self.step - other.step) <= _ALIKE + _ALIKE_SHARE * abs(self.step)

    def is_passage(self) -> bool:
        """Whether it moved straight and evenly, far enough, and briefly."""
        if len(self.spots) < _MIN_SPOTS or self.times[-1] - self.times[0] > _MAX_SECONDS:
            return False
        path = abs(self.spots[-1].centre - self.spots[0].centre)
        if path < _MIN_PATH:
            return False
        places = np.array([spot.centre for spot in self.spots])
        course = np.column_stack([self.numbers, np.ones(len(places))])
        missed = places - course @ np.linalg.lstsq(course, places, rcond=None)[0]
        return bool(np.linalg.norm(missed) <= _OFF_COURSE * path * (len(places) - 2) ** 0.5)


class Passages:
    """Links the new spots of successive frames to tracks."""

    def __init__(self) -> None:
        self._number = 0
        self._tracks: list[Track] = []
        self._over: deque[Track] = deque(maxlen=64)
        self._before: deque[_Free] = deque(maxlen=2)  # the two frames before

    def observe(self, time: float, spots: Sequence[Spot]) -> list[Track]:
        """Process the new spots of the next frame; returns newly confirmed passages."""
        self._number += 1
        free = {spot.centre: spot for spot in spots}
        self._extend(time, free)
        strongest = sorted(free.values(), key=lambda spot: -spot.strength)[:_MAX_FREE]
        self._begin(_Free(time, strongest))
        over = [track for track in self._tracks if self._number - track.numbers[-1] > _MISSED]
        if over:
            self._tracks = [track for track in self._tracks if self._number - track.numbers[-1] <= _MISSED]
        return self._passages(over)

    def finish(self) -> list[Track]:
        """Passages that were open when the video ended."""
        return self._passages(self._tracks)

    def _passages(self, over: list[Track]) -> list[Track]:
        """The tracks that are passages and that nothing else moves with."""
        self._over.extend(track for track in over if len(track.spots) >= _MIN_SPOTS)
        passages = [track for track in over if track.is_passage()]
        if not passages:
            return []
        others = [*self._over, *(track for track in self._tracks if len(track.spots) >= _MIN_SPOTS)]
        return [each for each in passages if not any(each.moves_with(other) for other in others if other is not each)]

    def _extend(self, time: float, free: dict[complex, Spot]) -> None:
        """Give each track, longest first, the spot nearest to its predicted place; the others stay free."""
        for track in sorted(self._tracks, key=lambda each: -len(each.spots)):
            if not free:
                return
            place, allowed = track.leads_to(self._number)
            nearest = min(free, key=lambda each: abs(each - place))
            if abs(nearest - place) <= allowed:
                track.add(self._number, time, free.pop(nearest))

    def _begin(self, free: _Free) -> None:
        """Start tracks from all evenly spaced free spots of three frames."""
        seen = [*self._before, free]
        self._before.append(free)
        if len(seen) < 3 or not all(each.spots for each in seen):
            return
        places: list[npt.NDArray[np.complex128]] = [np.array([spot.centre for spot in each.spots]) for each in seen]
        one, two, three = places
        steps = two - one[:, None]
        lengths = np.abs(steps)
        pairs = np.nonzero((lengths >= _MIN_SPEED) & (lengths <= _MAX_SPEED))
        missed = three - (two[pairs[1]] + steps[pairs])[:, None]
        allowed = _UNEVEN + _UNEVEN_SHARE * lengths[pairs]
        even, ends = np.nonzero(missed.real**2 + missed.imag**2 <= allowed[:, None] ** 2)
        for chosen in zip(pairs[0][even], pairs[1][even], ends, strict=True):
            spots = [each.spots[at] for each, at in zip(seen, chosen, strict=True)]
            numbers = [self._number - 2, self._number - 1, self._number]
            self._tracks.append(Track(numbers, [each.time for each in seen], spots))
