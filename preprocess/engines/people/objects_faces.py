"""Finds faces with OpenCV's cascades of Haar features (Viola and Jones, 2001), from the front and both sides.

Each cascade searches windows of many sizes, and a face shows up in many neighbouring windows: the number of windows and
cascades that agree separates faces from lookalikes. It doesn't identify people.
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
