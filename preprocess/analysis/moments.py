"""Finds moments: brief events that one look per second would miss, such as flashes and small passing objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longtake.preprocess.analysis.changes import Changes, Look
from longtake.preprocess.analysis.flashes import Flash, Flashes
from longtake.preprocess.analysis.novelty import REACH, Spot, novelty
from longtake.preprocess.analysis.object_passages import MAX_SIDE, Passages, Track
from longtake.preprocess.analysis.observers import ObservedItems
from longtake.preprocess.media.frames import SMALL, Frame

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

    def _keep(self, flashes: Iterable[Flash], tracks: Iterable[Track]) -> None:
        items = [_item(flash.start, flash.end, "flash", flash.spot.strength, [flash.spot]) for flash in flashes]
        self.found.items.extend(items + [_passage(track) for track in tracks])


def _small_spots(looks: Sequence[Look], at: int) -> list[Spot]:
    new = novelty(looks, at)
    return new.spots(_JOIN, MAX_SIDE, _MAX_SPOTS) if new and new.area <= _BUSY else []


def _passage(track: Track) -> _Item:
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
