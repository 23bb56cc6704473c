"""Moments: brief events that a look a second would miss, as flashes and small things that pass."""

from __future__ import annotations

from collections.abc import Iterable

from longtake.preprocess.changes import Changes
from longtake.preprocess.flashes import Flash, Flashes
from longtake.preprocess.frames import SMALL, Frame
from longtake.preprocess.novelty import REACH, Spot, novelty
from longtake.preprocess.observers import Found
from longtake.preprocess.passing import Passages, Track

_BUSY, _MOST_SPOTS = 150, 6  # new pixels and spots; in a frame with more, all moves, and nothing small is followed
_Item = dict[str, object]


class Moments:
    """Looks at what is new in each frame, some frames later.

    Items are {start, end, kind, strength, box}: the kind is flash or object, the strength the mean levels of
    brightness by which it stands out, and the box left, top, width and height as shares of the picture.
    """

    def __init__(self, changes: Changes) -> None:
        self.found = Found()
        self._changes = changes
        self._flashes = Flashes()
        self._passages = Passages()

    def see(self, frame: Frame) -> None:
        """Look at the next frame."""
        if len(self._changes.recent) > REACH:
            self._look(len(self._changes.recent) - 1 - REACH)

    def finish(self, end: float) -> None:
        """Look at the last frames too."""
        for at in range(max(0, len(self._changes.recent) - REACH), len(self._changes.recent)):
            self._look(at)
        flash = self._flashes.finish()
        self._keep([flash] if flash else [], self._passages.finish())

    def _look(self, at: int) -> None:
        recent = self._changes.recent
        new = novelty(recent, at)
        flash = self._flashes.see(recent[max(0, at - 1)].luma, recent[at], new.solid())
        tracks = self._passages.see(recent[at].time, new.spots(_MOST_SPOTS) if new.area <= _BUSY else ())
        self._keep([flash] if flash else [], tracks)

    def _keep(self, flashes: Iterable[Flash], tracks: Iterable[Track]) -> None:
        items = [_item(flash.start, flash.end, "flash", flash.strength, flash.spots) for flash in flashes]
        items += [_passage(track) for track in tracks]
        self.found.items.extend(items)


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
