"""Tracks things through successive frames, so that each is counted once however often it is seen.

Each detection goes to the nearest track, predicted at constant velocity (greedy nearest neighbours; the idea is that of
SORT, Bewley et al. 2016).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from statistics import median

from longtake.preprocess.engines.objects.object_engine import Box, FoundObject

HIDDEN = 3.0  # seconds for which people, or things found by name, may be hidden
_GAP = 1.0  # seconds for which a thing may be lost, unless a caller says otherwise
_LOOKS = 2.5  # the same in looks, if these are far apart
_REACH = 1.0  # share of its own diagonal by which a thing may miss its predicted place
_FIRST_REACH = 2.0  # the same after one sighting, when its speed is unknown
_MERGED = 1.3  # how many times larger a detection is than each of the things it hides
_INERTIA = 0.6  # weight of the old speed in the new one
_TRAVELLED = 0.5  # share of its own diagonal that a thing must travel to count as moving

Velocity = tuple[float, float]
Sighting = tuple[float, FoundObject]


@dataclass
class Track:
    """One thing and its sightings in time order; times are in seconds, speeds in picture sizes per second."""

    sightings: list[Sighting]
    last: float = 0.0  # when it was last seen or known to be hidden
    velocity: Velocity = field(default=(0.0, 0.0))

    @property
    def start(self) -> float:
        """When it was first seen."""
        return self.sightings[0][0]

    @property
    def end(self) -> float:
        """When it was last seen."""
        return self.sightings[-1][0]

    @property
    def colour(self) -> str:
        """Its colour in its largest sighting; empty if the engine names none."""
        return max(self.sightings, key=lambda sighting: _area(sighting[1].box))[1].colour

    @property
    def confidence(self) -> float:
        """The engine's median confidence over its sightings, so that outliers matter little."""
        return round(median(found.confidence for _, found in self.sightings), 3)

    @property
    def diagonal(self) -> float:
        """Its median size, as a fraction of the picture."""
        return median(_diagonal(found) for _, found in self.sightings)

    @property
    def way(self) -> tuple[float, float]:
        """Its displacement from the first sighting to the last, across and down, as fractions of the picture."""
        (x, y), (to_x, to_y) = self.sightings[0][1].middle, self.sightings[-1][1].middle
        return to_x - x, to_y - y

    @property
    def travelled(self) -> bool:
        """Whether it has moved away from where it was first seen."""
        x, y = self.sightings[0][1].middle
        farthest = max(hypot(found.middle[0] - x, found.middle[1] - y) for _, found in self.sightings)
        return farthest >= _TRAVELLED * self.diagonal

    def nearest(self, time: float) -> Sighting:
        """The sighting nearest to a time."""
        return min(self.sightings, key=lambda sighting: abs(sighting[0] - time))

    def expected(self, time: float) -> tuple[float, float]:
        """The predicted place of its middle, as fractions of the picture."""
        x, y = self.sightings[-1][1].middle
        passed = time - self.end
        return x + passed * self.velocity[0], y + passed * self.velocity[1]

    def miss(self, time: float, found: FoundObject) -> float:
        """The distance of a detection from the predicted place; 1 is the largest accepted."""
        (x, y), (to_x, to_y) = self.expected(time), found.middle
        reach = _FIRST_REACH if len(self.sightings) == 1 else _REACH
        return hypot(to_x - x, to_y - y) / max(1e-6, reach * max(_diagonal(found), _diagonal(self.sightings[-1][1])))

    def add(self, time: float, found: FoundObject) -> None:
        """Add a sighting."""
        passed = time - self.end
        if passed > 0:
            now = [(to - was) / passed for was, to in zip(self.sightings[-1][1].middle, found.middle, strict=True)]
            inertia = _INERTIA if len(self.sightings) > 1 else 0.0
            x, y = (inertia * old + (1 - inertia) * new for old, new in zip(self.velocity, now, strict=True))
            self.velocity = x, y
        self.sightings.append((time, found))
        self.last = time


def follow(looks: Iterable[tuple[float, Sequence[FoundObject]]], gap: float = _GAP) -> list[Track]:
    """The distinct things in successive looks (times and detections), ordered by first sighting.

    A large detection where two things are expected hides both; their tracks continue until they separate. A thing may
    be lost for `gap` seconds.
    """
    tracks: list[Track] = []
    alive: list[Track] = []
    times: list[float] = []
    for time, found in looks:
        times.append(time)
        steps = [late - early for early, late in pairwise(times[-20:])]
        longest = max(gap, _LOOKS * median(steps)) if steps else gap
        alive = [track for track in alive if time - track.last <= longest]
        rest = [each for each in found if not _hides_several(each, alive, time)]
        rest = _matched(rest, alive, time)
        new = [Track([(time, each)], time) for each in rest]
        tracks += new
        alive += new
    return tracks


def _matched(found: list[FoundObject], alive: list[Track], time: float) -> list[FoundObject]:
    """Assign each detection to the nearest track of the same name; returns the rest, which are new."""
    pairs = [
        (track.miss(time, each), number, place)
        for number, track in enumerate(alive)
        for place, each in enumerate(found)
        if track.last < time and track.sightings[-1][1].name == each.name
    ]
    matched_tracks: set[int] = set()
    matched: set[int] = set()
    for miss, number, place in sorted(pairs):
        if miss <= 1 and number not in matched_tracks and place not in matched:
            alive[number].add(time, found[place])
            matched_tracks.add(number)
            matched.add(place)
    return [each for place, each in enumerate(found) if place not in matched]


def _hides_several(found: FoundObject, alive: Sequence[Track], time: float) -> bool:
    """Whether a detection covers two or more known things, one behind the other; if so, marks them as hidden."""
    left, top, width, height = found.box
    inside = []
    for track in alive:
        x, y = track.expected(time)
        known = len(track.sightings) > 2 and track.sightings[-1][1].name == found.name
        if known and left <= x <= left + width and top <= y <= top + height:
            inside.append(track)
    if len(inside) < 2 or any(_MERGED * _area(track.sightings[-1][1].box) > width * height for track in inside):
        return False
    for track in inside:
        track.last = time
    return True


def _diagonal(found: FoundObject) -> float:
    return hypot(found.box[2], found.box[3])


def _area(box: Box) -> float:
    return box[2] * box[3]
