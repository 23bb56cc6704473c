"""The embedded activity engine: describes what moves, where, how far and how large. It can't name actions.

What moves is the parts of the picture that move independently of the camera, by dense optical flow (DIS, Kroeger et al.
2016) between looks a few tenths of a second apart. The camera's part of it is the similarity transform that most of the
picture agrees with (RANSAC); the rest is independent motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import dist
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.activity_engine import Activity
from longtake.preprocess.media.frames import Frame, Picture
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.whole_frames import read_whole_frames
from longtake.settings import Settings

Flow = npt.NDArray[np.float32]  # (height, width, 2): right and down, in pixels

_MIN_FLOW = 0.01  # of the width, between two looks; noise and foliage cause less
_OF_CAMERA = 0.3  # share of the camera's own shift by which its estimate may be wrong
_MIN_CHANGE = 6  # levels by which the picture must differ once the camera's motion is undone
_MIN_AREA = 0.004  # of the picture
_GRID = 8  # pixels between the points used to estimate the camera's motion
_CAMERA_TOLERANCE = 1.0  # pixels
_CLOSE = 9  # pixels between parts that belong together
_AGREE = 0.4  # share of the points that must agree on one camera motion
_LOOKS_PER_SECOND = 6.0
_WIDTH = 160  # pixels of a look
_NEAR = 0.15  # of the width; how far from its predicted place a region may be
_SAME_PLACE = 0.5  # of the smaller box, shared by two sightings of one thing
_BRIDGE = 1.0  # seconds for which a moving thing may pause
_MIN_SECONDS, _MIN_LOOKS = 0.4, 4  # for which something must move
_PATH = 0.2  # of the width or height; the shortest displacement that counts as a direction
_STRAIGHT = 0.5  # smallest ratio of the displacement to the path length
_ACROSS = 0.7  # of the width; movement this wide has no side
_ENDS = 3  # looks averaged at either end of a path


class _Track:
    """The sightings of one moving thing."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.numbers: list[int] = []
        self.times: list[float] = []
        self.regions: list[Region] = []

    def add(self, number: int, time: float, region: Region) -> None:
        """Add a sighting."""
        self.numbers.append(number)
        self.times.append(time)
        self.regions.append(region)

    def misses(self, region: Region) -> float:
        """Distance of a region's middle from the predicted place, in fractions of the width."""
        last = self.regions[-1]
        distance = dist((last.x + last.step[0], last.y + last.step[1]), (region.x, region.y))
        # A person's outline changes: a region that covers the same place is the same even if its middle jumps.
        return distance / 2 if _overlap(last, region) >= _SAME_PLACE else distance

    @property
    def weight(self) -> float:
        """Number of looks times share of the picture."""
        return sum(region.area for region in self.regions)


def _overlap(one: Region, other: Region) -> float:
    """Area that two boxes share, as a share of the smaller one."""
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    smaller = min((each.right - each.left) * (each.bottom - each.top) for each in (one, other))
    return max(0.0, across) * max(0.0, down) / max(1e-9, smaller)


class OpticalFlow:
    """Tracks moving regions through the looks of a span."""

    id = "optical-flow-dis-1"

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""

    def activities(
        self,
        path: Path,
        media: MediaInfo,
        span: TimeSpan,
        cuts: Sequence[float],
        check_cancelled: Callable[[], None],
    ) -> list[Activity]:
        """What moves during a span, most prominent first; `cuts` are the times in it at which a shot begins.

        Raises:
            MediaError: if the file has no picture or can't be opened.
        """
        tracks = list[_Track]()
        before = span.start
        for number, (time, sight) in enumerate(_sights(read_whole_frames(path, media, span, check_cancelled), cuts)):
            shot = max((cut for cut in cuts if cut <= time), default=0.0)
            open_tracks = [track for track in tracks if track.start >= shot and time - track.times[-1] <= _BRIDGE]
            for region in sight.regions:
                _take(tracks, open_tracks, region, max(before, shot)).add(number, time, region)
            before = time
        whole = [track for track in tracks if _lasts(track)]
        return [_activity(track, span) for track in sorted(whole, key=lambda track: -track.weight)]


def _sights(frames: Iterator[Frame], cuts: Sequence[float]) -> Iterator[tuple[float, Sight]]:
    regions = MovingRegions()
    seen: float | None = None
    for frame in frames:
        if seen is not None and frame.time < seen + 0.9 / _LOOKS_PER_SECOND:
            continue
        if seen is not None and any(seen < cut <= frame.time for cut in cuts):
            regions.forget()
        seen = frame.time
        yield frame.time, regions.observe(_look(frame))


def _look(frame: Frame) -> Picture:
    height = max(16, round(_WIDTH * frame.stream.height / frame.stream.width))
    twice = frame.luma(2 * _WIDTH, 2 * height)
    return np.asarray(cv2.resize(twice, (_WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)


def _take(tracks: list[_Track], open_tracks: list[_Track], region: Region, start: float) -> _Track:
    """The nearest open track, which is then closed for this look, or a new one that starts at `start`."""
    nearest = min(open_tracks, key=lambda track: track.misses(region), default=None)
    if nearest is not None and nearest.misses(region) <= _NEAR:
        open_tracks.remove(nearest)
        return nearest
    tracks.append(_Track(start))
    return tracks[-1]


def _lasts(track: _Track) -> bool:
    return len(track.times) >= _MIN_LOOKS and track.times[-1] - track.start >= _MIN_SECONDS


def _activity(track: _Track, span: TimeSpan) -> Activity:
    left, top = min(region.left for region in track.regions), min(region.top for region in track.regions)
    right, bottom = max(region.right for region in track.regions), max(region.bottom for region in track.regions)
    start, end = max(track.start, span.start), track.times[-1]
    share = fmean(region.area for region in track.regions)
    return Activity(
        TimeSpan(start=round(start, 3), end=round(end, 3)),
        f"{_motion(track, right - left)}, about {max(1, round(100 * share))} % of the picture",
        (round(left, 3), round(top, 3), round(right - left, 3), round(bottom - top, 3)),
        round(len(track.numbers) / (track.numbers[-1] - track.numbers[0] + 1), 2),
    )


def _motion(track: _Track, width: float) -> str:
    """Describe in words where something moves."""
    places = [(region.x, region.y) for region in track.regions]
    first, last = _mean(places[:_ENDS]), _mean(places[-_ENDS:])
    way = sum(dist(one, other) for one, other in pairwise(places))
    across, along = last[0] - first[0], last[1] - first[1]
    if max(abs(across), abs(along)) < _PATH or dist(first, last) < _STRAIGHT * way:
        return "movement across the picture" if width >= _ACROSS else f"movement in {_place(*_mean(places))}"
    if abs(across) >= abs(along):
        direction = "to the right" if across > 0 else "to the left"
    else:
        direction = "down" if along > 0 else "up"
    start, end = _place(*first), _place(*last)
    return f"something moves {direction}, " + (f"in {start}" if start == end else f"from {start} to {end}")


def _mean(places: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return fmean(x for x, _ in places), fmean(y for _, y in places)


def _place(x: float, y: float) -> str:
    """A place in the picture, in thirds."""
    column = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    row = "upper" if y < 1 / 3 else "lower" if y > 2 / 3 else ""
    if row and column:
        return f"the {row} {column}"
    if row:
        return f"the {row} part"
    return f"the {column or 'middle'}"


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
