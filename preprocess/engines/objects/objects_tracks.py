"""Following things through a stretch of frames, so that each is counted once however often it is seen.

Found things are given to the tracks nearest to them, which are expected to go on as they went (greedy nearest
neighbours with constant velocity; see Bewley et al. 2016 for the idea, SORT).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from statistics import median

from longtake.preprocess.engines.objects.object_engine import Box, FoundObject

_GAP = 1.0  # seconds for which a thing may be lost; or a few looks, where these lie far apart
_LOOKS = 2.5
_REACH = 1.0  # of its own diagonal by which a thing may miss its expected place
_FIRST_REACH = 2.0  # while it has been seen only once, and its speed is unknown
_MERGED = 1.3  # how much larger than each of two things is what hides both
_INERTIA = 0.6  # of the speed so far in the new one
_TRAVELLED = 0.5  # of its own diagonal that a thing has to cover to be moving

Velocity = tuple[float, float]
Sighting = tuple[float, FoundObject]


@dataclass
class Track:
    """One thing and where it was seen, in order of time; times are seconds, speeds shares of the picture a second."""

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
        """Its colour where it was seen largest; empty where the engine names none."""
        return max(self.sightings, key=lambda sighting: _area(sighting[1].box))[1].colour

    @property
    def confidence(self) -> float:
        """The engine's confidence in the middle of its sightings: one lucky or bad look changes little."""
        return round(median(found.confidence for _, found in self.sightings), 3)

    @property
    def diagonal(self) -> float:
        """Its usual size, as a share of the picture."""
        return median(_diagonal(found) for _, found in self.sightings)

    @property
    def way(self) -> tuple[float, float]:
        """How far it came from where it was first seen, across and down, as shares of the picture."""
        (x, y), (to_x, to_y) = self.sightings[0][1].middle, self.sightings[-1][1].middle
        return to_x - x, to_y - y

    @property
    def travelled(self) -> bool:
        """Whether it has been anywhere but where it was first seen."""
        x, y = self.sightings[0][1].middle
        farthest = max(hypot(found.middle[0] - x, found.middle[1] - y) for _, found in self.sightings)
        return farthest >= _TRAVELLED * self.diagonal

    def nearest(self, time: float) -> Sighting:
        """The sighting nearest to a time."""
        return min(self.sightings, key=lambda sighting: abs(sighting[0] - time))

    def expected(self, time: float) -> tuple[float, float]:
        """Where its middle should be, as shares of the picture."""
        x, y = self.sightings[-1][1].middle
        passed = time - self.end
        return x + passed * self.velocity[0], y + passed * self.velocity[1]

    def miss(self, time: float, found: FoundObject) -> float:
        """How far something lies from where this should be, 1 at the farthest that is accepted."""
        (x, y), (to_x, to_y) = self.expected(time), found.middle
        reach = _FIRST_REACH if len(self.sightings) == 1 else _REACH
        return hypot(to_x - x, to_y - y) / max(1e-6, reach * max(_diagonal(found), _diagonal(self.sightings[-1][1])))

    def add(self, time: float, found: FoundObject) -> None:
        """Take a sighting."""
        passed = time - self.end
        if passed > 0:
            now = [(to - was) / passed for was, to in zip(self.sightings[-1][1].middle, found.middle, strict=True)]
            inertia = _INERTIA if len(self.sightings) > 1 else 0.0
            x, y = (inertia * old + (1 - inertia) * new for old, new in zip(self.velocity, now, strict=True))
            self.velocity = x, y
        self.sightings.append((time, found))
        self.last = time


def follow(looks: Iterable[tuple[float, Sequence[FoundObject]]]) -> list[Track]:
    """The different things in a stretch of frames, given as times and what was found at them, by their first sight.

    Something large where two things are expected hides both; they go on unseen until they part.
    """
    tracks: list[Track] = []
    alive: list[Track] = []
    times: list[float] = []
    for time, found in looks:
        times.append(time)
        gap = max(_GAP, _LOOKS * median(late - early for early, late in pairwise(times[-20:]))) if times[1:] else _GAP
        alive = [track for track in alive if time - track.last <= gap]
        rest = [each for each in found if not _hides_several(each, alive, time)]
        rest = _matched(rest, alive, time)
        new = [Track([(time, each)], time) for each in rest]
        tracks += new
        alive += new
    return tracks


def _matched(found: list[FoundObject], alive: list[Track], time: float) -> list[FoundObject]:
    """Give each found thing to the nearest track of its name; what is left is new."""
    pairs = [
        (track.miss(time, each), number, place)
        for number, track in enumerate(alive)
        for place, each in enumerate(found)
        if track.last < time and track.sightings[-1][1].name == each.name
    ]
    taken: set[int] = set()
    given: set[int] = set()
    for miss, number, place in sorted(pairs):
        if miss <= 1 and number not in taken and place not in given:
            alive[number].add(time, found[place])
            taken.add(number)
            given.add(place)
    return [each for place, each in enumerate(found) if place not in given]


def _hides_several(found: FoundObject, alive: Sequence[Track], time: float) -> bool:
    """Whether a found thing is two or more known ones, one before the other; these are then marked as hidden."""
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
