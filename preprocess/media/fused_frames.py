"""Fuses many frames into one picture, for content that each frame shows only in part.

The lightest, darkest or mean value of every pixel combines what appears in one place at different times. A mosaic
assembles content that scrolls past: frames are registered by phase correlation (Kuglin and Hines, 1975) of the part of
the picture that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import cv2
import numpy as np

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import MediaInfo

Mode = Literal["maximum", "minimum", "mean", "mosaic"]

_LONG_SIDE = 1280
_CHANGES = 32  # levels between the lightest and darkest value of a pixel in the scrolling part
_MIN_SIDE = 16  # pixels of that part
_SURE = 0.08  # response of the correlation; below this, two frames show different things
_MAX_PICTURES = 8  # maximum size of a mosaic, in widths or heights of a frame
_PASTE = 0.05  # share of the side after which the part is pasted again
_FRESH = 0.25  # share of the part's side after which it is registered against a new frame


class FusedPicture(NamedTuple):
    """A picture, (height, width, 3) BGR, and the number of frames it was made from."""

    picture: Picture
    frames: int


def fuse_frames(
    path: Path, media: MediaInfo, span: TimeSpan, mode: Mode, check_cancelled: Callable[[], None]
) -> FusedPicture | None:
    """Fuse the frames of a span into one picture; None if it has no readable frame.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """

    def pictures() -> Iterator[Picture]:
        return (frame.bgr(_LONG_SIDE) for frame in read_frames(path, media, span, check_cancelled))

    if mode == "mosaic":
        return _mosaic(pictures)
    if mode == "mean":
        return _mean(pictures())
    return _extreme(pictures(), cv2.max if mode == "maximum" else cv2.min)


def _extreme(pictures: Iterator[Picture], choose: Callable[[Picture, Picture], object]) -> FusedPicture | None:
    fused, count = next(pictures, None), 1
    if fused is None:
        return None
    for picture in pictures:
        fused, count = np.asarray(choose(fused, picture), np.uint8), count + 1
    return FusedPicture(fused, count)


def _mean(pictures: Iterator[Picture]) -> FusedPicture | None:
    first = next(pictures, None)
    if first is None:
        return None
    total, count = first.astype(np.float64), 1
    for picture in pictures:
        total += picture
        count += 1
    return FusedPicture(np.asarray(np.rint(total / count), np.uint8), count)


def _mosaic(pictures: Callable[[], Iterator[Picture]]) -> FusedPicture | None:
    """Paste the scrolling part of the picture at each place it has scrolled to."""
    part = _changing(pictures())
    pasted = list[tuple[tuple[int, int], Picture]]()
    frames = 0
    for offset, picture in _registered(picture[part] for picture in pictures()):
        frames += 1
        if not pasted or _far(offset, pasted[-1][0], picture):
            pasted.append((offset, picture.copy()))
    if not pasted:
        return None
    height, width = pasted[0][1].shape[:2]
    across, down = np.array([offset for offset, _ in pasted]).T
    canvas = np.zeros((height + int(np.ptp(down)), width + int(np.ptp(across)), 3), np.uint8)
    for (x, y), picture in pasted:
        left, top = x - across.min(), y - down.min()
        canvas[top : top + height, left : left + width] = picture
    return FusedPicture(canvas, frames)


def _far(offset: tuple[int, int], other: tuple[int, int], part: Picture) -> bool:
    """Whether a part has moved far enough to paste again."""
    height, width = part.shape[:2]
    return bool(abs(offset[0] - other[0]) >= _PASTE * width or abs(offset[1] - other[1]) >= _PASTE * height)


def _changing(pictures: Iterator[Picture]) -> tuple[slice, slice]:
    """Rows and columns of the box around everything that changes; the whole picture if nothing does."""
    lightest: Picture | None = None
    darkest: Picture | None = None
    for picture in pictures:
        lightest = picture.copy() if lightest is None else np.asarray(cv2.max(lightest, picture), np.uint8)
        darkest = picture.copy() if darkest is None else np.asarray(cv2.min(darkest, picture), np.uint8)
    if lightest is None or darkest is None:
        return slice(None), slice(None)
    span = cv2.cvtColor(cv2.absdiff(lightest, darkest), cv2.COLOR_BGR2GRAY)
    changing = cv2.threshold(span, _CHANGES, 255, cv2.THRESH_BINARY)[1]
    changing = cv2.morphologyEx(changing, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    left, top, width, height = cv2.boundingRect(changing)
    if min(width, height) < _MIN_SIDE:
        return slice(None), slice(None)
    return slice(top, top + height), slice(left, left + width)


def _registered(pictures: Iterable[Picture]) -> Iterator[tuple[tuple[int, int], Picture]]:
    """Each picture with its offset in pixels, right and down, from the first; one that doesn't fit doesn't move."""
    reference: cv2.typing.MatLike | None = None
    base = here = (0.0, 0.0)
    for picture in pictures:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
        height, width = grey.shape
        if reference is None:
            reference = grey
        window = cv2.createHanningWindow((width, height), cv2.CV_32F)
        (x, y), response = cv2.phaseCorrelate(reference, grey, window)
        # Content moves opposite to its place in the mosaic.
        across, down = base[0] - x, base[1] - y
        limit = _MAX_PICTURES - 1
        if response > _SURE and abs(across) <= limit * width and abs(down) <= limit * height:
            here = across, down
            if max(abs(x) / width, abs(y) / height) >= _FRESH:
                reference, base = grey, here
        yield (round(here[0]), round(here[1])), picture
