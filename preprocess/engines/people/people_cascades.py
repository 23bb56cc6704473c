"""Finds faces with OpenCV's cascades of Haar features (Viola and Jones, 2001), from the front and both sides.

Each cascade searches windows of many sizes, and a face shows up in many neighbouring windows: the number of windows and
cascades that agree separates faces from lookalikes. Only faces that persist over several looks are reported. Uncertain
matches make the number a lower bound, and finding none proves nothing. Nobody is identified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.objects.object_engine import Box, FoundObject, ObjectQuery, box_of
from longtake.preprocess.engines.objects.objects_tracks import Track, follow
from longtake.preprocess.engines.people.people_engine import Footage, FoundPeople
from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings

ID = f"opencv-{cv2.__version__}/cascades-1"
FACE = "face"
LONG_SIDE = 640  # pixels of the pictures searched

_FRONT = ("frontalface_default", "frontalface_alt2")
_SIDE = "profileface"  # turned to the left; mirrored, to the right
_MIN_SIZE = 1 / 20  # of the long side
_SCALE_STEP = 1.1  # ratio of successive window sizes
_MIN_WINDOWS = 3  # of one cascade that must agree
_NEAR = 0.5  # share of the larger width by which the middles of one face's boxes may differ
_HALF = 18.0  # windows at which a face is as likely as not; a wall clock in a film got 12, a face 40

_Pixels = tuple[int, int, int, int]


def find_faces(picture: Picture) -> list[FoundObject]:
    """The faces in a picture, (height, width, 3) BGR, and lookalikes, whose confidence is below 0.5."""
    scale = LONG_SIDE / max(picture.shape[:2])
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    grey = np.asarray(
        cv2.cvtColor(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=method), cv2.COLOR_BGR2GRAY)
    )
    groups: list[list[tuple[int, _Pixels]]] = []
    for windows, box in _agreements(grey.astype(np.uint8)):
        near = next((group for group in groups if _same(group[0][1], box)), None)
        if near is None:
            groups.append([(windows, box)])
        else:
            near.append((windows, box))
    return [_face(group, grey.shape) for group in groups]


def _agreements(grey: npt.NDArray[np.uint8]) -> list[tuple[int, _Pixels]]:
    """Places where windows agree, with the number of windows, most first."""
    mirrored = np.ascontiguousarray(grey[:, ::-1])
    found = [each for name in (*_FRONT, _SIDE) for each in _search(name, grey)]
    for windows, (left, top, width, height) in _search(_SIDE, mirrored):
        found.append((windows, (grey.shape[1] - left - width, top, width, height)))
    return sorted(found, reverse=True)


def _search(name: str, grey: npt.NDArray[np.uint8]) -> list[tuple[int, _Pixels]]:
    smallest = round(_MIN_SIZE * max(grey.shape))
    boxes, windows = _cascade(name).detectMultiScale2(
        grey, scaleFactor=_SCALE_STEP, minNeighbors=_MIN_WINDOWS - 1, minSize=(smallest, smallest)
    )
    return [(int(count), (int(x), int(y), int(w), int(h))) for (x, y, w, h), count in zip(boxes, windows, strict=True)]


@cache
def _cascade(name: str) -> cv2.CascadeClassifier:
    return cv2.CascadeClassifier(str(Path(cv2.__file__).parent / "data" / f"haarcascade_{name}.xml"))


def _same(one: _Pixels, other: _Pixels) -> bool:
    reach = _NEAR * max(one[2], other[2])
    return all(abs(one[axis] + one[axis + 2] / 2 - other[axis] - other[axis + 2] / 2) < reach for axis in (0, 1))


def _face(group: list[tuple[int, _Pixels]], shape: tuple[int, ...]) -> FoundObject:
    windows = sum(count for count, _ in group)
    box: Box = box_of(group[0][1], shape)
    return FoundObject(FACE, box, round(windows / (windows + _HALF), 3))


_STEP = 0.5  # minimum seconds between looks
_LOST = 3.0  # seconds after which a face that appears in the same place counts as a different one
_MAX_LOOKS = 30  # per call
_MIN_LOOKS = 3  # in which a face must be found
_SURE, _PERHAPS = 0.5, 0.3  # minimum median confidence over its looks
_MISSED = "faces that are small, dark or turned far away are missed"


@dataclass(frozen=True)
class _Found:
    """Certain and possible faces in a shot."""

    sure: list[Track]
    perhaps: list[Track]
    pictures: int

    @property
    def different(self) -> int:
        """How many of the certain faces are certainly distinct: one that takes another's place may be the same."""
        return sum(not any(_takes_over(new, old) for old in self.sure) for new in self.sure)


class CascadeFaces:
    """Finds faces, but not people who don't show theirs."""

    id = ID

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""

    def knows(self, query: ObjectQuery) -> bool:
        """See `PeopleEngine`."""
        return query.thing == FACE and not (query.colour or query.shape)

    def find(self, query: ObjectQuery, shots: Sequence[Footage]) -> FoundPeople:
        """See `PeopleEngine`."""
        step = max(_STEP, sum(shot.span.length for shot in shots) / _MAX_LOOKS)
        found = [_in_shot(shot, step, moving=query.moving) for shot in shots]
        again = ["anyone who leaves and comes back is counted again"] if query.over_time else []
        return FoundPeople(
            tuple(track for each in found for track in each.sure),
            tuple(track for each in found for track in each.perhaps),
            max((each.different for each in found), default=0),
            sum(each.pictures for each in found),
            (_MISSED, *again),
            _doubt(found, query.over_time),
        )


def _in_shot(shot: Footage, step: float, *, moving: bool) -> _Found:
    """Tracks with enough sightings, split by median confidence."""
    looks = [(time, find_faces(frame.bgr(LONG_SIDE))) for time, frame in shot.frames(step)]
    lasting = [
        track
        for track in follow(looks)
        if len(track.sightings) >= min(_MIN_LOOKS, len(looks)) and (track.travelled or not moving)
    ]
    sure = [track for track in lasting if track.confidence >= _SURE]
    return _Found(sure, [track for track in lasting if _PERHAPS <= track.confidence < _SURE], len(looks))


def _takes_over(new: Track, old: Track) -> bool:
    """Whether a track starts where and about when another ended, so that both may be the same."""
    x, y = new.sightings[0][1].middle
    left, top, width, height = old.sightings[-1][1].box
    soon = new is not old and new.start > old.start and abs(new.start - old.end) <= _LOST
    return soon and left <= x <= left + width and top <= y <= top + height


def _doubt(found: Sequence[_Found], over_time: bool) -> str:
    """Why there may be more than were found; empty if the number is certain."""
    sure, perhaps = (any(tracks) for tracks in ([each.sure for each in found], [each.perhaps for each in found]))
    if not sure and perhaps:
        return "Something may be a face, or may only look like one."
    if not sure:
        return "No face was found, which doesn't prove that there is none."
    if perhaps:
        return "Apart from each certain face, there is something that may be one, so there may be more."
    if any(_takes_over(new, old) for each in found for new in each.sure for old in each.sure):
        return "A face was lost and found again in the same place, so it may be one or two."
    if over_time and sum(bool(each.sure) for each in found) > 1:
        return "A face after a cut may or may not be the same as before it, so there may be more."
    return ""
