"""Faces by cascades of Haar features (Viola and Jones, 2001), as OpenCV ships them: from the front and both sides.

Each cascade looks through windows of many sizes, and a face is found in many windows that lie near each other: how
many windows of how many cascades agree tells faces from what only resembles one. Who it is, nothing here can tell.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.objects.object_engine import Box, FoundObject, box_of
from longtake.preprocess.media.frames import Picture

ID = f"opencv-{cv2.__version__}/cascades-1"
FACE = "face"
LONG_SIDE = 640  # pixels at which it looks
SMALLEST = 1 / 20  # of the long side

_FRONT = ("frontalface_default", "frontalface_alt2")
_SIDE = "profileface"  # turned to the left; mirrored, to the right
_FINER = 1.1  # times from one size of window to the next
_FEWEST = 3  # windows of one cascade that agree
_NEAR = 0.5  # of the larger width, by which the middles of one face's boxes lie apart
_HALF = 18.0  # windows at which it is as likely a face as not; a wall clock in a film got 12, a face 40

_Pixels = tuple[int, int, int, int]


def find_faces(picture: Picture) -> list[FoundObject]:
    """The faces of a picture, (height, width, 3) BGR, and what resembles one, whose confidence is below 0.5."""
    scale = LONG_SIDE / max(picture.shape[:2])
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    grey = np.asarray(
        cv2.cvtColor(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=way), cv2.COLOR_BGR2GRAY)
    )
    groups: list[list[tuple[int, _Pixels]]] = []
    for windows, box in _agreed(grey.astype(np.uint8)):
        near = next((group for group in groups if _same(group[0][1], box)), None)
        if near is None:
            groups.append([(windows, box)])
        else:
            near.append((windows, box))
    return [_face(group, grey.shape) for group in groups]


def _agreed(grey: npt.NDArray[np.uint8]) -> list[tuple[int, _Pixels]]:
    """Where windows agree, with their number, the most first."""
    mirrored = np.ascontiguousarray(grey[:, ::-1])
    found = [each for name in (*_FRONT, _SIDE) for each in _searched(name, grey)]
    for windows, (left, top, width, height) in _searched(_SIDE, mirrored):
        found.append((windows, (grey.shape[1] - left - width, top, width, height)))
    return sorted(found, reverse=True)


def _searched(name: str, grey: npt.NDArray[np.uint8]) -> list[tuple[int, _Pixels]]:
    smallest = round(SMALLEST * max(grey.shape))
    boxes, windows = _cascade(name).detectMultiScale2(
        grey, scaleFactor=_FINER, minNeighbors=_FEWEST - 1, minSize=(smallest, smallest)
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
