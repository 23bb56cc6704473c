"""Finds shots: where one camera take ends and the next begins, and how."""

from __future__ import annotations

from typing import Any

from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.frames import Frame
from longtake.preprocess.transitions.transition_finder import Boundary, TransitionFinder

_RANKS = ("cut", "dissolve", "fade")  # a dissolve may contain sudden changes, and a fade looks like a dissolve
_SETTLED = 5.0  # seconds after which a boundary no longer changes


class ShotBoundaries:
    """Follows the open shot. It must see each frame before the observers that ask when the open shot started.

    Items are {start, end, transition}, where the transition is how the shot begins: start, cut, dissolve or fade. A
    gradual one has `transition_start` and `transition_end`, and the shot starts in between.
    """

    def __init__(self, finder: TransitionFinder, min_shot_seconds: float) -> None:
        self.found = ObservedItems()
        self._finder = finder
        self._shortest = min_shot_seconds
        self._boundaries: list[Boundary] = []  # of shots not written yet, in order

    @property
    def start(self) -> float | None:
        """Start of the open shot. It is known late, and moves if a cut turns out to be part of a gradual transition."""
        return self._boundaries[-1].time if self._boundaries else None

    @property
    def changed_at(self) -> float:
        """Time of the latest sudden change, known immediately: a cut that will open a shot, or a flash."""
        return self._finder.suspected

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        if not self._boundaries:
            self._boundaries = [Boundary(frame.time, "start")]
        for boundary in self._finder.observe(frame):
            self._add(boundary)
        while len(self._boundaries) > 1 and self._boundaries[1].time < frame.time - _SETTLED:
            self._write(self._boundaries.pop(0), self._boundaries[0].time)

    def finish(self, end: float) -> None:
        """Close the last shots; there are none without a frame."""
        if not self._boundaries:
            return
        for boundary in self._finder.finish():
            self._add(boundary)
        ends = [boundary.time for boundary in self._boundaries[1:]] + [end]
        for boundary, until in zip(self._boundaries, ends, strict=True):
            self._write(boundary, until)

    def _add(self, boundary: Boundary) -> None:
        """Keep a boundary. Of several for one transition, keep a fade, else a dissolve, else the first."""
        first, *others = self._boundaries
        near = [other for other in others if other.near(boundary, self._shortest)]
        rank = _RANKS.index(boundary.transition)
        if first.near(boundary, self._shortest) or any(_RANKS.index(other.transition) >= rank for other in near):
            return
        kept = [other for other in others if other not in near]
        self._boundaries = [first, *sorted([*kept, boundary], key=lambda each: each.time)]

    def _write(self, boundary: Boundary, end: float) -> None:
        shot: dict[str, Any] = {"start": round(boundary.time, 3), "end": round(end, 3)}
        shot["transition"] = boundary.transition
        if boundary.gradual:
            shot["transition_start"] = round(boundary.gradual.start, 3)
            shot["transition_end"] = round(boundary.gradual.end, 3)
        self.found.items.append(shot)
