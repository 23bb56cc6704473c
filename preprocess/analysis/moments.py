"""Finds moments: brief events that one look per second would miss, such as flashes and small passing objects.

A flash: for a moment the picture, or part of it, shows something else, then returns. Each frame is compared with the
one before it, tile by tile. A flash is two jumps a few frames apart in the same tiles that stand out among the changes
around them, where the second undoes the first. So nearby cuts, motion and the picture of some seconds ago don't matter.

A passing object: something small that moves straight and evenly through the picture and disappears. Tracks are built
from points alone. Three evenly spaced spots in successive frames start one. It takes the spots where it leads, and it
counts if it is long and fits a straight, even motion better than chance or the edges of something large would (compare
Primet and Moisan, "Point tracking: an a contrario approach", 2012). So other motion elsewhere in the picture doesn't
matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.changes import Changes, Look
from longtake.preprocess.analysis.novelty import REACH, Novelty, Spot, novelty
from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.frames import SMALL, Frame, Picture

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
_BRIEF = 12  # frames that a flash may last
_AROUND = 10  # frames on each side of a jump, among which it must stand out
_TILES = (SMALL[0] // 10, SMALL[1] // 10)  # columns and rows
_JUMP = 10.0  # mean levels in a tile
_MIN_TILES = 3
_MIN_CHANGE = _JUMP * _MIN_TILES / (_TILES[0] * _TILES[1])  # the resulting mean levels in the whole picture
_AS_LARGE = 0.5  # share of a jump; changes of that size count as jumps too
_MAX_JUMPS = 4  # in a tile among the frames around: itself, the one that undoes it, and a cut on either side
_SMOOTH = 7  # pixels per side; blurs fine detail that moves meanwhile, so that it doesn't hide the return
_NEW = 20  # levels by which a flash differs from the pictures before and after it
_RETURNED = 0.5  # share of these levels by which the pictures before and after it may differ
_MIN_AREA, _LARGE, _VAST = 100, 300, 2400  # pixels of a small picture, 0.7, 2 and 17 %
_FILLED = 0.45  # share of the flash's box; the edges of something that shakes fill less
_BESIDE_SMALL, _BESIDE_LARGE = 0.05, 0.3  # share of the strength by which surroundings may change; no limit when vast

_Tiles = npt.NDArray[np.float32]
_Jump = npt.NDArray[np.bool_]
_STILL: _Tiles = np.zeros(_TILES[::-1], np.float32)
_BUSY, _MAX_SPOTS = 1000, 20  # new pixels and spots; with more, everything moves, and nothing small is tracked
_JOIN = 2  # pixels; new pixels up to twice this apart are one spot
_Item = dict[str, object]


class Moments:
    """Finds flashes and small passing objects, a few frames late.

    Items are {start, end, kind, strength, box}: the kind is flash or object; the strength is the mean levels of
    brightness by which it stands out; the box is left, top, width and height as fractions of the picture.
    """

    def __init__(self, changes: Changes) -> None:
        self.found = ObservedItems()
        self._changes = changes
        self._flashes = Flashes()
        self._passages = Passages()

    def observe(self, frame: Frame) -> None:
        """Process the next frame."""
        recent = self._changes.recent
        if flash := self._flashes.observe(recent):
            self._keep([flash], [])
        if len(recent) > 2 * REACH:
            at = len(recent) - 1 - REACH
            if tracks := self._passages.observe(recent[at].time, _small_spots(recent, at)):
                self._keep([], tracks)

    def finish(self, end: float) -> None:
        """Report what is still open after the last frame."""
        self._keep(self._flashes.finish(self._changes.recent), self._passages.finish())

    def _keep(self, flashes: Iterable[Flash], tracks: Iterable[SpotTrack]) -> None:
        items = [_item(flash.start, flash.end, "flash", flash.spot.strength, [flash.spot]) for flash in flashes]
        self.found.items.extend(items + [_passage(track) for track in tracks])


def _small_spots(looks: Sequence[Look], at: int) -> list[Spot]:
    new = novelty(looks, at)
    return new.spots(_JOIN, MAX_SIDE, _MAX_SPOTS) if new and new.area <= _BUSY else []


def _passage(track: SpotTrack) -> _Item:
    strength = sum(spot.strength for spot in track.spots) / len(track.spots)
    step = (track.times[-1] - track.times[0]) / (track.numbers[-1] - track.numbers[0])
    return _item(track.times[0], track.times[-1] + step, "object", strength, track.spots)


def _item(start: float, end: float, kind: str, strength: float, spots: list[Spot]) -> _Item:
    width, height = SMALL
    left, top = min(spot.left for spot in spots), min(spot.top for spot in spots)
    right, bottom = max(spot.right for spot in spots), max(spot.bottom for spot in spots)
    box = left / width, top / height, (right - left) / width, (bottom - top) / height
    return {
        "start": round(start, 3),
        "end": round(end, 3),
        "kind": kind,
        "strength": round(strength, 1),
        "box": [round(side, 3) for side in box],
    }


class Flash(NamedTuple):
    """A flash: its start, the time of the frame after it, both in seconds, and its place."""

    start: float
    end: float
    spot: Spot


class Flashes:
    """Finds pairs of jumps, once the frames after the second are known."""

    def __init__(self) -> None:
        self._around = np.zeros((2 * _AROUND + 1, *_STILL.shape), np.float32)  # ring buffer of the latest changes
        self._number = 0
        self._jumps: deque[_Jump | None] = deque(maxlen=_BRIEF + 1)  # tiles, up to the middle of the ring buffer
        self._since = 0  # frames from the last flash, or from the beginning, to there

    def observe(self, looks: Sequence[Look]) -> Flash | None:
        """Process the last look; returns a newly confirmed flash."""
        moved = len(looks) > 1 and looks[-1].change >= _MIN_CHANGE
        return self._add(_change(looks[-2].luma, looks[-1].luma) if moved else _STILL, looks, _AROUND)

    def finish(self, looks: Sequence[Look]) -> list[Flash]:
        """The flashes in the last frames, decided without the frames that would follow."""
        found = (self._add(_STILL, looks, later) for later in reversed(range(_AROUND)))
        return [flash for flash in found if flash]

    def _add(self, change: _Tiles, looks: Sequence[Look], later: int) -> Flash | None:
        """Add a change to the buffer; returns the flash that ends at its middle, `later` looks before the last."""
        self._around[self._number % len(self._around)] = change
        jump = self._jump(self._around[(self._number - _AROUND) % len(self._around)])
        self._number += 1
        if self._number <= _AROUND:
            return None
        self._jumps.append(jump)
        self._since += 1
        if jump is None:
            return None
        at = len(looks) - 1 - later
        for frames in range(1, min(self._since, len(self._jumps))):
            earlier = self._jumps[-1 - frames]
            if earlier is None or np.count_nonzero(earlier & jump) < _MIN_TILES:
                continue
            first, middle = at - frames, at - (frames + 1) // 2
            spot = _flash(*(looks[each].luma for each in (first - 1, first, middle, at - 1, at)))
            if spot:
                self._since = 0
                return Flash(looks[at - frames].time, looks[at].time, spot)
        return None

    def _jump(self, change: _Tiles) -> _Jump | None:
        """The tiles in which a change jumps and stands out; None if there are too few."""
        jump = change >= _JUMP
        if np.count_nonzero(jump) < _MIN_TILES:
            return None
        return np.asarray(jump & ((self._around >= _AS_LARGE * change).sum(axis=0) <= _MAX_JUMPS), np.bool_)


def _change(before: Picture, after: Picture) -> _Tiles:
    return np.asarray(cv2.resize(cv2.absdiff(before, after), _TILES, interpolation=cv2.INTER_AREA), np.float32)


def _flash(*pictures: Picture) -> Spot | None:
    """Where the second to the fourth of five pictures differ from the first and from the last, which are alike."""
    before, first, middle, last, after = (cv2.blur(picture, (_SMOOTH, _SMOOTH)) for picture in pictures)
    came, went = cv2.absdiff(before, first), cv2.absdiff(last, after)
    excess = cv2.min(cv2.min(came, went), cv2.absdiff(before, middle))
    # Subtraction saturates at zero, so pixels that didn't return drop out.
    returned = cv2.addWeighted(excess, _RETURNED, cv2.absdiff(before, after), -1.0, 0.0)
    new = Novelty(np.asarray(cv2.copyTo(excess, returned), np.uint8), _NEW)
    if new.area < _MIN_AREA:
        return None
    spot = max(new.spots(1), key=lambda each: each.area)
    if spot.area < _MIN_AREA or spot.filled < _FILLED:
        return None
    beside = max(_beside(came, spot), _beside(went, spot)) / spot.strength
    if spot.area < _VAST and beside > (_BESIDE_LARGE if spot.area >= _LARGE else _BESIDE_SMALL):
        return None
    return _sharpened(spot, np.asarray(excess, np.uint8))


def _beside(change: cv2.typing.MatLike, spot: Spot) -> float:
    """Mean levels of change around a spot's box, within half its size."""
    width, height = spot.right - spot.left, spot.bottom - spot.top
    rows = slice(max(0, spot.top - height // 2), spot.bottom + height // 2)
    columns = slice(max(0, spot.left - width // 2), spot.right + width // 2)
    near, inside = change[rows, columns], change[spot.top : spot.bottom, spot.left : spot.right]
    outside = cv2.sumElems(near)[0] - cv2.sumElems(inside)[0]
    return float(outside / max(1, near.size - inside.size))


def _sharpened(spot: Spot, excess: Picture) -> Spot:
    """The spot with its box at half strength, which undoes the smoothing at a flash's edges."""
    inside = excess[spot.top : spot.bottom, spot.left : spot.right]
    left, top, width, height = cv2.boundingRect(cv2.threshold(inside, spot.strength / 2, 1, cv2.THRESH_BINARY)[1])
    left, top = spot.left + left, spot.top + top
    return spot._replace(left=left, top=top, right=left + width, bottom=top + height)


class _Free(NamedTuple):
    """The spots of a frame without a track."""

    time: float
    spots: list[Spot]


@dataclass(slots=True)
class SpotTrack:
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

    def moves_with(self, other: SpotTrack) -> bool:
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
        self._tracks: list[SpotTrack] = []
        self._over: deque[SpotTrack] = deque(maxlen=64)
        self._before: deque[_Free] = deque(maxlen=2)  # the two frames before

    def observe(self, time: float, spots: Sequence[Spot]) -> list[SpotTrack]:
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

    def finish(self) -> list[SpotTrack]:
        """Passages that were open when the video ended."""
        return self._passages(self._tracks)

    def _passages(self, over: list[SpotTrack]) -> list[SpotTrack]:
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
            self._tracks.append(SpotTrack(numbers, [each.time for each in seen], spots))
