"""Passing objects: something small comes, moves evenly through a quiet part of the picture, and is gone."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import dist

import numpy as np

from longtake.preprocess.novelty import Spot

_MOST_SECONDS = 2.0
_FEWEST = 3  # frames
_LEAST_PATH = 12.0  # pixels of a small picture
_LARGEST_AREA = 1440  # pixels, a tenth of the picture
_FIRST_STEP = 48.0  # pixels between the first two frames
_OFF_COURSE = 0.5  # of the last step, by which the next may miss where it would lead
_STRAIGHT = 0.06  # of the path, by which the places may miss a straight, even motion
_MISSED = 2  # frames in which it may be unseen
_QUIET_FRAMES = 12  # before and after
_MARGIN = 8  # pixels around the path
_OTHERS = 0.25  # other new spots near the path, for each of its own

_Place = tuple[float, float]


@dataclass(slots=True)
class Track:
    """Where a spot was seen: frame numbers, times, and the spots themselves."""

    numbers: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)

    def add(self, number: int, time: float, spot: Spot) -> None:
        """The spot was seen once more."""
        self.numbers.append(number)
        self.times.append(time)
        self.spots.append(spot)

    def misses(self, number: int, spot: Spot) -> float | None:
        """Pixels between a spot and where it should be in frame `number`; None when it is too far off."""
        place, frames = self.spots[-1].centre, number - self.numbers[-1]
        if len(self.spots) == 1:
            missed = dist(place, spot.centre)
            return missed if missed <= _FIRST_STEP * frames else None
        earlier = self.spots[-2].centre
        step = [(a - b) / (self.numbers[-1] - self.numbers[-2]) for a, b in zip(place, earlier, strict=True)]
        missed = dist([a + b * frames for a, b in zip(place, step, strict=True)], spot.centre)
        return missed if missed <= 3.0 + _OFF_COURSE * frames * dist(place, earlier) else None

    def is_passage(self) -> bool:
        """Whether it moved straight and evenly, far enough, and briefly."""
        if len(self.spots) < _FEWEST or self.times[-1] - self.times[0] > _MOST_SECONDS:
            return False
        places = np.array([spot.centre for spot in self.spots])
        numbers = np.array(self.numbers, dtype=np.float64)
        path = float(np.linalg.norm(places[-1] - places[0]))
        if path < max(_LEAST_PATH, 1.5 * max(max(s.right - s.left, s.bottom - s.top) for s in self.spots)):
            return False
        course = np.column_stack([numbers - numbers[0], np.ones(len(numbers))])
        fitted = course @ np.linalg.lstsq(course, places, rcond=None)[0]
        return float(np.sqrt(((places - fitted) ** 2).sum(axis=1).mean())) <= max(1.5, _STRAIGHT * path)


class Passages:
    """Links the new spots of successive frames into tracks."""

    def __init__(self) -> None:
        self._number = 0
        self._tracks: list[Track] = []
        self._seen: deque[tuple[int, Spot]] = deque()

    def see(self, time: float, spots: Sequence[Spot]) -> list[Track]:
        """Look at the new spots of the next frame; the tracks that it makes certain."""
        self._number += 1
        for spot in spots:
            self._seen.append((self._number, spot))
            if spot.area <= _LARGEST_AREA:
                self._link(time, spot)
        over = [track for track in self._tracks if self._number - track.numbers[-1] > _QUIET_FRAMES]
        self._tracks = [track for track in self._tracks if self._number - track.numbers[-1] <= _QUIET_FRAMES]
        found = [track for track in over if track.is_passage() and self._is_alone(track)]
        oldest = min((track.numbers[0] for track in self._tracks), default=self._number) - _QUIET_FRAMES
        while self._seen and self._seen[0][0] < oldest:
            self._seen.popleft()
        return found

    def finish(self) -> list[Track]:
        """Tracks that had ended when the video did."""
        over = [track for track in self._tracks if self._number - track.numbers[-1] > _MISSED]
        return [track for track in over if track.is_passage() and self._is_alone(track)]

    def _link(self, time: float, spot: Spot) -> None:
        """Give the spot to the track that it misses least, or let it begin one."""
        misses = []
        for track in self._tracks:
            if 0 < self._number - track.numbers[-1] <= _MISSED + 1:
                missed = track.misses(self._number, spot)
                if missed is not None:
                    misses.append((len(track.spots) == 1, missed, track))
        track = min(misses, key=lambda each: each[:2])[2] if misses else Track()
        if not misses:
            self._tracks.append(track)
        track.add(self._number, time, spot)

    def _is_alone(self, track: Track) -> bool:
        """Whether hardly anything else is new near its path, shortly before, during and after it."""
        left = min(spot.left for spot in track.spots) - _MARGIN
        top = min(spot.top for spot in track.spots) - _MARGIN
        right = max(spot.right for spot in track.spots) + _MARGIN
        bottom = max(spot.bottom for spot in track.spots) + _MARGIN
        first, last = track.numbers[0] - _QUIET_FRAMES, track.numbers[-1] + _QUIET_FRAMES
        others = sum(
            first <= number <= last
            and spot.left < right
            and spot.right > left
            and spot.top < bottom
            and spot.bottom > top
            for number, spot in self._seen
        )
        return others - len(track.spots) <= _OTHERS * len(track.spots)
