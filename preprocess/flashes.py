"""Flashes: for a moment the picture, or a part of it, shows something else, and then what it showed before."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from statistics import fmean

import cv2

from longtake.preprocess.changes import Look
from longtake.preprocess.frames import Picture
from longtake.preprocess.novelty import BRIEF, Novelty, Spot

_LEAST_AREA = 100  # pixels of a small picture, 0.7 %
_STANDS_OUT = 2.0  # times the area of all that is new in any frame shortly before and after
_FILLED = 0.4  # of the flash's box; the edges of something that shakes fill less
_SUDDEN = 0.5  # of the greatest area and of the strength, which a flash has in its first and in its last frame
_SAME_PLACE = 0.3  # of the area of both boxes together
_RETURNED = 0.5  # of the flash's strength, by which the pictures before and after it may differ
_AROUND = 10  # frames


@dataclass(slots=True)
class Flash:
    """A flash while it is followed: the picture before it, how much was new at its start, and its spot in each frame.

    `gone` counts the frames since its end.
    """

    start: float
    end: float
    before: Picture
    area: int
    spots: list[Spot] = field(default_factory=list)
    gone: int = 0

    @property
    def largest(self) -> Spot:
        """Its spot in the frame where it covers most."""
        return max(self.spots, key=lambda spot: spot.area)

    @property
    def strength(self) -> float:
        """Mean levels by which it stands out."""
        return fmean(spot.strength for spot in self.spots)

    def is_brief(self, last: Picture, after: Picture) -> bool:
        """Whether it came at once and went at once, from its last picture to the one after, and left it as it was."""
        if len(self.spots) > BRIEF:
            return False
        returned = _distance(self.before, after, self.largest) <= _RETURNED * self.strength
        return returned and _jumps(last, after, self.spots[-1])


class Flashes:
    """Follows the largest new spot of frames in which suddenly much is new."""

    def __init__(self) -> None:
        self._areas: deque[int] = deque([0], maxlen=_AROUND)  # of what is new in the frames before
        self._open: Flash | None = None

    def see(self, before: Picture, look: Look, new: Novelty) -> Flash | None:
        """Look at a frame, the picture before it and what is new in it; the flash that it makes certain."""
        found = self._follow(before, look, new) if self._open else None
        if self._open is None:
            least = max(_LEAST_AREA, _STANDS_OUT * max(self._areas))
            largest = new.largest() if new.area >= least else None
            if largest and largest.filled >= _FILLED and _jumps(before, look.luma, largest):
                self._open = Flash(look.time, look.time, before, new.area, [largest])
            else:
                self._areas.append(new.area)
        return found

    def finish(self) -> Flash | None:
        """The flash that had ended when the video did."""
        return self._open if self._open and self._open.gone else None

    def _follow(self, before: Picture, look: Look, new: Novelty) -> Flash | None:
        """Go on with the open flash; the flash, once it is over and nothing like it follows."""
        flash = self._open
        assert flash is not None
        if not flash.gone and new.area >= _SUDDEN * flash.area:
            largest = new.largest()
            if largest.overlap(flash.spots[-1]) >= _SAME_PLACE:
                flash.spots.append(largest)
                return None
        if not flash.gone:
            flash.end = look.time
        flash.gone += 1
        if (flash.gone == 1 and not flash.is_brief(before, look.luma)) or new.area * _STANDS_OUT > flash.area:
            # It is motion after all, of which there may be more.
            self._areas.append(flash.area)
            self._open = None
            return None
        if flash.gone < _AROUND:
            return None
        self._open = None
        return flash


def _jumps(before: Picture, after: Picture, spot: Spot) -> bool:
    """Whether most of what is new came, or went, between two frames."""
    return _distance(before, after, spot) >= _SUDDEN * spot.strength * spot.filled


def _distance(one: Picture, other: Picture, spot: Spot) -> float:
    """Mean levels by which two pictures differ in the box of a spot."""
    place = slice(spot.top, spot.bottom), slice(spot.left, spot.right)
    return cv2.mean(cv2.absdiff(one[place], other[place]))[0]
