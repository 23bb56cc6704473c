"""Finds moving regions: parts of the picture that move independently of the camera.

Dense optical flow (DIS, Kroeger et al. 2016) between looks a few tenths of a second apart. The camera's part of it is
the similarity transform that most of the picture agrees with (RANSAC); the rest is independent motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.media.frames import Picture

Flow = npt.NDArray[np.float32]  # (height, width, 2): right and down, in pixels

_MIN_FLOW = 0.01  # of the width, between two looks; noise and foliage cause less
_OF_CAMERA = 0.3  # share of the camera's own shift by which its estimate may be wrong
_MIN_CHANGE = 6  # levels by which the picture must differ once the camera's motion is undone
_MIN_AREA = 0.004  # of the picture
_GRID = 8  # pixels between the points used to estimate the camera's motion
_CAMERA_TOLERANCE = 1.0  # pixels
_CLOSE = 9  # pixels between parts that belong together
_AGREE = 0.4  # share of the points that must agree on one camera motion


class Region(NamedTuple):
    """A moving part of a look: box, centre and area as fractions of the picture, and its motion.

    The motion is right and down between the two looks, as fractions of the width.
    """

    left: float
    top: float
    right: float
    bottom: float
    x: float
    y: float
    area: float
    step: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sight:
    """What moves between two looks; `sure` is False if the looks show different scenes."""

    regions: tuple[Region, ...]
    sure: bool


class MovingRegions:
    """Compares successive small brightness pictures of one size."""

    def __init__(self) -> None:
        self._flow = cv2.DISOpticalFlow.create(cv2.DISOpticalFlow_PRESET_FAST)
        self._last: Picture | None = None

    def forget(self) -> None:
        """Start a new shot: the next look isn't compared with the last one."""
        self._last = None

    def observe(self, look: Picture) -> Sight:
        """What moves from the last look to this one, (height, width)."""
        last, self._last = self._last, look
        if last is None:
            return Sight((), sure=False)
        flow = np.asarray(self._flow.calc(last, look, np.zeros((*look.shape, 2), np.float32)), np.float32)
        camera = _camera(flow)
        if camera is None:
            return Sight((), sure=False)
        return Sight(_regions(_moving(last, look, flow, camera), flow - camera), sure=True)


def _camera(flow: Flow) -> Flow | None:
    """The flow due to the camera's motion alone; None if no motion explains enough of the picture."""
    height, width = flow.shape[:2]
    rows, columns = np.mgrid[_GRID // 2 : height : _GRID, _GRID // 2 : width : _GRID]
    before = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float32)
    after = before + flow[rows.ravel(), columns.ravel()]
    transform, agreeing = cv2.estimateAffinePartial2D(
        before, after, method=cv2.RANSAC, ransacReprojThreshold=_CAMERA_TOLERANCE
    )
    if transform is None or np.count_nonzero(agreeing) < _AGREE * len(before):
        return None
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    moved_x = transform[0, 0] * x + transform[0, 1] * y + transform[0, 2] - x
    moved_y = transform[1, 0] * x + transform[1, 1] * y + transform[1, 2] - y
    return np.dstack([moved_x, moved_y]).astype(np.float32)


def _moving(last: Picture, look: Picture, flow: Flow, camera: Flow) -> Picture:
    """1 where the picture moves independently of the camera and really differs, else 0."""
    height, width = look.shape
    left_over = np.linalg.norm(flow - camera, axis=2)
    needed = np.maximum(_MIN_FLOW * width, _OF_CAMERA * np.linalg.norm(camera, axis=2))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    steadied = cv2.remap(look, x + camera[..., 0], y + camera[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    differs = cv2.blur(cv2.absdiff(steadied, last), (3, 3)) >= _MIN_CHANGE
    moving = ((left_over >= needed) & differs).astype(np.uint8)
    moving = np.asarray(cv2.morphologyEx(moving, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    return np.asarray(cv2.morphologyEx(moving, cv2.MORPH_CLOSE, np.ones((_CLOSE, _CLOSE), np.uint8)), np.uint8)


def _regions(moving: Picture, own: Flow) -> tuple[Region, ...]:
    height, width = moving.shape
    count, labels, stats, centres = cv2.connectedComponentsWithStats(moving, connectivity=8)
    regions: list[Region] = []
    for number in range(1, count):
        left, top, across, down, area = (int(value) for value in stats[number])
        if area < _MIN_AREA * moving.size:
            continue
        part = own[labels == number].mean(axis=0) / width
        x, y = centres[number]
        regions.append(
            Region(
                left / width,
                top / height,
                (left + across) / width,
                (top + down) / height,
                float(x) / width,
                float(y) / height,
                area / moving.size,
                (float(part[0]), float(part[1])),
            )
        )
    return tuple(sorted(regions, key=lambda region: -region.area))
