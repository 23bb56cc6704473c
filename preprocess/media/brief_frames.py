"""Finds the exact frames of a moment in the file: the first and the last that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import MediaInfo

_AROUND = 0.4  # seconds examined on either side of a moment
_WIDTH = 480  # pixels of the picture examined
_AIR = 0.1  # margin around a passing object's box, as a share of the picture: it was there before it was tracked
_NEW = 24  # levels by which a pixel differs from before and after
_MIN_PIXELS = 3
_OF_PEAK = 0.4  # share of the clearest frame's pixels that another frame of the moment must show


class BriefFrames(NamedTuple):
    """Times in seconds of a moment's first and last frames and of the frame after it, and the number of frames."""

    first: float
    last: float
    end: float
    frames: int


def find_frames(
    path: Path, media: MediaInfo, moment: Mapping[str, Any], check_cancelled: Callable[[], None]
) -> BriefFrames | None:
    """The frames of an item of the layer `moments`; None if they don't stand out from those around them.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    around = TimeSpan(start=max(0.0, moment["start"] - _AROUND), end=moment["end"] + _AROUND)
    times, crops, end = list[float](), list[Picture](), around.end
    air = _AIR if moment["kind"] == "object" else 0.0
    for frame in read_frames(path, media, around, check_cancelled):
        height = max(2, round(_WIDTH * frame.stream.height / frame.stream.width))
        times.append(frame.time)
        crops.append(_crop(frame.luma(_WIDTH, height), moment["box"], air))
        end = frame.end
    inside = [number for number, time in enumerate(times) if moment["start"] <= time < moment["end"]]
    if not inside or inside[0] == 0 or inside[-1] + 1 >= len(times):
        return None
    shown = _stands_out(crops, inside)
    peak = max(inside, key=lambda number: shown[number])
    if shown[peak] < _MIN_PIXELS:
        return None
    needed = max(_MIN_PIXELS, _OF_PEAK * shown[peak])
    first = last = peak
    while first > 0 and shown[first - 1] >= needed:
        first -= 1
    while last + 1 < len(times) and shown[last + 1] >= needed:
        last += 1
    after = times[last + 1] if last + 1 < len(times) else end
    return BriefFrames(times[first], times[last], after, last - first + 1)


def _crop(luma: Picture, box: Sequence[float], air: float) -> Picture:
    height, width = luma.shape
    left, top, across, down = box
    rows = slice(max(0, int((top - air) * height)), int(np.ceil((top + down + air) * height)) + 1)
    columns = slice(max(0, int((left - air) * width)), int(np.ceil((left + across + air) * width)) + 1)
    return np.asarray(cv2.blur(luma[rows, columns], (3, 3)), np.uint8)


def _stands_out(crops: Sequence[Picture], inside: Sequence[int]) -> npt.NDArray[np.int64]:
    """For each frame, how many pixels differ from both the last frame before the moment and the first after it.

    Pixels that differ between those two, for example from other motion, don't count.
    """
    before, after = crops[max(0, inside[0] - 2)], crops[min(len(crops) - 1, inside[-1] + 2)]
    changing = cv2.absdiff(before, after)
    counts = [
        np.count_nonzero(cv2.subtract(cv2.min(cv2.absdiff(crop, before), cv2.absdiff(crop, after)), changing) >= _NEW)
        for crop in crops
    ]
    return np.asarray(counts, np.int64)
